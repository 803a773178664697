/* Curves drawn with characters, for a terminal. */
#ifndef CLI_PLOT_TEXT_H
#define CLI_PLOT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct plot_text_curve {
    const char *name;    /* ASCII */
    const double *x, *y; /* (count); x ascends, what is not finite in y is a gap */
    int64_t count;
};

struct plot_text_area {
    int cols, rows; /* at least 1 */
    bool utf8;      /* dots of braille, 2 x 4 in a character; else ASCII, 1 x 2 */
};

/* Draws each curve in a panel of its own: side by side, one below the other, or the first alone, as the
 * area has room. A panel has the name and the last value on top, the range of y at the left and that of
 * x below, as far as there is room for them. Returns `rows` lines of at most `cols` characters, each with
 * its newline and without blanks before it, which the caller frees; NULL if memory ran out. */
char *plot_text_draw(const struct plot_text_area *area, const struct plot_text_curve *curves,
                     int count);

#endif
