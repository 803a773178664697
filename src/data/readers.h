/* The readers: one per published format, and the way from a name to a file.
 *
 * A reader gets a path or an open archive and the name that the data set shall have; the caller
 * owns *out, which is untouched on failure. What a file may contain is checked here as far as
 * lengths and types go, and by dataset_create as far as values go. */
#ifndef DATA_READERS_H
#define DATA_READERS_H

#include "data/dataset.h"
#include "data/members.h"
#include "io/array.h"
#include "io/zip/npz.h"

/* The file or folder that `source` means: itself if it exists, else a file or folder of that name,
 * or that name with .npz or .zip, under $GRACO_DATA, else $XDG_DATA_HOME/graco, else
 * ~/.local/share/graco. A source with a slash is a path and nothing else. The caller owns *path.
 * GRACO_ERROR_IO lists where it looked. */
graco_status dataset_find(char **path, const char *source);

/* The last part of a path without extension (.npz, .txt, ...); a folder keeps its dots. What is not
 * UTF-8 becomes '?'. The caller owns *name. */
graco_status dataset_name(char **name, const char *path);

/* Planetoid: ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index} in a folder. Nodes are numbered as by
 * the authors: the rows of allx, then the rows of tx at their places in test.index. Places that
 * test.index leaves out (15 in Citeseer) are isolated nodes without features; they get class 0, as
 * in PyTorch Geometric, because scores are compared with its. Split: the rows of y are for
 * training, the next 500 for validation, test.index for test. Undirected. */
graco_status read_planetoid(struct graco_dataset **out, const char *folder, const char *name);

/* CitationFull: an archive with adj_* and attr_* (data, indices, indptr, shape) and labels.
 * Undirected. Other members, pickled ones among them, are not touched. */
graco_status read_citation(struct graco_dataset **out, struct npz *npz, const char *name);

/* DGL's ppi.zip or its unpacked folder: many graphs, several labels per node. Nodes are numbered in
 * the order train, valid, test, which is also the split; graphs from 0 in the same order. Rows that
 * *_label_mask.npy marks have no known label. Undirected. */
graco_status read_ppi(struct graco_dataset **out, const struct members *members, const char *name);

/* DGL's reddit.zip or its unpacked folder. Undirected. */
graco_status read_reddit(struct graco_dataset **out, const struct members *members,
                         const char *name);

/* Whether any part that is special to the format is there: enough to say what else is missing. */
bool read_ppi_knows(const struct members *members);
bool read_reddit_knows(const struct members *members);

/* graco's own format, see docs/formats.md: an archive, or a folder of .npy (which is mapped). */
graco_status read_native_npz(struct graco_dataset **out, struct npz *npz, const char *name,
                             bool undirected);
graco_status read_native_folder(struct graco_dataset **out, const char *folder, const char *name,
                                bool undirected);

/* An edge list with optional tables of features and labels. Ids are node numbers, or names if any
 * of them is no number; then the tables need an id column. A table may name nodes without edges;
 * every node needs features if there is a table of them; a node without label is unknown. */
graco_status read_edges(struct graco_dataset **out, const char *path, const char *name,
                        const graco_load_options *options);

/* Fills features from the arrays of a compressed sparse matrix, checking their lengths; the entries
 * stay in the order of the file. */
graco_status features_from_csr(struct features *out, int64_t rows, int64_t cols,
                               const struct array *start, const struct array *index,
                               const struct array *value);

/* Puts the entries of every row in ascending order of columns, which published matrices need not
 * have. O(rows + entries log entries), whatever the number of columns, which is only a claim;
 * checks that indices are in range. */
graco_status features_sort(struct features *features);

/* Fails unless an array has this shape; -1 matches every length. `what` names it in the message. */
graco_status array_expect(const struct array *array, const char *what, int ndim, int64_t rows,
                          int64_t cols);

#endif
