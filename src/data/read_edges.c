/* Text: an edge list or a MatrixMarket file. */
#include "data/tables.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* "weights; ", where a header's words do not say it already. */
static const char *say_weights(const struct table_edges *edges)
{
    if (!edges->weight && edges->order[2] >= 0 && !edges->matrix_market)
        return "; weights are left out";
    return edges->weight && !*edges->reading ? "; weights" : "";
}

/* "3 edges; nodes have names; edges from `a` to `b`; weights `w`; left out: `c`; header". */
static graco_status note_edges(struct tables *tables, const char *file)
{
    char note[TABLES_NOTE];
    const struct table_edges *edges = &tables->edges;
    snprintf(note, sizeof note, "%" PRId64 " edges; nodes have %s%s%s%s%s; %s%s", edges->count,
             edges->names ? "names" : "numbers", *edges->reading ? "; " : "", edges->reading,
             say_weights(edges), edges->numbered ? "; row numbers, left out" : "",
             edges->matrix_market ? "MatrixMarket"
             : edges->header      ? "header"
                                  : "no header",
             tables_say_direction(tables));
    return tables_note(tables, file, note);
}

static graco_status read_edges(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct tables tables = {0};
    TRY(tables_options(&tables.how, source->options));
    TRY(table_edges_read(&tables.edges, source->path, source->text.data, source->text.length,
                         &tables.how));
    tables_direct(&tables, source->options, !tables.edges.matrix_market);
    TRY(note_edges(&tables, source->path));
    TRY(tables_create(out, &tables, source));
done:
    tables_clear(&tables);
    return status;
}

const struct reader reader_edges = {
    .format = "an edge list",
    .places = PLACE_TEXT,
    .tables = true,
    .read = read_edges,
};
