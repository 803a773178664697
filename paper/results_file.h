/* The file of samples that a reproduction keeps, while it is made: found by key and seed, merged,
 * written again. results.h reads the same file for the report. */
#ifndef PAPER_RESULTS_FILE_H
#define PAPER_RESULTS_FILE_H

#include "graco.h"

/* The samples of a reproduction, as results.json keeps them: one for each training and
 * evaluation, found by key and seed. docs/formats.md has the fields. */
struct results_file;

/* Reads a file of samples; a file that is not there has none. With `hold` no other process may
 * open it so until it is freed: a file `lock` beside it says who has it. GRACO_ERROR_FORMAT if
 * the file is anything else, or was cut. */
graco_status results_file_open(struct results_file **out, const char *path, bool hold);
void results_file_free(struct results_file *results);

int64_t results_file_count(const struct results_file *results);

/* What is known of a sample; its texts belong to the results, until they change. */
struct results_file_sample {
    int64_t seed;
    const char *settings; /* that it was made with, in one word; "" if it does not say */
    const char *source;   /* "data" or "look-alike" */
    bool quick;
};

/* The sample of a key and a seed, or, for the seed -1, the first of the key. False if there is
 * none. O(log samples). `sample` may be NULL. */
bool results_file_find(struct results_file_sample *sample, const struct results_file *results,
                       const char *key, int64_t seed);

/* One of the numbers under "values" of that sample; NaN if there is none. O(length of the
 * sample). */
double results_file_value(const struct results_file *results, const char *key, int64_t seed,
                          const char *name);

/* Adds a sample, a JSON object with a "key" and a "seed", in place of the one that has the same. */
graco_status results_file_add(struct results_file *results, const char *sample);

/* Takes the samples of another file. Of two with the same key and seed the one that is not quick
 * is kept, or the one that is there. *taken, which may be NULL, says how many came. */
graco_status results_file_merge(struct results_file *results, int64_t *taken,
                                const struct results_file *other);

/* Replaces the file: the fields of `about`, a JSON object, then the samples, sorted by key and
 * seed. The field "made" stays what it was where `about` has none. */
graco_status results_file_save(const struct results_file *results, const char *path,
                               const char *about);

#endif
