/* Shared loops on more threads than the machine has cores, simulated.
 *
 * The loops of an epoch are run by one thread, and every piece is timed by itself; each piece keeps the least of
 * its times over the epochs, so a busy machine hardly shows. simulation_seconds then deals the pieces to any
 * number of threads as base/threads.c does. What it does not know: cores that share a cache and the memory, and
 * operands that another core has written. */
#ifndef BENCH_SIMULATION_H
#define BENCH_SIMULATION_H

#include "base/threads.h"

/* From here on simulation_run counts loops from the first again: every epoch must have the same ones. */
void simulation_restart(void);

/* Calls the body for all pieces, on this thread, and times each. `row` names the loop's kernel. */
void simulation_run(int row, int64_t count, int64_t size, threads_body *body, void *job);

/* What the loops of a row take with so many threads, without what it takes these to meet; `meetings` gets how many
 * loops have pieces for more than one thread. */
double simulation_seconds(int row, int threads, int64_t *meetings);

/* What it takes two threads to begin a loop and to end it together: the least of many series. */
double simulation_meeting(void);

/* Prints each loop: its row's name, pieces, the milliseconds of all, of the longest piece, and with so many threads. */
void simulation_print_loops(const char *const *names, int threads);

#endif
