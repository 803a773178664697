/* The caller's arrays as the parts of a data set in graco's own format: each has the name there
 * that its field has in graco_arrays, so that one reader reads files and arrays, with the same
 * checks. */
#ifndef DATA_GIVEN_H
#define DATA_GIVEN_H

#include "data/dataset.h"
#include "data/members.h"

/* Whether there is an array of this name, which may end in ".npy". */
bool given_have(const graco_arrays *arrays, const char *name);

/* Opens an array as member_open does. One with gaps between its rows is copied, others are
 * borrowed. */
graco_status given_open(struct member *member, const graco_arrays *arrays, const char *name);

/* Copies strings into one block, as names_list does; *out stays as it is if there are none.
 * `count` is how many there must be; -1: any, and it becomes how many there are. */
graco_status given_strings(char ***out, int64_t *count, const graco_arrays *arrays,
                           const char *name);

/* The columns of features, if there are any. */
graco_status given_columns(struct columns **out, const graco_arrays *arrays);

/* Fills edges, source and target. `members` are arrays. */
graco_status given_edges(struct dataset_parts *parts, const struct members *members);

#endif
