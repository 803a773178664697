/* What a step of the supervised graph convolution keeps on a stage; its tests read it. */
#ifndef METHODS_GCN_H
#define METHODS_GCN_H

#include "methods/supervised.h"

struct gcn_state {
    struct supervised labels;
    float *first; /* (W1 and b1) on the host, for the cost of a validation */
};

#endif
