/* metrics.jsonl followed: lines that grow, torn ones, a file that is replaced, cut or not there yet. */
#include "check.h"
#include "curves.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/graco-curves-XXXXXX", other[64];

static void write_text(const char *target, const char *mode, const char *text)
{
    FILE *file = fopen(target, mode);
    CHECK(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void test_follow(void)
{
    struct curves curves = {0};

    unlink(path);
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 0);
    write_text(path, "w",
               "{\"epoch\": 1, \"loss\": 2.5, \"mutual_information\": 0.5, \"seconds\": 3}\n"
               "{\"epoch\": 2, \"lo");
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 1 && curves.loss[0] == 2.5 && curves.information[0] == 0.5 &&
          curves.seconds[0] == 3);
    write_text(path, "a", "ss\": 1.5}\nnonsense\n{\"epoch\": 3, \"loss\": 1}\n");
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 3 && curves.loss[1] == 1.5 && isnan(curves.information[1]) &&
          curves.epoch[2] == 3);

    /* Resumed after epoch 1: another file is put in its place, as long as the old one or longer. */
    write_text(other, "w",
               "{\"epoch\": 1, \"loss\": 2.5}\n{\"epoch\": 2, \"loss\": 7}\n"
               "{\"epoch\": 3, \"loss\": 6.000000000000000000000000000000000}\n"
               "{\"epoch\": 4, \"loss\": 5.000000000000000000000000000000000}\n");
    CHECK(rename(other, path) == 0);
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 4 && curves.loss[1] == 7 && curves.loss[3] == 5);
    write_text(path, "w", "{\"epoch\": 1, \"loss\": 8}\n");
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 1 && curves.loss[0] == 8);
    unlink(path);
    CHECK_OK(curves_follow(&curves, path));
    CHECK(curves.count == 0);
    curves_clear(&curves);
}

/* Epochs that are trained again take the place of the first ones. */
static void test_add(void)
{
    struct curves curves = {0};

    for (int i = 1; i <= 1000; i++)
        CHECK(curves_add(&curves, i, i, i, i));
    CHECK(curves_add(&curves, 501, -1, 0, 0));
    CHECK(curves.count == 501 && curves.loss[500] == -1 && curves.loss[499] == 500);
    curves_clear(&curves);
}

int main(void)
{
    int made = mkstemp(path);
    CHECK(made >= 0);
    close(made);
    snprintf(other, sizeof other, "%s.new", path);
    test_follow();
    test_add();
    return check_result();
}
