/* Ticks are the multiples of the smallest step of 1, 2 or 5 times a power of ten that gives few
 * enough of them. They are counted in whole steps, so that no rounding adds or loses one. */
#include "report/plot_axes.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct plot_range plot_range_empty(void)
{
    return (struct plot_range){INFINITY, -INFINITY};
}

void plot_range_add(struct plot_range *range, double x)
{
    if (isnan(x))
        return;
    range->low = x < range->low ? x : range->low;
    range->high = x > range->high ? x : range->high;
}

struct plot_range plot_range_pad(struct plot_range range, double share)
{
    if (range.low > range.high)
        return (struct plot_range){0, 1};
    double length = range.high - range.low;
    if (length <= 1e-9 * (fabs(range.low) + fabs(range.high))) {
        double more = range.low == 0 ? 1 : 0.05 * fabs(range.low);
        return (struct plot_range){range.low - more, range.high + more};
    }
    return (struct plot_range){range.low - share * length, range.high + share * length};
}

struct plot_ticks plot_ticks(struct plot_range range, int64_t most)
{
    static const double steps[] = {1, 2, 5, 10};
    struct plot_ticks out = {0};
    double power = pow(10, floor(log10((range.high - range.low) / (double)most)));
    double step = power;
    for (int i = 0; i < 4; i++) {
        step = steps[i] * power;
        if ((range.high - range.low) / step <= (double)most + 1e-6)
            break;
    }
    double first = ceil(range.low / step - 1e-6), last = floor(range.high / step + 1e-6);
    for (double k = first; k <= last && out.count < PLOT_TICKS; k++)
        out.at[out.count++] = k == 0 ? 0 : k * step;
    double digits = -floor(log10(step) + 1e-6);
    out.decimals = digits > 0 ? (int)(digits < 9 ? digits : 9) : 0;
    return out;
}

double plot_x(const struct plot_frame *frame, double x)
{
    return frame->left + (x - frame->x.low) / (frame->x.high - frame->x.low) * frame->width;
}

double plot_y(const struct plot_frame *frame, double y)
{
    return frame->top + (frame->y.high - y) / (frame->y.high - frame->y.low) * frame->height;
}

void plot_number(char words[PLOT_NUMBER], double number, int decimals)
{
    char digits[PLOT_NUMBER];
    bool large = fabs(number) >= 1e7;
    number_print(digits, sizeof digits, large ? "%.*e" : "%.*f", large ? 2 : decimals, number);
    bool negative = digits[0] == '-';
    snprintf(words, PLOT_NUMBER, "%s%.40s", negative ? "\xE2\x88\x92" : "", digits + negative);
}

void plot_name(char out[PLOT_NAME], const char *words, int64_t most)
{
    const char *end = words, *kept = words;
    uint32_t point;
    int64_t count = 0;
    while (*end && count <= most && end - words < PLOT_NAME - 8) {
        if (!utf8_decode(&point, &end))
            end++;
        count++;
        if (count < most)
            kept = end;
    }
    bool whole = !*end && count <= most;
    snprintf(out, PLOT_NAME, "%.*s%s", (int)((whole ? end : kept) - words), words,
             whole ? "" : "\xE2\x80\xA6");
}

/* A tick with its name; without one, with its number. Words at the right end are moved to where they are whole. */
static void x_tick(struct text *out, const struct plot_frame *frame, double at, int decimals,
                   const char *name)
{
    char number[PLOT_NUMBER];
    double x = plot_x(frame, at), bottom = frame->top + frame->height;
    svg_line(out, "axis", (double[]){x, bottom}, (double[]){x, bottom + 4});
    plot_number(number, at, decimals);
    const char *words = name ? name : number;
    double last = frame->left + frame->width + PLOT_MARGIN - svg_width(words) / 2;
    svg_words(out, "middle", fmin(x, last), bottom + 17, words);
}

/* How many decimals given ticks need: the fewest that print them all, up to 4. */
static int decimals_of(const double *ticks, int64_t count)
{
    int decimals = 0;
    for (int64_t i = 0; i < count; i++)
        while (decimals < 4 &&
               fabs(ticks[i] - round(ticks[i] * pow(10, decimals)) / pow(10, decimals)) > 1e-9)
            decimals++;
    return decimals;
}

void plot_axes(struct text *out, const struct plot_frame *frame, const struct plot_axes *axes)
{
    double left = frame->left, right = left + frame->width, bottom = frame->top + frame->height;
    struct plot_ticks x = plot_ticks(frame->x, 6), y = plot_ticks(frame->y, 6);
    char words[PLOT_NUMBER];
    for (int64_t i = 0; i < y.count && !axes->bare; i++) {
        double at = plot_y(frame, y.at[i]);
        svg_line(out, "grid", (double[]){left, at}, (double[]){right, at});
        plot_number(words, y.at[i], y.decimals);
        svg_words(out, "end", left - 7, at + 4, words);
    }
    svg_line(out, "axis", (double[]){left, bottom}, (double[]){right, bottom});
    if (axes->bare)
        svg_line(out, "axis", (double[]){left, frame->top}, (double[]){left, bottom});
    int decimals = decimals_of(axes->x_ticks, axes->x_tick_count);
    for (int64_t i = 0; i < axes->x_tick_count; i++)
        x_tick(out, frame, axes->x_ticks[i], decimals, axes->x_names ? axes->x_names[i] : NULL);
    for (int64_t i = 0; i < x.count && axes->x_tick_count == 0 && !axes->bare; i++)
        x_tick(out, frame, x.at[i], x.decimals, NULL);
    svg_words(out, "middle", left + frame->width / 2, bottom + (axes->bare ? 18 : 36),
              axes->x_label);
    svg_words_up(out, "", axes->bare ? left - 8 : 12, frame->top + frame->height / 2,
                 axes->y_label);
}

double plot_legend(struct text *out, const struct plot_legend *legend)
{
    enum { SIGN = 26, GAP = 14, ROW = 19, LETTERS = 28 };
    double x = legend->left, y = legend->top;
    for (int64_t i = 0; i < legend->count; i++) {
        char name[PLOT_NAME];
        const char *whole = legend->name(legend->plot, i);
        if (!whole)
            continue;
        plot_name(name, whole, LETTERS);
        double width = SIGN + svg_width(name);
        if (x > legend->left && x + width > legend->left + legend->width) {
            x = legend->left;
            y += ROW;
        }
        if (out) {
            legend->sign(out, legend->plot, i, (double[]){x + SIGN / 2. - 3, y - 4});
            svg_words(out, "", x + SIGN, y, name);
        }
        x += width + GAP;
    }
    return y + ROW - legend->top;
}
