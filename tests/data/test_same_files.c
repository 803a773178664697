/* Files that ranks compare: a small one whole, a large one in places all over it. Ranks are threads, each with
 * a folder of its own. */
#include "check.h"

#include "comm_threads.h"
#include "data/same_files.h"
#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 3, LARGE = 1 << 20 };

struct job {
    char folder[RANKS][64];
    graco_status status[RANKS];
    char message[RANKS][256];
};

static void compare(struct comm *comm, void *data)
{
    struct job *job = data;
    const struct members members = {.folder = job->folder[comm->rank]};
    const char *const names[] = {"a.npy"};
    job->status[comm->rank] = same_files(comm, &members, names, 1);
    snprintf(job->message[comm->rank], sizeof job->message[0], "%s", graco_message());
}

/* Items of int32: `count` of them, those from `from` to `to` - 1 of rank `other` are others. */
static void write_files(const struct job *job, int64_t count, int other, int64_t from, int64_t to)
{
    int32_t *items = malloc((size_t)count * sizeof *items);
    struct array array;
    char path[80];
    for (int rank = 0; items && rank < RANKS; rank++) {
        for (int64_t i = 0; i < count; i++)
            items[i] = (int32_t)i * 3 + (rank == other && i >= from && i < to);
        CHECK_OK(array_borrow(&array, ARRAY_I32, items, 1, &count));
        snprintf(path, sizeof path, "%s/a.npy", job->folder[rank]);
        CHECK_OK(npy_write(path, &array));
    }
    free(items);
}

/* Whether all ranks say that rank `other` differs, or with -1 that none does. */
static bool all_say(struct job *job, int other)
{
    char begins[32];
    snprintf(begins, sizeof begins, "rank %d: its a.npy ", other);
    run_ranks(RANKS, compare, job);
    for (int rank = 0; rank < RANKS; rank++) {
        bool fine = job->status[rank] == GRACO_OK;
        if (fine != (other < 0) ||
            (!fine && strncmp(job->message[rank], begins, strlen(begins)) != 0))
            return false;
    }
    return true;
}

int main(void)
{
    struct job job;
    char root[] = "/tmp/same-files-XXXXXX", path[80];
    CHECK(mkdtemp(root));
    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(job.folder[rank], sizeof job.folder[rank], "%s/%d", root, rank);
        CHECK_OK(file_make_folder(job.folder[rank]));
    }
    write_files(&job, 5000, 0, 0, 0);
    CHECK(all_say(&job, -1));
    for (int64_t at = 0; at < 5000; at += 1111) { /* every item of a small file counts */
        write_files(&job, 5000, 2, at, at + 1);
        CHECK(all_say(&job, 2));
    }
    write_files(&job, LARGE, 0, 0, 0);
    CHECK(all_say(&job, -1));
    for (int64_t at = 0; at < LARGE; at += 99991) { /* a 512th of a large one, wherever it begins */
        write_files(&job, LARGE, 1, at, at + LARGE / 512);
        CHECK(all_say(&job, 1));
    }
    write_files(&job, LARGE, 1, LARGE - 1, LARGE); /* a single item may escape, as this one does */
    CHECK(all_say(&job, -1));
    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(path, sizeof path, "%s/a.npy", job.folder[rank]);
        CHECK(remove(path) == 0 && remove(job.folder[rank]) == 0);
    }
    CHECK(remove(root) == 0);
    return check_result();
}
