/* Ranks in name alone, for plans: a process is each of them in turn, and what it would send is counted. */
#ifndef COMM_COMM_TALLY_H
#define COMM_COMM_TALLY_H

#include "comm/comm.h"

/* Fills *out as rank `rank` of `ranks`, with counts of 0. Messages that are received stay as the
 * caller's memory was. comm_tally_clear frees what comm.c has put into it. */
void comm_tally_init(struct comm *out, int rank, int ranks);
void comm_tally_clear(struct comm *comm);

/* Whether these ranks are in name alone: nobody answers, so what another rank would tell must be found
 * without it. */
bool comm_is_tally(const struct comm *comm);

#endif
