/* What a file says of nodes, attribute by attribute, as graph formats of other programs do: numbers that
 * every node has become features, and one attribute the labels.
 *
 * Values come in any order, node after node; attributes are numbered as they first appear. */
#ifndef DATA_ATTRIBUTES_H
#define DATA_ATTRIBUTES_H

#include "data/tables.h"

struct attributes;

graco_status attributes_create(struct attributes **out);
void attributes_free(struct attributes *attributes);

/* `node` has this number under a name of `length` bytes. Nodes must not descend from call to call. */
graco_status attributes_number(struct attributes *attributes, int64_t node, const char *name,
                               int64_t length, double value);

/* There may be numbers under that name; nodes that say nothing have *usual, if it is not NULL. Such a
 * column is taken only if a sixteenth of the nodes say something: otherwise a few bytes would make a
 * column of any length. */
graco_status attributes_declare(struct attributes *attributes, const char *name, int64_t length,
                                const double *usual);

/* A node has something else under that name, which so is no feature. */
graco_status attributes_other(struct attributes *attributes, const char *name, int64_t length);

/* Whether a name is one that labels have: label, class or y. */
bool attributes_is_label(const char *name, int64_t length);

/* The number of a label under one of these names, new or known: for a label that many nodes share, whose
 * text is then read once. Two names in one file have two readings, and are GRACO_ERROR_FORMAT. */
graco_status attributes_label_number(int32_t *out, struct attributes *attributes, const char *name,
                                     const char *text);

/* `node` has the label of this number, in place of the one that it had. */
graco_status attributes_label_node(struct attributes *attributes, int64_t node, int32_t number);

/* Both at once. */
graco_status attributes_label(struct attributes *attributes, int64_t node, const char *name,
                              const char *text);

/* Adds an edge, and its reverse if it goes both ways and is no self-loop; there must be room. */
void attributes_edge(struct table_edges *edges, const int32_t ends[2], float weight, bool both);

/* Forgets the names of nodes if they are 0, 1, 2, ... in this order: then they are numbers. */
void attributes_drop_numbers(struct table_edges *edges);

/* Fills features and labels of `tables`, which the caller clears, for so many nodes, and says in `note`
 * what was taken and what was left out. Labels that are all integers are the classes. */
graco_status attributes_take(struct tables *tables, char note[TABLES_NOTE],
                             struct attributes *attributes, int64_t nodes);

#endif
