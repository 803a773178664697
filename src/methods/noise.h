/* Noise for skip-gram: nodes drawn with probability ~ count^0.75. */
#ifndef METHODS_NOISE_H
#define METHODS_NOISE_H

#include "base/status.h"

/* Owns its arrays. */
struct noise {
    int64_t nodes;
    uint32_t *below; /* (nodes) floor(2^32 * probability of the nodes before this one) */
    uint32_t *
        guide; /* (2^(32 - shift)) the last node that begins at or before the slot's first number */
    int shift;
};

/* Some count must be above 0; `nodes` is from 1 to 2^30. */
graco_status noise_init(struct noise *noise, const int64_t *count, int64_t nodes);
void noise_clear(struct noise *noise);

/* The node that a number of 32 random bits stands for: the inverse of the distribution function, exact to
 * 2^-32. Two steps are expected. A node whose count is 0 is not drawn. */
static inline uint32_t noise_node(const struct noise *noise, uint32_t number)
{
    uint32_t node = noise->guide[number >> noise->shift];
    while ((int64_t)node + 1 < noise->nodes && noise->below[node + 1] <= number)
        node++;
    return node;
}

#endif
