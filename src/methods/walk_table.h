/* What DeepWalk and node2vec have in common: a table with a row per node, learnt by skip-gram on walks.
 * The two differ in their settings alone. */
#ifndef METHODS_WALK_TABLE_H
#define METHODS_WALK_TABLE_H

#include "methods/method.h"

void walk_table_declare(struct graco_model *model);
graco_status walk_table_prepare(void **state, const struct graco_model *model,
                                const struct subject *subject);
void walk_table_release(void *state);
int64_t walk_table_steps(const struct graco_model *model, const struct graph *graph);
graco_status walk_table_step(struct pass *pass, void *state);
struct outcome walk_table_outcome(const void *state);
graco_status walk_table_embed(float *Z, struct pass *pass);

#endif
