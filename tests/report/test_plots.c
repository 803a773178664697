/* Plots: round ticks, gaps where numbers are missing, and pictures of nothing, one number, or huge
 * ones that hold no NaN and no infinity. */
#include "check.h"

#include "report/plot.h"
#include "report/plot_axes.h"

static void ticks(void)
{
    struct plot_ticks t = plot_ticks((struct plot_range){0.48, 0.92}, 5);
    CHECK(t.count == 5 && t.decimals == 1 && fabs(t.at[0] - 0.5) < 1e-12);
    CHECK(fabs(t.at[4] - 0.9) < 1e-12);
    t = plot_ticks((struct plot_range){-3, 203}, 6);
    CHECK(t.count == 5 && t.decimals == 0 && t.at[0] == 0 && t.at[4] == 200);
    t = plot_ticks((struct plot_range){71.02, 71.05}, 6);
    CHECK(t.decimals == 3 && t.count >= 5 && t.count <= 7);
    for (double scale = 1e-12; scale < 1e30; scale *= 7.3)
        for (int64_t most = 2; most <= PLOT_TICKS; most++) {
            struct plot_range range = {-0.37 * scale, 1.13 * scale};
            t = plot_ticks(range, most);
            CHECK(t.count >= 1 && t.count <= most + 1);
            for (int64_t i = 0; i < t.count; i++)
                CHECK(t.at[i] >= range.low - 1e-6 * scale && t.at[i] <= range.high + 1e-6 * scale);
        }

    struct plot_range r = plot_range_pad(plot_range_empty(), 0.1);
    CHECK(r.low < r.high);
    r = plot_range_empty();
    plot_range_add(&r, 5);
    plot_range_add(&r, NAN);
    r = plot_range_pad(r, 0.1);
    CHECK(r.low < 5 && r.high > 5);
}

static void names(void)
{
    char name[PLOT_NAME], number[PLOT_NUMBER];
    plot_name(name, "short", 8);
    CHECK(strcmp(name, "short") == 0);
    plot_name(name, "just 8!!", 8);
    CHECK(strcmp(name, "just 8!!") == 0);
    plot_name(name, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F five", 4); /* cut between characters */
    CHECK(strcmp(name, "\xC3\xA4\xC3\xB6\xC3\xBC\xE2\x80\xA6") == 0);
    plot_number(number, -1.25, 1);
    CHECK(strcmp(number, "\xE2\x88\x92"
                         "1.2") == 0);
    plot_number(number, 3e30, 1);
    CHECK(strcmp(number, "3.00e+30") == 0);
}

static int count(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        found++;
    return found;
}

/* No number that a browser could not read. */
static void check_picture(const struct text *out)
{
    const char *words = text_words(out);
    CHECK(text_status(out) == GRACO_OK && strncmp(words, "<svg ", 5) == 0);
    CHECK(!strstr(words, "nan") && !strstr(words, "inf"));
    CHECK(count(words, "<g ") == count(words, "</g>"));
    CHECK(count(words, "<title") == count(words, "</title>") && count(words, "<desc ") == 1);
}

static const struct svg_head HEAD = {.title = "T <1>", .about = "A & B", .number = 7};

static void lines(void)
{
    static const double x[] = {1, 2, 3, 4, 5}, y[] = {1, 2, NAN, 4, 5}, low[] = {0, 1, 2, NAN, 4},
                        high[] = {2, 3, 4, NAN, 6};
    struct plot_series series[2] = {
        {.label = "<s>", .count = 5, .x = x, .y = y, .low = low, .high = high},
        {.label = "t", .count = 1, .x = x, .y = y}};
    struct plot_lines plot = {
        .x_label = "x", .y_label = "y", .series_count = 2, .series = series, .marks = true};
    struct text out = {0};
    plot_lines(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(strstr(text_words(&out), "<title id=\"plot-7-title\">T &lt;1&gt;</title>"));
    CHECK(strstr(text_words(&out), "<title>&lt;s&gt; at 1.00: 1.00 \xC2\xB1 1.00</title>"));
    CHECK(count(text_words(&out), "class=\"band\"") == 1); /* the second run is one point */
    CHECK(count(text_words(&out), "<circle ") == 4 + 1);   /* four points, and the legend */
    CHECK(!strstr(text_words(&out), "<style>"));
    text_clear(&out);

    static const double huge[] = {-1e30, 1e30, 0, 0, 0};
    series[0].y = huge;
    series[0].low = series[0].high = NULL;
    struct svg_head alone = HEAD;
    alone.alone = true;
    plot_lines(&out, &alone, &plot);
    check_picture(&out);
    CHECK(strstr(text_words(&out), "<style>:root{"));
    text_clear(&out);

    plot_lines(&out, &HEAD, &(struct plot_lines){.x_label = "", .y_label = ""});
    check_picture(&out);
    text_clear(&out);
}

static void heat(void)
{
    static const double x[] = {0.1, 0.2, 0.3}, y[] = {0.5, 0.6},
                        values[] = {70, 71.26, NAN, 72, NAN, 69};
    static const char *const hover[] = {"a", "b", "<c>", "d", "e", "f"};
    struct plot_heat plot = {.x_label = "p1",
                             .y_label = "p2",
                             .value_label = "accuracy",
                             .columns = 3,
                             .rows = 2,
                             .x = x,
                             .y = y,
                             .values = values,
                             .words = hover};
    struct text out = {0};
    plot_heat(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), "class=\"hollow\"") == 2);
    CHECK(count(text_words(&out), "class=\"best\"") == 1);
    CHECK(strstr(text_words(&out), "<title>p1 0.3, p2 0.5: &lt;c&gt;</title>"));
    CHECK(strstr(text_words(&out), ">71.3</text>"));
    CHECK(strstr(text_words(&out), "fill=\"#f6e996\"")); /* the highest is the end of the scale */
    CHECK(strstr(text_words(&out), "fill=\"#22285c\"")); /* the lowest its beginning */
    text_clear(&out);
    plot.values = (const double[]){NAN, NAN, NAN, NAN, NAN, NAN};
    plot_heat(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), "class=\"best\"") == 0);
    text_clear(&out);
    plot.rows = plot.columns = 0;
    plot_heat(&out, &HEAD, &plot);
    check_picture(&out);
    text_clear(&out);
}

