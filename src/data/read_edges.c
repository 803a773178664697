/* Text: an edge list or a MatrixMarket file. */
#include "data/tables.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* How much of a column's name a note shows. */
enum { NOTE_NAME = 40 };

/* "column 3 `since` is no weight and left out; ", "weights; 2 further columns, left out; ". */
static const char *say_weights(char text[TABLES_NOTE / 2], const struct table_edges *edges)
{
    int length = (int)(edges->other.length < NOTE_NAME ? edges->other.length : NOTE_NAME);
    bool unused = edges->left_out && (!edges->wide || edges->order[2] >= 0);
    const char *weights = edges->weight ? "weights; "
                          : unused      ? "weights, which are left out; "
                                        : "";
    if (length > 0)
        snprintf(text, TABLES_NOTE / 2, "column %d `%.*s` is no weight and left out; ",
                 edges->order[2] + 1, length, edges->other.text);
    else if (edges->further > 0)
        snprintf(text, TABLES_NOTE / 2, "%s%d further column%s, left out; ", weights,
                 edges->further, edges->further == 1 ? "" : "s");
    else
        return weights;
    return text;
}

static graco_status note_edges(struct tables *tables, const char *file)
{
    char note[TABLES_NOTE], weights[TABLES_NOTE / 2];
    const struct table_edges *edges = &tables->edges;
    snprintf(note, sizeof note, "%" PRId64 " edges; nodes have %s; %s%s", edges->count,
             edges->names ? "names" : "numbers", say_weights(weights, edges),
             edges->matrix_market ? "MatrixMarket"
             : edges->header      ? "header"
                                  : "no header");
    return tables_note(tables, file, note);
}

static graco_status read_edges(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct tables tables = {.undirected = source->options->undirected};
    TRY(tables_options(&tables.how, source->options));
    TRY(table_edges_read(&tables.edges, source->path, source->text.data, source->text.length,
                         &tables.how));
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
