#include "simulation.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS_MAX = 4096, THREADS_MAX = 256, MEETINGS = 20, LOOKS = 100000 };

static const double MEETING_SECONDS = 2; /* a busy machine has both cores for us now and then */

struct timed_loop {
    int row;
    int64_t pieces;
    double *least; /* (pieces) seconds */
};

static struct timed_loop loops[LOOPS_MAX];
static int loop_count, next_loop;

/* The loop whose pieces are being timed. */
struct timing {
    struct timed_loop *loop;
    int64_t size;
    threads_body *body;
    void *job;
};

static void time_piece(void *job, struct threads_piece piece)
{
    const struct timing *t = job;
    double begin = threads_seconds();
    t->body(t->job, piece);
    double seconds = threads_seconds() - begin, *least = &t->loop->least[piece.first / t->size];
    if (seconds < *least)
        *least = seconds;
}

void simulation_restart(void)
{
    next_loop = 0;
}

static struct timed_loop *find_loop(int row, int64_t pieces)
{
    struct timed_loop *loop = &loops[next_loop];
    if (next_loop == loop_count && loop_count < LOOPS_MAX) {
        *loop = (struct timed_loop){row, pieces, malloc((size_t)(pieces + 1) * sizeof(double))};
        for (int64_t i = 0; loop->least && i < pieces; i++)
            loop->least[i] = 1e9;
        loop_count++;
    }
    if (next_loop++ == LOOPS_MAX || !loop->least || loop->row != row || loop->pieces != pieces) {
        fprintf(stderr, "simulation: epochs with different loops, or too many of them\n");
        exit(1);
    }
    return loop;
}

void simulation_run(int row, int64_t count, int64_t size, threads_body *body, void *job)
{
    struct timing timing = {find_loop(row, (count + size - 1) / size), size, body, job};
    for (int64_t first = 0; first < count; first += size) {
        int64_t last = count - first < size ? count : first + size;
        time_piece(&timing, (struct threads_piece){first, last, 0});
    }
}

/* The next piece for a thread: of its own share, then of those after it; -1: none is left. */
static int64_t take_piece(int64_t *next, const int64_t *end, int threads, int thread)
{
    for (int i = 0; i < threads; i++) {
        int share = (thread + i) % threads;
        if (next[share] < end[share])
            return next[share]++;
    }
    return -1;
}

/* Whoever is free first takes the next piece. */
static double makespan(const struct timed_loop *loop, int threads)
{
    int64_t next[THREADS_MAX], end[THREADS_MAX], piece = 0;
    double time[THREADS_MAX] = {0}, latest = 0;
    if (threads > loop->pieces)
        threads = loop->pieces > 0 ? (int)loop->pieces : 1;
    for (int i = 0; i < threads; i++) {
        next[i] = loop->pieces * i / threads;
        end[i] = loop->pieces * (i + 1) / threads;
    }
    for (;;) {
        int first = 0;
        for (int i = 1; i < threads; i++)
            first = time[i] < time[first] ? i : first;
        piece = take_piece(next, end, threads, first);
        if (piece < 0)
            return latest;
        time[first] += loop->least[piece];
        latest = time[first] > latest ? time[first] : latest;
    }
}

double simulation_seconds(int row, int threads, int64_t *meetings)
{
    double seconds = 0;
    *meetings = 0;
    for (int i = 0; i < loop_count; i++)
        if (loops[i].row == row) {
            seconds += makespan(&loops[i], threads);
            *meetings += loops[i].pieces > 1 && threads > 1;
        }
    return seconds;
}

void simulation_print_loops(const char *const *names, int threads)
{
    printf("\n| loop of | pieces | longest piece | 1 | %d | times as fast |\n", threads);
    printf("|---|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < loop_count; i++) {
        const struct timed_loop *loop = &loops[i];
        double longest = 0, one = makespan(loop, 1), many = makespan(loop, threads);
        for (int64_t k = 0; k < loop->pieces; k++)
            longest = loop->least[k] > longest ? loop->least[k] : longest;
        printf("| %s | %lld | %.3f | %.3f | %.3f | %.1f |\n", names[loop->row],
               (long long)loop->pieces, longest * 1e3, one * 1e3, many * 1e3, one / many);
    }
}

/* ---- Meetings -------------------------------------------------------------------------------- */

static void wait_for_other(void *job, struct threads_piece piece)
{
    atomic_int *arrived = job;
    (void)piece;
    atomic_fetch_add(arrived, 1);
    for (int looks = 0; looks < LOOKS && atomic_load(arrived) < 2; looks++)
        continue;
}

double simulation_meeting(void)
{
    double least = 1e9, start = threads_seconds();
    while (threads_seconds() - start < MEETING_SECONDS) {
        double begin = threads_seconds();
        for (int i = 0; i < MEETINGS; i++) {
            atomic_int arrived = 0;
            threads_run(2, 2, 1, wait_for_other, &arrived);
        }
        double seconds = (threads_seconds() - begin) / MEETINGS;
        least = seconds < least ? seconds : least;
    }
    return least;
}
