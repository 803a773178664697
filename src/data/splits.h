/* Which nodes train, choose among what was trained, and test. The evaluation of embeddings and the
 * training of a supervised method ask here, so both see the same split of a number.
 *
 * A drawn split depends on the seed, its number and the set of usable nodes alone, and is the same
 * on every machine. On disk splits are a .npy matrix (splits, nodes) of the codes below, which are
 * also those of a data set's `split`. */
#ifndef DATA_SPLITS_H
#define DATA_SPLITS_H

#include "data/dataset.h"

enum splits_part { SPLITS_TRAIN, SPLITS_VALIDATION, SPLITS_TEST, SPLITS_NONE };

struct splits {
    int64_t count, nodes;
    uint8_t *part; /* (count, nodes) an enum splits_part each; owned */
};

/* Draws splits first .. first + count - 1 of the n nodes with usable[i] != 0, at least 10: floor(n / 10) of them train,
 * with `validation` as many again choose C, the rest tests. */
graco_status splits_draw(struct splits *out, const uint8_t *usable, int64_t nodes, int64_t first,
                         int64_t count, bool validation, uint64_t seed);

/* One split from a data set's `split`, without the unusable nodes. */
graco_status splits_given(struct splits *out, const uint8_t *split, const uint8_t *usable,
                          int64_t nodes);

/* Reads what splits_write wrote, or any .npy of such codes; unusable nodes are left out. */
graco_status splits_read(struct splits *out, const char *path, const uint8_t *usable,
                         int64_t nodes);
graco_status splits_write(const struct splits *splits, const char *path);

/* Splits first .. first + count - 1 of a protocol. */
struct splits_wanted {
    graco_protocol protocol;
    int64_t first, count;
    uint64_t seed;
};

/* usable (nodes): whether a node's label is known. GRACO_ERROR_ARGUMENT if none is. */
graco_status splits_usable(uint8_t **usable, const struct graco_dataset *data);

/* Whether the protocol means the data set's own split and no other: always for `public`, and for
 * `paper` where the data set is inductive or has several graphs, with a split of its own. */
bool splits_own(const struct graco_dataset *data, graco_protocol protocol);

/* The splits of a data set under a protocol: its own one, whatever `count` is, or drawn ones.
 * GRACO_ERROR_ARGUMENT if it has no such split. */
graco_status splits_find(struct splits *out, const struct graco_dataset *data,
                         const uint8_t *usable, const struct splits_wanted *wanted);

void splits_clear(struct splits *splits);

/* The nodes of one part of split `number`, ascending, into out (nodes); returns how many. */
int64_t splits_nodes(int32_t *out, const struct splits *splits, int64_t number,
                     enum splits_part part);

/* Deals n items into `folds` parts whose sizes differ by at most one: fold[i] in 0 .. folds - 1.
 * `work` has n numbers. */
void splits_folds(uint8_t *fold, int32_t *work, int64_t n, int64_t folds, uint64_t seed,
                  int64_t number);

#endif
