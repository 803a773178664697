/* metrics.jsonl followed: lines that grow, torn ones, a file that is replaced, cut or not there yet. */
#include "check.h"
#include "graco_more.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/graco-curve-XXXXXX", path[64], other[64];

static void write_text(const char *target, const char *mode, const char *text)
{
    FILE *file = fopen(target, mode);
    CHECK(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void test_follow(graco_run *run)
{
    graco_curve curve = {0};

    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 0 && !curve.there);
    write_text(path, "w",
               "{\"epoch\": 1, \"loss\": 2.5, \"mutual_information\": 0.5, \"seconds\": 3}\n"
               "{\"epoch\": 2, \"lo");
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 1 && curve.loss[0] == 2.5 && curve.information[0] == 0.5 &&
          curve.seconds[0] == 3 && curve.rest == 16);
    write_text(path, "a", "ss\": 1.5, \"peak_rss_bytes\": 7}\n{\"epoch\": 3, \"loss\": null}\n");
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 3 && curve.loss[1] == 1.5 && isnan(curve.information[1]) &&
          curve.epoch[2] == 3 && isnan(curve.loss[2]) && curve.rest == 0 && curve.peak_bytes == 7);
    /* What is no epoch, and an epoch that does not follow, end the curve. */
    write_text(path, "a", "nonsense\n{\"epoch\": 4, \"loss\": 1}\n");
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 3 && curve.rest == 33);

    /* Resumed after epoch 1: another file is put in its place, as long as the old one or longer. */
    write_text(other, "w",
               "{\"epoch\": 1, \"loss\": 2.5}\n{\"epoch\": 2, \"loss\": 7}\n"
               "{\"epoch\": 3, \"loss\": 6.000000000000000000000000000000000}\n"
               "{\"epoch\": 4, \"loss\": 5, \"best_epoch\": 3, \"ended\": \"patience\"}\n"
               "{\"epoch\": 4, \"loss\": 4.000000000000000000000000000000000}\n");
    CHECK(rename(other, path) == 0);
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 4 && curve.loss[1] == 7 && curve.loss[3] == 5 && curve.best_epoch == 3 &&
          strcmp(curve.ended, "patience") == 0 && curve.peak_bytes == 0);
    write_text(path, "w", "{\"epoch\": 1, \"loss\": 8}\n");
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 1 && curve.loss[0] == 8 && curve.best_epoch == 0 && !*curve.ended);
    unlink(path);
    CHECK_OK(graco_run_curve(&curve, run, 0));
    CHECK(curve.count == 0 && !curve.there);
}

int main(void)
{
    graco_run *run = NULL;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/metrics.jsonl", folder);
    snprintf(other, sizeof other, "%s/new", folder);
    CHECK_OK(graco_run_open(&run, folder));
    test_follow(run);
    graco_run_free(run);
    rmdir(folder);
    return check_result();
}
