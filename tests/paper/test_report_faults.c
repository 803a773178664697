/* A report with its 1st, 2nd, 3rd ... allocation failing: GRACO_ERROR_MEMORY, nothing leaks, and
 * no page is left that is not whole. */
#include "check.h"
#include "faults.h"

#include "paper/report.h"
#include "paper/small_results.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/graco-report-XXXXXX";
static char results_path[64], out_path[64], page_path[96], kept_path[96];

static const struct report_about about;

static graco_status in_memory(void)
{
    struct results *results = NULL;
    struct text html = {0}, markdown = {0};
    static const char whole[] = SMALL_RESULTS;
    graco_status status = results_parse(&results, whole, sizeof whole - 1);
    if (status == GRACO_OK)
        status = report_write(&html, &markdown, results, NULL, &about);
    text_clear(&html);
    text_clear(&markdown);
    results_free(results);
    return status;
}

static graco_status kept(void)
{
    struct results *results = NULL, *other = NULL;
    struct sample sample = results_sample();
    int64_t taken;
    sample.key = sample.settings = "a";
    graco_status status = results_open(&results, results_path, true);
    if (status == GRACO_OK)
        status = results_add(results, &sample);
    if (status == GRACO_OK)
        status = results_open(&other, results_path, false);
    if (status == GRACO_OK)
        status = results_merge(results, &taken, other);
    if (status == GRACO_OK)
        status = results_save(results, kept_path);
    results_free(results);
    return status;
}

static graco_status to_files(void)
{
    return report_make(results_path, out_path, &about);
}

static int64_t size_of(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (int64_t)found.st_size : -1;
}

/* Runs with ever more allocations until one run needs no more than it gets. */
static void fail_each(graco_status (*run)(void), const char *what)
{
    graco_status status = GRACO_ERROR_MEMORY;
    long n = 0;
    int64_t whole = size_of(page_path);
    for (; status != GRACO_OK && n < 20000; n++) {
        faults_until = n;
        faults_hit = 0;
        status = run();
        faults_until = -1;
        CHECK(status == GRACO_OK ? faults_hit == 0
                                 : status == GRACO_ERROR_MEMORY && faults_hit > 0);
        CHECK(size_of(page_path) == whole);
    }
    CHECK(status == GRACO_OK);
    printf("%s: %ld allocations\n", what, n - 1);
}

int main(void)
{
    char command[128];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(results_path, sizeof results_path, "%s/results.json", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    snprintf(page_path, sizeof page_path, "%s/report.html", out_path);
    CHECK_OK(graco_file_save(results_path, SMALL_RESULTS, sizeof SMALL_RESULTS - 1));
    CHECK_OK(to_files());
    CHECK(size_of(page_path) > 10000);
    snprintf(kept_path, sizeof kept_path, "%s/kept.json", folder);
    fail_each(in_memory, "in memory");
    fail_each(kept, "a file of samples");
    fail_each(to_files, "to files");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return check_result();
}
