/* What test_ranks_mpi.sh starts as several ranks: every operation against a known answer, and ranks that
 * fail, leave, come late or stand still. */
#define _DEFAULT_SOURCE
#include "base/memory.h"
#include "check.h"
#include "comm/comm.h"

#include <signal.h>
#include <unistd.h>

enum { LONGEST = 1000, ROWS = 37, COLS = 3 };
enum {
    LARGE_ROWS = 20000,
    LARGE_COLS = 64
}; /* of a rank: more than is sent before it is asked for */

/* How long the last rank is late: it is ended as soon as the others, who wait for a second, have said so. */
enum { LATE_SECONDS = 100 };

/* A number of its own for each rank and place, the same bits on all ranks. */
static double number(int rank, int64_t i)
{
    return 1 / (double)(3 + 7 * rank + i % 91) - (double)(i % 13) / 17;
}

static void check_sums(struct comm *comm, int64_t n)
{
    float x[LONGEST];
    double y[LONGEST];
    bool floats = true, doubles = true;
    for (int64_t i = 0; i < n; i++) {
        y[i] = number(comm_rank(comm), i);
        x[i] = (float)y[i];
    }
    CHECK_OK(comm_sum_floats(comm, x, n));
    CHECK_OK(comm_sum_doubles(comm, y, n));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, rounded = 0;
        for (int r = 0; r < comm_ranks(comm); r++) {
            sum += number(r, i);
            rounded += (double)(float)number(r, i);
        }
        floats = floats && x[i] == (float)rounded;
        doubles = doubles && y[i] == sum;
    }
    CHECK(floats);
    CHECK(doubles);
}

static void check_shift(struct comm *comm, int distance)
{
    int ranks = comm_ranks(comm), rank = comm_rank(comm),
        from = (rank - distance % ranks + ranks) % ranks;
    int32_t out[2] = {rank, 100 * rank}, in[2] = {rank, 100 * rank}, second = -1;
    CHECK_OK(comm_shift_start(comm, distance, out, sizeof out, in, sizeof in));
    CHECK_OK(comm_shift_start(comm, distance, &out[1], 4, &second, 4)); /* comes behind the first */
    comm_move(comm);
    CHECK_OK(comm_finish(comm));
    CHECK(in[0] == from && in[1] == 100 * from);
    CHECK(!comm || second == 100 * from);
}

static void check_broadcast(struct comm *comm)
{
    int64_t words[5] = {0};
    for (int i = 0; comm_rank(comm) == 0 && i < 5; i++)
        words[i] = 11 * i + 1;
    CHECK_OK(comm_broadcast(comm, words, sizeof words));
    CHECK(words[0] == 1 && words[4] == 45);
    CHECK_OK(comm_barrier(comm, 20));
}

/* Every rank's word, to all and to rank 0. */
static void check_words(struct comm *comm)
{
    int rank = comm_rank(comm);
    for (int r = 0; r < comm_ranks(comm); r++) {
        int64_t word = rank == r ? 7 * r + 1 : -1, piece = rank == r ? 9 * r + 2 : -1;
        CHECK_OK(comm_broadcast_from(comm, r, &word, sizeof word));
        CHECK(word == 7 * r + 1);
        CHECK_OK(comm_collect(comm, r, &piece, sizeof piece));
        CHECK(piece == (rank == r || rank == 0 ? 9 * r + 2 : -1));
    }
}

/* Rank a sends (a + b) % 3 items to rank b, which say so. */
static void check_swap(struct comm *comm)
{
    int ranks = comm_ranks(comm), rank = comm_rank(comm);
    int64_t start[65] = {0}, come_start[65] = {0};
    int32_t out[128], *come = NULL;
    bool right = true;
    if (!comm)
        return;
    for (int r = 0; r < ranks; r++) {
        start[r + 1] = start[r] + (rank + r) % 3;
        for (int64_t i = start[r]; i < start[r + 1]; i++)
            out[i] = (int32_t)(100 * rank + 10 * r + i - start[r]);
    }
    CHECK_OK(comm_swap(&come, come_start, comm, out, start, sizeof *out));
    for (int r = 0; r < ranks; r++) {
        right = right && come_start[r + 1] - come_start[r] == (rank + r) % 3;
        for (int64_t i = come_start[r]; i < come_start[r + 1]; i++)
            right = right && come[i] == 100 * r + 10 * rank + i - come_start[r];
    }
    CHECK(right);
    memory_free(come);
}

static void check_agreement(struct comm *comm)
{
    int last = comm_ranks(comm) - 1;
    bool failed = comm_rank(comm) == last;
    char text[64];
    CHECK_OK(comm_agree(comm, GRACO_OK));
    graco_status status = failed ? status_fail(GRACO_ERROR_FORMAT, "line 7 is odd") : GRACO_OK;
    snprintf(text, sizeof text, last > 0 ? "rank %d: line 7 is odd" : "line 7 is odd", last);
    CHECK_FAILS(comm_agree(comm, status), GRACO_ERROR_FORMAT, text);
    status = status_fail(GRACO_ERROR_ARGUMENT, "lr is no number"); /* on all of them */
    CHECK(comm_agree(comm, status) == GRACO_ERROR_ARGUMENT);
    CHECK(strcmp(graco_message(), "lr is no number") == 0);
}

