/* Random numbers: Philox4x32-10, counter-based.
 *
 * A number is a pure function of (seed, stream, view, step, element): it depends neither on threads
 * nor on the order in which numbers are asked for, and a GPU computes the same. One Philox block
 * gives four numbers, so element e is lane e % 4 of block e / 4. Reference: Salmon et al.,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* What a number is used for; part of the counter, so the uses never share numbers. */
enum random_stream {
    RANDOM_WEIGHTS = 1,     /* element: position in the tensor; view: number of the tensor */
    RANDOM_EDGES = 2,       /* element: edge id */
    RANDOM_FEATURES = 3,    /* element: feature column */
    RANDOM_CORRECTION = 4,  /* element: draw */
    RANDOM_ORDER = 5,       /* element: position */
    RANDOM_NEIGHBOURS = 6,  /* element: draw */
    RANDOM_SPLITS = 7,      /* element: position; step: number of the split */
    RANDOM_CONTAMINATE = 8, /* element: feature entry */
    RANDOM_GENERATE = 9,    /* view: which part of the graph */
    RANDOM_PAIRS = 10,      /* element: draw; view 2: pairs of nodes that are compared */
    RANDOM_NOISE = 16,      /* element: position */
    RANDOM_WALKS = 17,      /* element: number of the walk; step: place in it, or pass */
    RANDOM_WINDOWS = 18,    /* element: place of a walk; step: epoch */
    RANDOM_NEGATIVES = 19,  /* element: draw; step: epoch */
    RANDOM_ROWS = 24,       /* element: a word of the permutation's key */
    RANDOM_PARTNER = 25,    /* element: 0; which other graph a step takes */
    RANDOM_SAMPLES = 26,    /* element: draw; view: layer */
    RANDOM_SPECTRAL = 27,   /* element: position */
    RANDOM_CLUSTERS = 28,   /* element: number of the centre; step: of the start */
    RANDOM_TUNE = 29,       /* element: axis of the space; step: number of the trial */
    RANDOM_LINKS = 30,      /* element: position, or draw; view: 0 links, 1 other pairs */
    RANDOM_LAYOUT = 31,     /* element: place, or edge; step: epoch; view: which of both, noise */
    RANDOM_SMOOTH = 32,     /* block: feature column */
    RANDOM_COMPONENTS = 33, /* element: position; views 1, 2: draw of a row */
    RANDOM_SIGNS = 34,      /* block: column of the features, and 128 columns of the result */
    RANDOM_HIDDEN = 35,     /* view 0, 3: word of a key; 1: pair of nodes; 2: draw of a pair */
    RANDOM_RRELU = 64,      /* plus the layer; element: position in the stacked views */
    RANDOM_DROPOUT = 128,   /* plus the layer; element: position, or entry of sparse features */
};

struct random_key {
    uint64_t seed;
    uint32_t stream;
    uint32_t view;
    uint32_t step;
};

/* The four numbers of one block: ten rounds over `counter` with `key`. */
void random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* Block `block` of a key: its elements 4 * block .. 4 * block + 3. */
void random_block(uint32_t out[4], const struct random_key *key, uint64_t block);

/* Blocks first .. first + count - 1 one after the other: out (4 * count). */
void random_blocks(uint32_t *out, const struct random_key *key, uint64_t first, int64_t count);

/* One element: uniform over 32 bits, and over [0, 1) with 24 bits. */
uint32_t random_u32(const struct random_key *key, uint64_t element);
float random_float(const struct random_key *key, uint64_t element);

/* Uniform over [0, n), n < 2^32, with a bias below n / 2^64; a whole block per element, element e
 * block e. */
int64_t random_below(const struct random_key *key, uint64_t element, int64_t n);

/* Normal with mean 0 and variance 1: one element, and elements 4 block .. 4 block + 3. */
double random_normal(const struct random_key *key, uint64_t element);
void random_normals(double out[4], const struct random_key *key, uint64_t block);

/* An event of probability p happens when the element's 32 bits are below this threshold. For p = 1
 * it is 2^32, so that the event always happens. */
uint64_t random_threshold(double p);

/* Shuffles items[0 .. n) (Fisher-Yates), drawing elements 0 .. n - 1 of the key. */
void random_shuffle(int32_t *items, int64_t n, const struct random_key *key);

/* Fills order (n) with 0 .. n - 1, shuffled. */
void random_order(int32_t *order, int64_t n, const struct random_key *key);

#endif
