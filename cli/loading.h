/* The options of every command that reads a data set. */
#ifndef CLI_LOADING_H
#define CLI_LOADING_H

#include "graco.h"
#include "options.h"
#include "runs.h"

#include <stdint.h>

/* graco_dataset_load; when a published data set is not there, output_failure also says how to fetch
 * it. Unless quiet, prints how tables were understood. With `run`, which may be NULL,
 * graco_run_data. */
graco_status loading_dataset(graco_dataset **out, const char *source,
                             const graco_load_options *options, graco_run *run, bool quiet);

/* Whether the data folder has a data set of that name; its path goes to `path`. */
bool loading_find(char path[RUNS_PATH_MAX], const char *name);

/* graco_run_embeddings, with a note where only the embeddings or only the data set have names of nodes, so that
 * rows decide, and one where nothing says what a training was on. `names` and `data` may be NULL. */
graco_status loading_embeddings(const graco_matrix **Z, char *const **names, graco_run *run,
                                int64_t index, const graco_dataset *data);

/* Rows of an option table that fill a graco_load_options, which must start as zeros. */
#define LOADING_OPTIONS(load)                                                                      \
    OPTION_ROW_TEXT("features", 0, "FILE", &(load).features_path,                                  \
                    "table of node features beside an edge list"),                                 \
        OPTION_ROW_TEXT("labels", 0, "FILE", &(load).labels_path,                                  \
                        "table of node labels beside an edge list"),                               \
        OPTION_ROW_TEXT("source", 0, "NAME|N", &(load).source,                                     \
                        "column of an edge list that has the sources"),                            \
        OPTION_ROW_TEXT("target", 0, "NAME|N", &(load).target,                                     \
                        "column of an edge list that has the targets"),                            \
        OPTION_ROW_TEXT("weight", 0, "NAME|N", &(load).weight,                                     \
                        "column of an edge list that has the weights"),                            \
        OPTION_ROW_FLAG("directed", 0, &(load).directed,                                           \
                        "keep the edges of a list as directed; default: both ways"),               \
        OPTION_ROW_FLAG("undirected", 0, &(load).undirected,                                       \
                        "add the reverse of every edge in any format"),                            \
        OPTION_ROW_FLAG("unweighted", 0, &(load).unweighted, "leave out the weights of edges"),    \
        OPTION_ROW_FLAG("count-repeats", 0, &(load).count_repeats,                                 \
                        "weigh each edge of a list by its number of rows"),                        \
        OPTION_ROW_TEXT("header", 0, "yes|no", &(load).header,                                     \
                        "whether tables begin with a header"),                                     \
        OPTION_ROW_TEXT("id-column", 0, "NAME|N|none", &(load).id_column,                          \
                        "column of a table that names nodes"),                                     \
        OPTION_ROW_TEXT("delimiter", 0, "CHAR|tab|comma|space", &(load).delimiter,                 \
                        "what separates the fields of tables")

/* Whether a target is none of the files that a data set is read from, by the options; says so if it is. A run may
 * name others, so loading_keeps_files asks again when the data set is there, and fails. */
bool loading_spares(const char *target, const char *source, const graco_load_options *options);

/* The same of a target that `force` alone lets replace a file: runs_target. */
bool loading_target(const char *target, bool force, const char *source,
                    const graco_load_options *options);
graco_status loading_keeps_files(const char *target, const graco_dataset *data);

#endif