/* Each rank reads the two rows behind its own, round the end, and row 0. */
static void check_exchange(struct comm *comm, int views)
{
    int ranks = comm_ranks(comm), rank = comm_rank(comm);
    int64_t bounds[65] = {0}, count = 0;
    int32_t wanted[3];
    float X[2 * (ROWS + 3) * COLS];
    struct comm_rows rows = {0};
    bool right = true;
    if (!comm)
        return;
    for (int r = 0; r < ranks; r++)
        bounds[r + 1] = ROWS * (r + 1) / ranks;
    for (int32_t row = 0; row < ROWS; row++) {
        bool own = row >= bounds[rank] && row < bounds[rank + 1];
        bool read =
            row == 0 || row == bounds[rank + 1] % ROWS || row == (bounds[rank + 1] + 1) % ROWS;
        if (read && !own)
            wanted[count++] = row;
    }
    CHECK_OK(comm_rows_init(&rows, comm, bounds, wanted, count));
    CHECK(rows.own == bounds[rank + 1] - bounds[rank] && rows.others == count);
    int64_t all = rows.own + count;
    for (int64_t i = 0; i < views * all * COLS; i++)
        X[i] = -1;
    for (int v = 0; v < views; v++)
        for (int64_t i = 0; i < rows.own * COLS; i++)
            X[v * all * COLS + i] = (float)(1000 * v + bounds[rank] * COLS + i);
    for (int v = 0; v < views; v++)
        CHECK_OK(comm_exchange(comm, &rows, COLS, X + v * all * COLS));
    for (int v = 0; v < views; v++)
        for (int64_t i = 0; i < count * COLS; i++)
            right = right && X[(v * all + rows.own) * COLS + i] ==
                                 (float)(1000 * v + wanted[i / COLS] * COLS + i % COLS);
    CHECK(right);
    comm_rows_clear(&rows);
}

/* Every rank reads all rows of the others. While these are on their way the last rank dies or stands still, or
 * it comes late to send its own, or leaves; the others compute, and then wait. */
static void exchange_with(struct comm *comm, const char *what)
{
    int ranks = comm_ranks(comm), rank = comm_rank(comm);
    int64_t bounds[65] = {0}, others = (ranks - 1) * LARGE_ROWS;
    bool last = rank == ranks - 1, late = strcmp(what, "late") == 0;
    struct comm_rows rows = {0};
    int32_t *wanted = NULL;
    float *X = NULL;
    for (int r = 0; r < ranks; r++)
        bounds[r + 1] = (r + 1) * LARGE_ROWS;
    CHECK_OK(memory_alloc(&wanted, others, sizeof *wanted));
    CHECK_OK(memory_zalloc(&X, ranks * LARGE_ROWS * LARGE_COLS, sizeof *X));
    for (int32_t i = 0; i < others; i++)
        wanted[i] = i < bounds[rank] ? i : i + LARGE_ROWS;
    CHECK_OK(comm_rows_init(&rows, comm, bounds, wanted, others));
    if (last && late)
        sleep(LATE_SECONDS);
    if (last && strcmp(what, "leaves") == 0)
        exit(0);
    CHECK_OK(comm_exchange_start(comm, &rows, LARGE_COLS, X, X + LARGE_ROWS * LARGE_COLS));
    if (last && !late)
        raise(strcmp(what, "dies") == 0 ? SIGKILL : SIGSTOP);
    for (int i = 0; i < 50; i++) {
        usleep(1000);
        comm_move(comm);
    }
    CHECK_FAILS(comm->finish(comm, late ? 1 : 0), GRACO_ERROR_IO, "has not answered for 1 s");
    printf("%s\n", graco_message());
    comm_rows_clear(&rows);
    memory_free(wanted);
    memory_free(X);
}

int main(int argc, char **argv)
{
    struct comm *comm = comm_world();
    const char *what = argc > 1 ? argv[1] : "";
    bool last = comm_rank(comm) == comm_ranks(comm) - 1;
    if (argc > 2) { /* "moving": in the middle of an exchange */
        exchange_with(comm, what);
        return 1; /* ends all ranks */
    }
    if (strcmp(what, "still") == 0 && last)
        raise(SIGSTOP);
    if (strcmp(what, "dies") == 0 && last)
        raise(SIGKILL);
    if (strcmp(what, "leaves") == 0 && last)
        return 0; /* as if all were done */
    if (strcmp(what, "fails") == 0 && last) {
        fprintf(stderr, "rank %d has no memory\n", comm_rank(comm));
        return 1;
    }
    if (strcmp(what, "late") == 0 && last)
        sleep(LATE_SECONDS);
    if (strcmp(what, "late") == 0 && !last) {
        CHECK_FAILS(comm_barrier(comm, 1), GRACO_ERROR_IO, "has not answered for 1 s");
        printf("%s\n", graco_message());
        return 1; /* ends all ranks */
    }
    for (int64_t n = 0; n <= LONGEST; n += n < 9 ? 1 : 199)
        check_sums(comm, n);
    for (int distance = 1; distance < 2 * comm_ranks(comm); distance++)
        check_shift(comm, distance);
    check_broadcast(comm);
    check_words(comm);
    check_swap(comm);
    check_agreement(comm);
    check_exchange(comm, 1);
    check_exchange(comm, 2);
    return check_result();
}
