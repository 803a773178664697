/* Files that ranks compare: whether they are there, a small one whole, a large one in places all over it. Ranks
 * are threads, each with a folder of its own. */
#include "check.h"

#include "comm_threads.h"
#include "data/same_files.h"
#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 3, LARGE = 1 << 20 };

struct job {
    char folder[RANKS][64];
    int skips; /* the rank that does not read b.npy */
    graco_status status[RANKS];
    char message[RANKS][256];
};

static void compare(struct comm *comm, void *data)
{
    struct job *job = data;
    const struct members members = {.folder = job->folder[comm->rank]};
    const struct same_file files[] = {
        {"a.npy", true}, {"none.npy", true}, {"b.npy", comm->rank != job->skips}};
    job->status[comm->rank] = same_files(comm, &members, files, 3);
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

/* Whether all ranks say so of rank `other`, or with -1 that none differs. */
static bool all_say_so(struct job *job, int other, const char *so)
{
    char begins[64];
    snprintf(begins, sizeof begins, "rank %d: %s ", other, so);
    run_ranks(RANKS, compare, job);
    for (int rank = 0; rank < RANKS; rank++) {
        bool fine = job->status[rank] == GRACO_OK;
        if (fine != (other < 0) ||
            (!fine && strncmp(job->message[rank], begins, strlen(begins)) != 0))
            return false;
    }
    return true;
}

static bool all_say(struct job *job, int other)
{
    return all_say_so(job, other, "its a.npy");
}

/* Files that some ranks have: those of rank 1 decide, with rank 0's. */
static void check_missing(struct job *job)
{
    char a[80], b[80];
    write_files(job, 5000, 0, 0, 0);
    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(a, sizeof a, "%s/a.npy", job->folder[rank]);
        snprintf(b, sizeof b, "%s/b.npy", job->folder[rank]);
        CHECK(rename(a, b) == 0);
    }
    CHECK(all_say(job, -1)); /* no rank has a.npy */
    job->skips = 1;
    CHECK(all_say_so(job, 1, "it reads no b.npy, and rank 0 does:"));
    job->skips = 0;
    CHECK(all_say_so(job, 1, "it reads b.npy, and rank 0 does not:"));
    job->skips = -1;
    CHECK(remove(b) == 0); /* the last rank's */
    CHECK(all_say_so(job, RANKS - 1, "it reads no b.npy, and rank 0 does:"));
    for (int rank = 0; rank < RANKS - 1; rank++) {
        snprintf(b, sizeof b, "%s/b.npy", job->folder[rank]);
        CHECK(remove(b) == 0);
    }
}

int main(void)
{
    struct job job = {.skips = -1};
    char root[] = "/tmp/same-files-XXXXXX", path[80];
    CHECK(mkdtemp(root));
    for (int rank = 0; rank < RANKS; rank++) {
        snprintf(job.folder[rank], sizeof job.folder[rank], "%s/%d", root, rank);
        CHECK_OK(file_make_folder(job.folder[rank]));
    }
    check_missing(&job);
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
    for (int64_t count = 17407; count < 200000;
         count = count * 3 + 1) { /* nor is the end left out */
        write_files(&job, count, 0, 0, 0);
        CHECK(all_say(&job, -1));
        for (int64_t at = 1; at <= 4; at++) {
            int64_t part = (count + 511) / 512, from = (count - part) * at / 4;
            write_files(&job, count, 2, from, from + part);
            CHECK(all_say(&job, 2));
        }
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
