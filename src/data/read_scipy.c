/* A graph that scipy's save_npz wrote: entry (i, j) of a square matrix is an edge from node i to node j,
 * and its value the weight. Features and labels lie in files beside it. */
#include "data/scipy_matrix.h"
#include "data/tables.h"

#include <inttypes.h>
#include <stdio.h>

static graco_status read_graph(struct table_edges *edges, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct entries entries = {0};
    TRY(scipy_matrix_read(&entries, &source->members, !source->options->unweighted));
    if (entries.rows != entries.cols)
        FAIL(GRACO_ERROR_FORMAT,
             "the matrix is %lld x %lld: expected a square, the graph's adjacency",
             (long long)entries.rows, (long long)entries.cols);
    TRY(entries_check(&entries, 0));
    edges->count = entries.count;
    edges->nodes = entries.rows;
    edges->source = entries.row;
    edges->target = entries.col;
    edges->weight = entries.value;
    entries = (struct entries){0};
done:
    entries_clear(&entries);
    return status;
}

static graco_status read_scipy(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct tables tables = {0};
    char note[TABLES_NOTE];
    TRY(tables_options(&tables.how, source->options));
    TRY(read_graph(&tables.edges, source));
    tables_direct(&tables, source->options, true);
    snprintf(note, sizeof note, "%" PRId64 " edges; nodes have numbers; %sa scipy matrix%s",
             tables.edges.count,
             tables.edges.weight ? "values are weights; " : "values are left out; ",
             tables_say_direction(&tables));
    TRY(tables_note(&tables, source->path, note));
    TRY(tables_create(out, &tables, source));
done:
    tables_clear(&tables);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, "format.npy") &&
           members_have(&source->members, "shape.npy");
}

const struct reader reader_scipy = {
    .format = "a scipy matrix",
    .places = PLACE_ARCHIVE,
    .sign = "format.npy",
    .tables = true,
    .knows = knows,
    .read = read_scipy,
};
