/* Work: how much of each kind of work kernels do, in units; the rates of a machine turn it into seconds.
 * tally.h counts it, train/calibrate.c measures rates. */
#ifndef COMPUTE_WORK_H
#define COMPUTE_WORK_H

#include "graco_more.h"

/* Each kind once, with its name. `near` work finds its operands in the nearest caches, `middle` work in a large
 * one, `far` work in none. A rate holds for one shape of loop only, so what a loop does once a row or once an entry, whatever its width,
 * is a kind of its own. */
#define WORK_KINDS(KIND)                                                                           \
    KIND(CALL, "call")               /* one kernel, whatever it does */                            \
    KIND(PRODUCT, "product")         /* floating-point operations of a dense product */            \
    KIND(SPARSE_NEAR, "sparse_near") /* terms of a sparse product */                               \
    KIND(SPARSE_MIDDLE, "sparse_middle")                                                           \
    KIND(SPARSE_FAR, "sparse_far")                                                                 \
    KIND(ENTRY_NEAR, "entry_near") /* entries of a sparse product */                               \
    KIND(ENTRY_MIDDLE, "entry_middle")                                                             \
    KIND(ENTRY_FAR, "entry_far")                                                                   \
    KIND(STRIPE_NEAR, "stripe_near") /* entries of a product by stripes, once a stripe */          \
    KIND(STRIPE_MIDDLE, "stripe_middle")                                                           \
    KIND(STRIPE_FAR, "stripe_far")                                                                 \
    KIND(NARROW, "narrow")           /* of them, those of a stripe that is not whole */            \
    KIND(PART, "part")               /* of entries or rows, those that end within a vector */      \
    KIND(STREAM_NEAR, "stream_near") /* bytes read or written in order */                          \
    KIND(STREAM_MIDDLE, "stream_middle")                                                           \
    KIND(STREAM_FAR, "stream_far")                                                                 \
    KIND(ROW, "row")             /* rows that a loop begins */                                     \
    KIND(DRAW, "draw")           /* random numbers, or entries looked at one by one */             \
    KIND(ADAM, "adam")           /* parameters that the optimiser changes */                       \
    KIND(TILE, "tile")           /* operations of products of similarities, forward */             \
    KIND(EXP, "exp")             /* exponentials */                                                \
    KIND(TILE_BACK, "tile_back") /* operations on kept similarities, backward */                   \
    KIND(LOGISTIC, "logistic")   /* log(1 + e^s) with its slope */                                 \
    KIND(MOMENT, "moment")       /* operations of the objective moment */                          \
    KIND(POWER, "power")         /* cosines whose powers it sums */

enum work_kind {
#define KIND(name, word) WORK_##name,
    WORK_KINDS(KIND)
#undef KIND
        WORK_COUNT
};

struct work_units {
    double units[WORK_COUNT];
};

/* Operands of up to WORK_NEAR bytes are near, those of WORK_MIDDLE bytes in the middle, those from WORK_FAR bytes on
 * far. Of those between, a share is each, which changes with the logarithm of the bytes. */
enum { WORK_NEAR = 1 << 20, WORK_MIDDLE = 1 << 23, WORK_FAR = 1 << 26 };

/* Adds units to the kind `near` and to the two after it, by the size of the operands. */
void work_add(struct work_units *work, enum work_kind near, double units, double bytes);

/* Adds `times` the work of another sum. */
void work_add_all(struct work_units *work, const struct work_units *other, double times);

double work_seconds(const struct work_units *work, const graco_rates *rates);

#endif
