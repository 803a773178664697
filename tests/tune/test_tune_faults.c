/* Every allocation of a search fails once: it says so, and a search after it in the same folder comes to
 * the same choice as one that was never disturbed. */
#include "fixture.h"
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
    CHECK(chdir(fixture_folder()) == 0);
    data = fixture_data(.nodes = 12, .classes = 2, .feature_count = 4);
    folder = "whole";
    CHECK_OK(search());
    /* Again and again in one folder: each call goes on where the last one failed. */
    folder = "parts";
    faults_each(search, "a search that goes on");
    CHECK(fixture_same_file("whole", "parts", "best.json"));
    CHECK(chdir("/") == 0);
    graco_dataset_free(data);
    return check_result();
}
