/* The shape of embeddings: how their singular values fall, how many directions matter, how close
 * linked nodes are, and what clusters find; then their maps. */
#include "report/run_report.h"

#include "base/memory.h"
#include "report/map.h"
#include "report/plot.h"

#include <math.h>
#include <stdio.h>

static const double ROUNDING = 1e-7; /* singular values below this share of the first */

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* Whether an earlier run has the same data. */
static bool is_known(const struct run_report *report, int64_t r)
{
    for (int64_t i = 0; i < r; i++)
        if (report->runs[i].data == report->runs[r].data)
            return true;
    return false;
}

static void add_graph(struct sheet *table, const struct reported *run)
{
    const graco_graph_facts *facts = &run->facts;
    sheet_words(table, run->data->name);
    sheet_number(table, (double)run->data->graph->nodes, 0);
    sheet_number(table, facts->degree_mean, 1);
    sheet_number(table, (double)facts->degree_median, 0);
    sheet_number(table, (double)facts->degree_most, 0);
    sheet_number(table, (double)facts->components, 0);
    sheet_number(table, 100 * (double)facts->largest / (double)run->data->graph->nodes, 1);
    sheet_number(table, facts->edge_cosine, 2);
    sheet_number(table, facts->pair_cosine, 2);
    sheet_number(table, 100 * facts->alike, 0);
    sheet_number(table, 100 * facts->same_class, 0);
    sheet_number(table, 100 * facts->same_by_chance, 0);
}

/* What predicts what was hidden, a row for each run that says something. */
static void write_hidden(struct run_report *report)
{
    static const char *const sources[SOURCES] = {"own features", "neighbours", "embedding"};
    struct sheet table = {.title = "What predicts what is hidden"};
    int64_t found = 0;
    sheet_column(&table, "", "run", false);
    for (int i = 0; i < 2 * SOURCES; i++)
        sheet_column(&table, i < SOURCES ? "hidden columns, %" : "hidden edges, %",
                     sources[i % SOURCES], true);
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        if (isnan(run->hidden_columns[SOURCE_OWN]) && isnan(run->hidden_edges[SOURCE_OWN]))
            continue;
        sheet_words(&table, run->name);
        for (int i = 0; i < 2 * SOURCES; i++)
            sheet_number(&table,
                         100 * (i < SOURCES ? run->hidden_columns : run->hidden_edges)[i % SOURCES],
                         1);
        found++;
    }
    if (found > 0)
        page_table(
            &report->page, &table,
            "A fifth of the feature columns and of the edges is hidden. Columns: the share of "
            "their variance that a regression predicts from a nodeâs other "
            "features, from the sum of its neighboursâ, from the embedding of what "
            "is left. Edges: how often the two ends of a hidden edge are more alike than a "
            "random pair; 50 % is chance.");
    sheet_clear(&table);
}

graco_status run_page_graphs(struct run_report *report)
{
    static const char *const columns[][2] = {{"", "nodes"},
                                             {"degree", "mean"},
                                             {"degree", "median"},
                                             {"degree", "most"},
                                             {"components", "count"},
                                             {"components", "largest, %"},
                                             {"features", "edges"},
                                             {"features", "pairs"},
                                             {"features", "edge more alike, %"},
                                             {"within a class, %", "edges"},
                                             {"within a class, %", "pairs"}};
    struct sheet table = {.title = "The graph"};
    int64_t found = 0;
    sheet_column(&table, "", "data set", false);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(&table, columns[i][0], columns[i][1], true);
    for (int64_t r = 0; r < report->count; r++)
        if (report->runs[r].data && !is_known(report, r)) {
            add_graph(&table, &report->runs[r]);
            found++;
        }
    if (found > 0) {
        page_section(&report->page, "graph", "The graph");
        page_table(
            &report->page, &table,
            "The largest component, in percent of the nodes. Features: the mean cosine of two "
            "nodes with an edge and of two random nodes, and how often the first two are the "
            "more alike; 50 % is chance, and neighbours then tell little about a node. Pairs "
            "within a class are what chance gives.");
        write_hidden(report);
    }
    sheet_clear(&table);
    return GRACO_OK;
}

/* ---- Spectrum -------------------------------------------------------------------------------- */

/* Fills x and y (count of the run) with the numbers of its singular values and their powers of
 * ten. */
static void fill_spectrum(double *x, double *y, const struct run_shape *shape)
{
    for (int64_t i = 0; i < shape->singular_count; i++) {
        bool seen = shape->singular[i] > ROUNDING * shape->singular[0];
        x[i] = (double)i + 1;
        y[i] = seen ? log10(shape->singular[i]) : (double)NAN;
    }
}

