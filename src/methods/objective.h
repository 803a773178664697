/* The objective at the end of the tape, as the configuration chooses it. */
#ifndef METHODS_OBJECTIVE_H
#define METHODS_OBJECTIVE_H

#include "tape/tape.h"

struct objective {
    graco_objective kind;
    struct contrast contrast;
    struct moment moment;
    int32_t *sample;           /* (moment.samples) rows, ascending */
    uint8_t *chosen;           /* (2n) */
    double loss;               /* of the last application */
    double mutual_information; /* InfoNCE's estimate; NaN where the objective does not give it */
    int64_t floored;
};

/* For n nodes with d columns. Owns its sample. */
graco_status objective_init(struct objective *o, const graco_config *config, int64_t n, int64_t d);
void objective_clear(struct objective *o);

/* Ends the tape with this objective on the unit rows Z; `step` keys what it draws. */
void objective_apply(struct objective *o, struct tape *tape, struct tensor *Z, uint64_t seed,
                     uint32_t step);

/* The host's part of objective_apply alone: what a recording of the rest needs in every step. */
void objective_draw(struct objective *o, uint64_t seed, uint32_t step);

/* Copies the results out of the kernels' structs, after objective_apply. */
void objective_read(struct objective *o);

/* Draws `count` of `rows` rows without replacement, ascending (Floyd's method). `chosen` has room
 * for `rows` flags. O(rows). */
void objective_sample(int32_t *sample, uint8_t *chosen, int64_t count, int64_t rows,
                      const struct random_key *key);

#endif
