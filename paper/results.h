/* results.json, which `graco reproduce` keeps: a sample for each training and evaluation.
 * docs/formats.md describes it.
 *
 * A sample belongs to a key, which says what was trained and how it was scored; the samples of a
 * key differ in their seed alone. The file may come from anywhere, so every length and number is
 * checked, and memory is bounded by its bytes. What it has beside samples is ignored. */
#ifndef PAPER_RESULTS_H
#define PAPER_RESULTS_H

#include "base/status.h"

/* Tables in results.c name, write and read all of it. What is not there is NULL, NaN, false, 0 or empty. */
struct sample {
    const char *key, *set, *method;
    const char *settings; /* that it was made with, in one word */
    const char *source;   /* "data" or "look-alike" */
    const char *device, *metric;
    bool quick, seedless;
    char *
        words; /* its own copy of key and settings, where it was added; NULL: they are in the tree */
    int64_t seed, epochs, split_seed;
    double scale, train_seconds, eval_seconds;
    /* its values, found by their names: of the last epoch, and of the theorems */
    double loss, mutual_information, log_n, J_plus_log_n, i_nce, gap;
    double minus_l, step_2, step_3, expansion, remainder, remainder_bound;
    int64_t nodes, edges, self_loops, duplicates, features, classes, graphs; /* of a data set */
    struct list {
        int64_t count;
        double *at;
    } scores, epoch, losses, informations, x, y,
        class_of; /* of the curve as many of each; of the points likewise */
};

/* Who made the file, and with what. */
struct made {
    bool quick;
    const char *device, *machine; /* device NULL: not said */
    int64_t runs, splits;         /* that were asked for */
};

struct results {
    struct made made;
    int64_t count, room;
    struct sample *samples; /* (count) by key, then seed */
    struct json *tree;      /* that was read: its words are there */
    struct results *merged; /* others, whose words are needed */
    struct lock *lock;
};

/* Reads a text or a file; a file that is not there has no samples. What is wrong is GRACO_ERROR_FORMAT with one line
 * that says where. With `hold` no other process may open the file so until it is freed: a file `lock` beside it says who
 * has it. O(length log length). */
graco_status results_parse(struct results **out, const void *bytes, int64_t length);
graco_status results_open(struct results **out, const char *path, bool hold);
graco_status results_save(const struct results *results, const char *path);
void results_free(struct results *results);

/* Takes another file's samples, and that file, over. Of two with the same key and seed the one that is not quick
 * is kept, or the one that is there. *taken says how many came. O(samples of both). */
graco_status results_merge(struct results *results, int64_t *taken, struct results *other);

/* The sample of a key and a seed; NULL: there is none. O(log samples). */
const struct sample *results_find(const struct results *results, const char *key, int64_t seed);

/* How many samples a key has, from *first on. O(log samples). */
int64_t results_range(int64_t *first, const struct results *results, const char *key);

/* One of the values of a sample; NaN if there is none, or none of that name. */
double results_value(const struct sample *sample, const char *name);

/* A sample without anything; results_clear frees one that is not added. */
struct sample results_sample(void);
void results_clear(struct sample *sample);

/* Adds a sample, in place of the one that has the same key and seed. Takes its
 * lists over, also where it fails, and copies its key and settings; its other words must be constants. */
graco_status results_add(struct results *results, struct sample *sample);

#endif
