/* What `graco plan --ranks P` prints: rows, memory and messages of each of P ranks. */
#ifndef CLI_RANK_PLAN_H
#define CLI_RANK_PLAN_H

#include "graco.h"

/* What is planned for, and over which links. */
struct rank_plan {
    int64_t ranks;
    double link;    /* Gbit/s that a rank sends */
    double latency; /* microseconds before a message arrives */
    const char *dataset, *preset;
    int64_t available;  /* bytes that a rank may have */
    int64_t load_bytes; /* the peak of reading the data set, which every rank reads */
    bool json;
};

/* Plans and prints; returns the exit code. */
int rank_plan_print(const struct rank_plan *plan, const graco_dataset *data,
                    const graco_config *config);

#endif
