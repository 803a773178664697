/* The few shapes that plots are made of, as text of SVG. Coordinates are pixels of the picture's
 * own size, x to the right and y down; a page scales the picture to its width. Classes are those
 * of report/theme.h. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/text.h"

/* What a picture is called: for screen readers, and under the mouse. */
struct svg_head {
    const char *title;
    const char *about; /* one or two sentences: what is seen */
    int64_t number;    /* of the picture in its page: names within it are made of it */
    bool alone;        /* a file of its own, which carries the theme */
};

void svg_begin(struct text *out, const struct svg_head *head, double width, double height);
void svg_end(struct text *out);

void svg_line(struct text *out, const char *classes, const double from[2], const double to[2]);

/* A box, with words under the mouse; NULL: none. `fill` is a colour, or NULL for the class's. */
struct svg_box {
    double x, y, width, height;
    const char *fill, *hover;
};

void svg_box(struct text *out, const char *classes, const struct svg_box *box);

/* Words, escaped, whose base line begins at x, y; the classes "middle" and "end" shift them. */
void svg_words(struct text *out, const char *classes, double x, double y, const char *words);

/* The same from below to above, centred at x, y. */
void svg_words_up(struct text *out, const char *classes, double x, double y, const char *words);

/* A path: begin, move to and draw to points, end. The class is that of the whole; `dash` is a
 * pattern such as "6 3", or NULL. */
void svg_path_begin(struct text *out, const char *classes, const char *dash);
void svg_path_to(struct text *out, char command, double x, double y);
void svg_path_end(struct text *out);

/* A small sign at a point, of the shapes 0 to 3 and again, with words under the mouse. */
void svg_mark(struct text *out, int64_t shape, double x, double y, const char *hover);

/* A group of shapes in the colour of series number `series`, modulo how many there are. */
void svg_series_begin(struct text *out, int64_t series);
void svg_series_end(struct text *out);

/* About how wide words of size 12 are. No font is known here, so it is a guess, on the wide
 * side. */
double svg_width(const char *words);

#endif
