/* Every allocation of a search fails once: it says so, and a search after it in the same folder comes to
 * the same choice as one that was never disturbed. */
#include "check.h"
#include "faults.h"

#include <unistd.h>

static graco_dataset *data;
static const char *folder;

static graco_status search(void)
{
    static const char *const SEARCH[] = {"epochs=1,2", "hidden=2,3", NULL};
    graco_tune_options options = graco_tune_defaults();
    graco_config *config = NULL;
    options.folder = folder;
    options.trials = 2;
    options.threads = 1;
    options.device = "cpu";
    options.search = SEARCH;
    graco_status status = graco_tune(&config, NULL, data, &options);
    CHECK((status == GRACO_OK) == (config != NULL));
    graco_config_free(config);
    return status;
}

int main(void)
{
    char root[] = "/tmp/graco_tune_faults_XXXXXX", command[64];
    graco_generate_options options = graco_generate_defaults();
    CHECK(mkdtemp(root) && chdir(root) == 0);
    options.nodes = 12;
    options.classes = 2;
    options.feature_count = 4;
    CHECK_OK(graco_dataset_generate(&data, &options));
    folder = "whole";
    CHECK_OK(search());
    /* Again and again in one folder: each call goes on where the last one failed. */
    folder = "parts";
    faults_each(search, "a search that goes on");
    CHECK(system("cmp -s whole/best.json parts/best.json") == 0);
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK(chdir("/") == 0 && system(command) == 0);
    graco_dataset_free(data);
    return check_result();
}
