/* Curves as characters: known pictures at several sizes, gaps, and that no spike is lost. */
#include "check.h"
#include "plot_text.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 100000 };

static const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/* Whether one curve of `count` values comes to this text. */
static bool is_drawn(int cols, int rows, bool utf8, const double *values, int64_t count,
                     const char *expected)
{
    const struct plot_text_area area = {cols, rows, utf8};
    const struct plot_text_curve curve = {"loss", numbers, values, count};
    char *text = plot_text_draw(&area, &curve, 1);
    bool same = text && strcmp(text, expected) == 0;
    if (!same)
        printf("%d x %d:\n%s", cols, rows, text ? text : "no memory\n");
    free(text);
    return same;
}

static void test_least(void)
{
    static const double one[] = {3}, falling[] = {2, 1}, none[] = {(double)NAN};

    CHECK(is_drawn(1, 1, true, one, 1, "⠄\n"));
    CHECK(is_drawn(1, 1, false, one, 1, ".\n"));
    CHECK(is_drawn(1, 1, true, falling, 2, "⢣\n"));
    CHECK(is_drawn(1, 1, true, none, 1, "\n"));
    CHECK(is_drawn(1, 1, true, none, 0, "\n"));
    CHECK(is_drawn(4, 2, true, falling, 2, "⠑⢄\n  ⠑⢄\n"));
}

static void test_small(void)
{
    static const double falling[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    static const double constant[] = {0.5, 0.5, 0.5};
    static const double gaps[] = {1, 1, (double)NAN, (double)INFINITY, 2, 2};
    static const double nothing[] = {(double)NAN, (double)-INFINITY};

    CHECK(is_drawn(20, 5, true, falling, 10,
                   "loss 1\n"
                   "10│⠉⠒⠒⠤⣀\n"
                   "  │     ⠉⠑⠒⠢⠤⣀⡀\n"
                   " 1│           ⠈⠑⠒⠤⢄⣀\n"
                   "   1              10\n"));
    CHECK(is_drawn(20, 5, false, falling, 10,
                   "loss 1\n"
                   "10|'....\n"
                   "  |     '''....\n"
                   " 1|            '''..\n"
                   "   1              10\n"));
    CHECK(is_drawn(20, 5, true, constant, 3,
                   "loss 0.5\n"
                   "   │\n"
                   "0.5│⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤\n"
                   "   │\n"
                   "    1              3\n"));
    CHECK(is_drawn(20, 5, false, gaps, 6,
                   "loss 2\n"
                   "2|              ''''\n"
                   " |\n"
                   "1|....\n"
                   "  1                6\n"));
    CHECK(is_drawn(20, 5, true, nothing, 2,
                   "loss -inf\n"
                   "\n"
                   "\n"
                   "\n"
                   "1                  2\n"));
    CHECK(is_drawn(20, 5, true, falling, 1,
                   "loss 10\n"
                   "  │\n"
                   "10│⠄\n"
                   "  │\n"
                   "   1\n"));
    CHECK(is_drawn(20, 5, true, falling, 0,
                   "loss\n"
                   "\n"
                   "\n"
                   "\n"
                   "\n"));
}

/* Characters of the longest row, and rows. */
static void measure(int *cols, int *rows, const char *text)
{
    int now = 0;
    *cols = *rows = 0;
    for (; *text; text++) {
        now = *text == '\n' ? 0 : now + (((unsigned char)*text & 0xc0) != 0x80);
        *rows += *text == '\n';
        *cols = now > *cols ? now : *cols;
    }
}

/* Every size has its rows and none too long; what is in the middle of the widest is where it belongs. */
static void test_sizes(void)
{
    static const int sizes[][2] = {{1, 1},  {2, 3},  {17, 4},  {18, 4},   {35, 9},
                                   {36, 9}, {75, 5}, {76, 10}, {300, 80}, {1000, 2}};
    static const double values[] = {
        (double)-1e308, 1e308, -0.0, 1e-300, (double)NAN, 5, 5, 5, 5, 5};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++) {
            const struct plot_text_area area = {sizes[i][0], sizes[i][1], way % 2 == 1};
            const struct plot_text_curve curves[] = {{"loss", numbers, values, 10},
                                                     {"mutual information", numbers, numbers, 10}};
            char *text = plot_text_draw(&area, curves, 1 + way / 2);
            int cols = 0, rows = 0;
            if (text)
                measure(&cols, &rows, text);
            CHECK(text && rows == area.rows && cols <= area.cols && cols > 0);
            bool both = text && strstr(text, "mutual");
            CHECK(both == (way / 2 == 1 && (area.cols >= 75 || area.rows >= 10) && area.rows >= 3));
            free(text);
        }
}

/* 300 x 80: a straight line from the upper left to the lower right, in every row of the picture. */
static void test_large(void)
{
    static const double falling[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    const struct plot_text_area area = {300, 80, true};
    const struct plot_text_curve curve = {"loss", numbers, falling, 10};
    char *text = plot_text_draw(&area, &curve, 1), *row = text;
    int before = -1, falls = 0;

    for (int r = 0; text && r < 80; r++) {
        int first = -1, col = 0;
        for (; *row != '\n'; row++) {
            bool starts = ((unsigned char)*row & 0xc0) != 0x80, braille = strncmp(row, "⠀", 2) == 0;
            first = starts && braille && first < 0 ? col : first;
            col += starts;
        }
        row++;
        falls += r >= 1 && r < 79 && first > before;
        before = first;
    }
    CHECK(falls == 78);
    free(text);
}

/* One epoch of very many is higher: it reaches the top. */
static void test_spike(void)
{
    double *x = calloc(MANY, sizeof *x), *y = calloc(MANY, sizeof *y);
    const struct plot_text_area area = {12, 2, true};
    const struct plot_text_curve curve = {"loss", x, y, MANY};

    for (int i = 0; x && y && i < MANY; i++) {
        x[i] = i + 1;
        y[i] = i == MANY / 2 ? 9 : 1;
    }
    char *text = x && y ? plot_text_draw(&area, &curve, 1) : NULL;
    CHECK(text && strcmp(text, "      ⡇\n⣀⣀⣀⣀⣀⣸⣇⣀⣀⣀⣀⣀\n") == 0);
    free(text);
    free(x);
    free(y);
}

int main(void)
{
    test_least();
    test_small();
    test_sizes();
    test_large();
    test_spike();
    return check_result();
}
