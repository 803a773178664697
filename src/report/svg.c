/* Every number is printed with one decimal, a tenth of a pixel: more cannot be seen. Every word
 * passes through text_html. */
#include "report/svg.h"

#include "base/utf8.h"
#include "report/theme.h"

/* The mean widths of letters of size 12, in common fonts. */
static const double SMALL = 6.6, CAPITAL = 8.8;

void svg_begin(struct text *out, const struct svg_head *head, double width, double height)
{
    long long number = (long long)head->number;
    text_print(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" "
               "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
               "aria-labelledby=\"plot-%lld-title plot-%lld-about\">\n",
               width, height, width, height, number, number);
    text_print(out, "<title id=\"plot-%lld-title\">", number);
    text_html(out, head->title);
    text_print(out, "</title>\n<desc id=\"plot-%lld-about\">", number);
    text_html(out, head->about);
    text_add(out, "</desc>\n");
    if (head->alone) {
        text_add(out, "<style>" THEME_COLOURS THEME_PLOT "</style>\n");
        text_print(out, "<rect width=\"%.0f\" height=\"%.0f\" style=\"fill:var(--page)\"/>\n",
                   width, height);
    }
}

void svg_end(struct text *out)
{
    text_add(out, "</svg>\n");
}

/* The end of an element that may have words under the mouse. */
static void finish(struct text *out, const char *element, const char *hover)
{
    if (!hover) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, "><title>");
    text_html(out, hover);
    text_print(out, "</title></%s>\n", element);
}

void svg_line(struct text *out, const char *classes, const double from[2], const double to[2])
{
    text_print(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
               classes, from[0], from[1], to[0], to[1]);
}

void svg_box(struct text *out, const char *classes, const struct svg_box *box)
{
    text_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
               classes, box->x, box->y, box->width, box->height);
    if (box->fill)
        text_print(out, " fill=\"%s\"", box->fill);
    finish(out, "rect", box->hover);
}

void svg_words(struct text *out, const char *classes, double x, double y, const char *words)
{
    text_print(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", classes, x, y);
    text_html(out, words);
    text_add(out, "</text>\n");
}

void svg_words_up(struct text *out, const char *classes, double x, double y, const char *words)
{
    text_print(out, "<text class=\"%s middle\" transform=\"translate(%.1f %.1f) rotate(-90)\">",
               classes, x, y);
    text_html(out, words);
    text_add(out, "</text>\n");
}

void svg_path_begin(struct text *out, const char *classes, const char *dash)
{
    text_print(out, "<path class=\"%s\"", classes);
    if (dash)
        text_print(out, " stroke-dasharray=\"%s\"", dash);
    text_add(out, " d=\"");
}

void svg_path_to(struct text *out, char command, double x, double y)
{
    text_print(out, "%c%.1f %.1f", command, x, y);
}

void svg_path_end(struct text *out)
{
    text_add(out, "\"/>\n");
}

void svg_mark(struct text *out, int64_t shape, double x, double y, const char *hover)
{
    switch (shape % 4) {
    case 0:
        text_print(out, "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\"", x, y);
        finish(out, "circle", hover);
        return;
    case 1:
        text_print(out, "<path class=\"mark\" d=\"M%.1f %.1fh6.4v6.4h-6.4z\"", x - 3.2, y - 3.2);
        break;
    case 2:
        text_print(out, "<path class=\"mark\" d=\"M%.1f %.1fl4.2 7h-8.4z\"", x, y - 4.4);
        break;
    default:
        text_print(out, "<path class=\"mark\" d=\"M%.1f %.1fl4.4 4.4-4.4 4.4-4.4-4.4z\"", x,
                   y - 4.4);
    }
    finish(out, "path", hover);
}

void svg_series_begin(struct text *out, int64_t series)
{
    text_print(out, "<g class=\"s%lld\">\n", (long long)(series % THEME_SERIES));
}

void svg_series_end(struct text *out)
{
    text_add(out, "</g>\n");
}

double svg_width(const char *words)
{
    double width = 0;
    uint32_t point = 0;
    while (*words) {
        if (!utf8_decode(&point, &words))
            words++;
        bool wide = (point >= 'A' && point <= 'Z') || point == 0x2212; /* a minus sign */
        width += wide ? CAPITAL : SMALL;
    }
    return width;
}