static graco_status draw_spectra(struct run_report *report)
{
    graco_status status = GRACO_OK;
    struct plot_series *series = NULL;
    double *numbers = NULL;
    int64_t room = 0, used = 0;
    for (int64_t r = 0; r < report->count; r++)
        room += 2 * report->runs[r].shape.singular_count;
    TRY(memory_alloc(&series, report->count, sizeof *series));
    TRY(memory_alloc(&numbers, room, sizeof *numbers));
    for (int64_t r = 0; r < report->count; r++) {
        const struct run_shape *shape = &report->runs[r].shape;
        int64_t count = shape->singular_count;
        double *x = numbers + used, *y = x + count;
        used += 2 * count;
        fill_spectrum(x, y, shape);
        series[r] =
            (struct plot_series){.label = report->runs[r].name, .count = count, .x = x, .y = y};
    }
    if (room > 0) {
        page_plots_begin(&report->page, true);
        plot_lines(&report->page.body,
                   &(struct svg_head){.title = "Singular values",
                                      .about = "The singular values of the embeddings, falling.",
                                      .number = page_number(&report->page)},
                   &(struct plot_lines){.x_label = "number",
                                        .y_label = "as a power of ten",
                                        .series_count = report->count,
                                        .series = series});
        page_plots_end(&report->page,
                       "A line that falls late uses many directions; one that drops at once has "
                       "collapsed to a few. Values that are nothing but rounding are left out.");
    }
done:
    memory_free(numbers);
    memory_free(series);
    return status;
}

static void write_table(struct run_report *report)
{
    static const char *const names[] = {
        "columns", "effective rank", "alignment",  "uniformity", "clusters", "NMI",
        "ARI",     "accuracy",       "modularity", "silhouette"};
    struct sheet table = {.title = "The shape of the embeddings"};
    sheet_column(&table, "", "run", false);
    for (int i = 0; i < 10; i++)
        sheet_column(&table, i < 4 ? "directions and distances" : "clusters of k-means", names[i],
                     true);
    for (int64_t r = 0; r < report->count; r++) {
        const struct run_shape *shape = &report->runs[r].shape;
        const graco_cluster_result *found = &shape->clusters;
        bool clustered = found->clusters > 0;
        const double numbers[] = {found->nmi, found->ari, found->accuracy, found->modularity,
                                  found->silhouette};
        if (shape->cols == 0)
            continue;
        sheet_words(&table, report->runs[r].name);
        sheet_number(&table, (double)shape->cols, 0);
        sheet_number(&table, shape->effective_rank, 1);
        sheet_number(&table, shape->alignment, 3);
        sheet_number(&table, shape->uniformity, 3);
        sheet_number(&table, clustered ? (double)found->clusters : (double)NAN, 0);
        for (int i = 0; i < 5; i++)
            sheet_number(&table, clustered ? numbers[i] : (double)NAN, 3);
    }
    page_table(&report->page, &table,
               "Of the first training of a run. Alignment is the mean squared distance between the "
               "ends of the graph\xE2\x80\x99s edges, rows scaled to length one: lower is closer. "
               "Uniformity is lower the more evenly rows fill the sphere, about \xE2\x88\x92"
               "4 at best. NMI, ARI and accuracy hold the clusters against the labels.");
    sheet_clear(&table);
}

graco_status run_page_shape(struct run_report *report)
{
    int64_t measured = 0;
    for (int64_t r = 0; r < report->count; r++)
        measured += report->runs[r].shape.cols > 0;
    if (measured == 0)
        return GRACO_OK;
    page_section(&report->page, "embeddings", "The embeddings");
    write_table(report);
    return draw_spectra(report);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static void explore(struct run_report *report, const struct reported *run)
{
    struct text html = {0};
    char title[PLOT_NAME + 32];
    snprintf(title, sizeof title, "Explore the map of %s", run->name);
    map_page(&html, run->map);
    page_folded_frame(&report->page, title, &html);
    text_clear(&html);
}

graco_status run_page_maps(struct run_report *report)
{
    int64_t drawn = 0;
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        if (!run->map)
            continue;
        if (drawn++ == 0) {
            page_section(&report->page, "maps", report->count > 1 ? "Maps" : "Map");
            page_plots_begin(&report->page, report->count == 1);
        }
        map_plot(&report->page.body, run->map,
                 &(struct svg_head){.title = run->name,
                                    .about = "Nodes with similar embeddings lie side by side.",
                                    .number = page_number(&report->page)});
    }
    if (drawn == 0)
        return GRACO_OK;
    page_plots_end(
        &report->page,
        "Nodes with similar embeddings lie side by side; colours are classes, or clusters "
        "where no label is known. Distances between groups mean little.");
    for (int64_t r = 0; r < report->count; r++)
        if (report->runs[r].map)
            explore(report, &report->runs[r]);
    return GRACO_OK;
}
