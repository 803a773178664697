/* A graph that a reader found as a list of edges, and the features and labels that go with it: what came
 * in the same file, or the files that the options name, which replace it.
 *
 * A reader fills `edges`, and `features`, `labels` and a note if it has them, and calls tables_create. */
#ifndef DATA_TABLES_H
#define DATA_TABLES_H

#include "data/readers.h"
#include "io/tables/columns.h"
#include "io/tables/table.h"

/* Starts zeroed. */
struct tables {
    struct table_edges edges;
    struct table_numbers features; /* dense, or */
    struct csr sparse;             /* with row r for node r; start NULL: there are none; or */
    struct columns *columns;       /* with the rows and the ids of `features` */
    char **column_names; /* (features.cols) of dense ones that a text table has; one block */
    struct table_labels labels;
    bool undirected; /* add the reverse of every edge */
    bool listed;     /* edges are a list that does not state its direction: see tables_direct */
    struct table_options how;

    /* For tables_create alone. */
    int64_t nodes;
    int32_t *feature_node; /* (features.rows) node of each row; NULL: row r is node r */
    int32_t *label_node;   /* (labels.count) */
    int feature_note;      /* which note is on features */
    char *notes[DATASET_NOTES];
};

/* What the options say of text tables. */
graco_status tables_options(struct table_options *out, const graco_load_options *options);

/* Adds a line on how a file was understood: its name, ": " and the text. */
graco_status tables_note(struct tables *tables, const char *file, const char *text);

/* Decides the direction of edges by the options: a list, which does not state it, is undirected unless it is to be
 * directed; other formats get reverses only if these are to be added. */
void tables_direct(struct tables *tables, const graco_load_options *options, bool listed);

/* The word for it, for the end of a note; "" where the format states it. */
const char *tables_say_direction(const struct tables *tables);

/* Makes the data set; what `tables` owned is taken or stays to be cleared. */
graco_status tables_create(struct graco_dataset **out, struct tables *tables,
                           const struct source *source);

void tables_clear(struct tables *tables);

/* Reads the file of features, or of labels, in whatever format it is; see docs/formats.md. */
graco_status tables_read_features(struct tables *tables, const char *file);
graco_status tables_read_labels(struct tables *tables, const char *file);

/* How long a note may be. */
enum { TABLES_NOTE = 1024 };

#endif
