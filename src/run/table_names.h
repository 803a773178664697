/* The names that a model keeps. A method with a vector for each node keeps the names of the nodes that it
 * was trained on: a vector belongs to a name, wherever that stands in another data set. A supervised method
 * keeps the names of its classes: another data set may number them otherwise, or have none. */
#ifndef RUN_TABLE_NAMES_H
#define RUN_TABLE_NAMES_H

#include "methods/method.h"

/* Copies the names of the data set to a model that has a row for each of its nodes. Nodes of several graphs may share a name, so there none are kept. */
graco_status table_names_keep(struct graco_model *model, const struct graco_dataset *data);

/* Copies the names of the classes to a supervised model. GRACO_ERROR_ARGUMENT if it has other ones. */
graco_status class_names_keep(struct graco_model *model, const struct graco_dataset *data);

/* Take names from a checkpoint: as many as there are rows or classes, each ended by a NUL, no two the same. */
graco_status table_names_read(struct graco_model *model, const struct array *bytes);
graco_status class_names_read(struct graco_model *model, const struct array *bytes);

/* The row of each node of `data`, (nodes), which the caller frees; NULL where names do not decide:
 * neither side has some, or only one side has some and they are no row numbers,
 * which made_check refuses. GRACO_ERROR_ARGUMENT if a node was not trained on. */
graco_status table_names_find(int64_t **rows, const struct graco_model *model,
                              const struct graco_dataset *data);

#endif