static void confusion(void)
{
    static const int64_t counts[] = {6, 2, 0, 1, 9, 0, 0, 0, 0};
    static const int32_t numbers[] = {0, 3, 4};
    static const char *const names[] = {"<a>", "b", "c"};
    struct plot_confusion plot = {
        .classes = 3, .counts = counts, .numbers = numbers, .names = names};
    struct text out = {0};
    plot_confusion(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), "<rect") == 9);
    CHECK(strstr(text_words(&out), "<title>&lt;a&gt; taken for b: 2 of 8, 25.0 %</title>"));
    CHECK(strstr(text_words(&out), ">90.0</text>"));
    CHECK(strstr(text_words(&out), ">b, 3</text>"));
    CHECK(strstr(text_words(&out), "<title>c taken for c: 0 of 0, 0.0 %</title>"));
    text_clear(&out);
    plot.names = NULL;
    plot_confusion(&out, &HEAD, &plot);
    CHECK(strstr(text_words(&out), ">class 4</text>"));
    text_clear(&out);
    plot.classes = 0;
    plot_confusion(&out, &HEAD, &plot);
    check_picture(&out);
    text_clear(&out);
}

/* Classes whose middles coincide have their names one below the other. */
static void labels(void)
{
    static const double x[] = {0, 1, 1, 0, 0, 1}, y[] = {0, 1, 0, 1, 0, 1};
    static const int32_t class_of[] = {0, 0, 1, 1, 2, 2};
    static const char *const names[] = {"one", "two", "three"};
    struct plot_scatter plot = {.x_label = "",
                                .y_label = "",
                                .count = 6,
                                .classes = 3,
                                .x = x,
                                .y = y,
                                .class_of = class_of,
                                .class_names = names};
    struct text out = {0};
    double at[3][2] = {{0}};
    int found = 0;
    plot_scatter(&out, &HEAD, &plot);
    for (const char *text = text_words(&out);
         found < 3 && (text = strstr(text, "<text class=\"middle halo\"")); text++)
        found += sscanf(text, "<text class=\"middle halo\" x=\"%lf\" y=\"%lf\">", &at[found][0],
                        &at[found][1]) == 2;
    CHECK(found == 3 && at[0][0] == at[1][0] && at[1][0] == at[2][0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            CHECK(fabs(at[i][1] - at[j][1]) >= 13.9);
    text_clear(&out);
}

/* A series without a number is not in the legend. */
static void absent(void)
{
    static const double x[] = {1, 2}, y[] = {3, 4}, none[] = {NAN, NAN};
    const struct plot_series series[] = {{"here", 2, x, y, NULL, NULL},
                                         {"nowhere", 2, x, none, NULL, NULL}};
    struct text out = {0};
    plot_lines(
        &out, &HEAD,
        &(struct plot_lines){.x_label = "", .y_label = "", .series_count = 2, .series = series});
    check_picture(&out);
    CHECK(strstr(text_words(&out), ">here</text>") && !strstr(text_words(&out), "nowhere"));
    text_clear(&out);
}

static void scatter(void)
{
    static const double x[] = {0, 1, 2, NAN}, y[] = {0, 1, 0, 3};
    static const int32_t class_of[] = {0, 1, 1, 0};
    static const char *const names[] = {"\"a\"", "b & c"};
    struct plot_scatter plot = {.x_label = "1",
                                .y_label = "2",
                                .count = 4,
                                .classes = 2,
                                .x = x,
                                .y = y,
                                .class_of = class_of,
                                .class_names = names};
    struct text out = {0};
    plot_scatter(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), "h0") == 3 + 2); /* three points, two in the legend */
    CHECK(count(text_words(&out), ">b &amp; c</text>") == 2);
    text_clear(&out);
    plot.count = plot.classes = 0;
    plot_scatter(&out, &HEAD, &plot);
    check_picture(&out);
    text_clear(&out);
}

