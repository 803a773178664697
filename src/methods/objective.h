/* GRACE's objective at the end of the tape, as the configuration chooses it. */
#ifndef METHODS_OBJECTIVE_H
#define METHODS_OBJECTIVE_H

#include "methods/method.h"

enum objective_kind {
    OBJECTIVE_EXACT,   /* every node is a negative of every other, both views */
    OBJECTIVE_INFONCE, /* negatives from the other view only */
    OBJECTIVE_MOMENT,  /* linear time: a quadratic surrogate and a sampled correction */
    OBJECTIVE_SAMPLED, /* auto-encoders: edges, and as many pairs that are none */
    OBJECTIVE_AUTO,    /* as the size of the graph says; resolved before a training begins */
};

struct objective {
    enum objective_kind kind;
    struct contrast contrast;
    struct moment moment;
    int32_t *sample; /* (moment.samples) rows, ascending */
    int64_t rows;    /* of both views, over all ranks */
    uint8_t *chosen; /* (rows) */
};

/* For n nodes with d columns, which are those of the shard unless it is NULL. Owns its sample. GRACO_ERROR_ARGUMENT for
 * more nodes of all ranks than moment can draw from. */
graco_status objective_init(struct objective *o, const struct graco_config *config, int64_t n,
                            int64_t d, const struct shard *shard);
void objective_clear(struct objective *o);

/* Ends the tape with this objective on the unit rows Z; `step` keys what it draws. */
void objective_apply(struct objective *o, struct tape *tape, struct tensor *Z, uint64_t seed,
                     uint32_t step);

/* The host's part of objective_apply alone: what a recording of the rest needs in every step. */
void objective_draw(struct objective *o, uint64_t seed, uint32_t step);

/* What the kernels reported, after context_finish. */
struct outcome objective_outcome(const struct objective *o);

/* Draws `count` of `rows` rows without replacement, ascending (Floyd's method). `chosen` has room
 * for `rows` flags. O(rows). */
void objective_sample(int32_t *sample, uint8_t *chosen, int64_t count, int64_t rows,
                      const struct random_key *key);

#endif
