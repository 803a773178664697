/* The reconstruction of a graph, and the draws before it. */
#ifndef TESTS_COMPUTE_RECONSTRUCT_CASES_H
#define TESTS_COMPUTE_RECONSTRUCT_CASES_H

#include "operation.h"

/* Z's products against the pattern of the map's first matrix. */
static inline struct tensor *build_reconstruct(struct tape *tape, struct setting *s,
                                               struct tensor *in[])
{
    s->reconstruction = (struct reconstruction){.n = in[0]->rows,
                                                .d = in[0]->cols,
                                                .edges = &s->map.matrix[0],
                                                .transpose = &s->map.transpose[0],
                                                .weight = 7.5,
                                                .scale = 1.0 / (double)in[0]->rows};
    tape_reconstruct(tape, &s->reconstruction, in[0]);
    s->objective = true;
    s->loss = &s->reconstruction.loss;
    return NULL;
}

/* Draws around in[0] with the spread in[1]. What flows back has the divergence's gradient in it,
 * which is no part of the result: only the other back ends are compared. */
static inline struct tensor *build_gaussian(struct tape *tape, struct setting *s,
                                            struct tensor *in[])
{
    s->gaussian = (struct gaussian){.key = {.seed = 3, .stream = RANDOM_NOISE}, .scale = 0.02};
    return tape_gaussian(tape, &s->gaussian, in[0], in[1]);
}

/* The whole of a variational auto-encoder's loss: the divergence is part of the value. */
static inline struct tensor *build_variational(struct tape *tape, struct setting *s,
                                               struct tensor *in[])
{
    in[0] = build_gaussian(tape, s, in);
    return in[0] ? build_reconstruct(tape, s, in) : NULL;
}

static const struct operation ENCODINGS[] = {
    {"reconstruct", build_reconstruct, {{9, 4}}, 0, true},
    {"reconstruct, one node", build_reconstruct, {{1, 3}}, 0, true},
    {"reconstruct, tiles, hubs", build_reconstruct, {{1201, 16}}, 3, false},
    {"reconstruct, odd and wide", build_reconstruct, {{605, 45}}, 0, false},
    {"gaussian", build_gaussian, {{9, 4}, {9, 4}}, 0, false},
    {"gaussian, large", build_gaussian, {{700, 33}, {700, 33}}, 0, false},
    {"variational", build_variational, {{9, 4}, {9, 4}}, 0, true},
    {"variational, large", build_variational, {{700, 16}, {700, 16}}, 0, false},
};

#endif