/* Where x is the number of a name, the names stand below the axis as long as they fit; else their numbers, and they
 * behind the classes, whose colours mean what they do in other plots. Classes stand beside each other, and every second
 * one has squares. A few points are drawn large, and so is every sign of a legend. */
static void choices(void)
{
    static const double x[] = {0, 1, 1}, y[] = {0.25, 0.5, 1};
    static const int32_t class_of[] = {0, 1, 0};
    static const char *const origins[] = {"random", "near"};
    static const char *names[] = {"relu", "rrelu"};
    struct plot_scatter plot = {.x_label = "activation",
                                .y_label = "score",
                                .count = 3,
                                .classes = 2,
                                .x = x,
                                .y = y,
                                .class_of = class_of,
                                .class_names = origins,
                                .measured = true,
                                .x_names = names,
                                .x_name_count = 2};
    struct text out = {0};
    double at[3] = {0};
    plot_scatter(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), ">rrelu</text>") == 1);
    CHECK(count(text_words(&out), ">random</text>") == 1 && strstr(text_words(&out), ">near<"));
    CHECK(count(text_words(&out), "\"dots large\"") == 2);
    CHECK(count(text_words(&out), "\"dots squares large\"") == 2);
    CHECK(count(text_words(&out), "h0") == 3 + 2);
    CHECK(sscanf(strstr(text_words(&out), "\"dots large\" d=\"M"),
                 "\"dots large\" d=\"M%lf %*fh0M%lf", &at[0], &at[1]) == 2);
    CHECK(sscanf(strstr(text_words(&out), "\"dots squares large\" d=\"M"),
                 "\"dots squares large\" d=\"M%lf", &at[2]) == 1);
    CHECK(at[1] > at[0] + 100 && at[2] > at[1] + 8 && at[2] < at[1] + 100);
    text_clear(&out);
    names[1] = "a name that is far too long to stand below an axis beside another one";
    plot_scatter(&out, &HEAD, &plot);
    check_picture(&out);
    CHECK(count(text_words(&out), "h0") == 3 + 2 && strstr(text_words(&out), "a name that is far"));
    CHECK(count(text_words(&out), ">1</text>") == 2 && count(text_words(&out), ">2</text>") == 2);
    CHECK(count(text_words(&out), ">relu</text>") == 1);
    text_clear(&out);
}

/* A class without a point is not in the legend. */
static void empty_class(void)
{
    static const double x[] = {1, 2, 3}, y[] = {1, 2, NAN};
    static const int32_t class_of[] = {0, 0, 1};
    static const char *const names[] = {"here", "nowhere"};
    struct text out = {0};
    plot_scatter(&out, &HEAD,
                 &(struct plot_scatter){.x_label = "",
                                        .y_label = "",
                                        .count = 3,
                                        .classes = 2,
                                        .x = x,
                                        .y = y,
                                        .class_of = class_of,
                                        .class_names = names});
    CHECK(strstr(text_words(&out), ">here</text>") && !strstr(text_words(&out), "nowhere"));
    text_clear(&out);
}

/* A line of steps holds each value until the next point: it has no slope, and breaks where a number is missing. */
static void steps(void)
{
    static const double x[] = {1, 2, 2, 3, 4, 5}, y[] = {1, 2, 3, NAN, 3, 4};
    const struct plot_series series = {"s", 6, x, y, NULL, NULL};
    struct plot_lines plot = {
        .x_label = "", .y_label = "", .series_count = 1, .series = &series, .steps = true};
    struct text out = {0};
    double from[2] = {0}, to[2];
    char command;
    int pairs = 0, moves = 0, length;
    plot_lines(&out, &HEAD, &plot);
    check_picture(&out);
    const char *at = strstr(text_words(&out), "class=\"line\" d=\"");
    CHECK(at != NULL);
    at += strlen("class=\"line\" d=\"");
    for (; sscanf(at, "%c%lf %lf%n", &command, &to[0], &to[1], &length) == 3; at += length) {
        if (command == 'L') {
            CHECK((to[0] == from[0]) != (to[1] == from[1]));
            pairs++;
        }
        moves += command == 'M';
        from[0] = to[0];
        from[1] = to[1];
    }
    CHECK(*at == '"' && moves == 2 && pairs == 2 + 1 + 2);
    text_clear(&out);
}

int main(void)
{
    ticks();
    names();
    lines();
    heat();
    confusion();
    labels();
    absent();
    scatter();
    choices();
    empty_class();
    steps();
    return check_result();
}
