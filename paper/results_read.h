/* What the two files that read results.json share. Messages name the key, and the caller adds
 * where it stands. */
#ifndef PAPER_RESULTS_READ_H
#define PAPER_RESULTS_READ_H

#include "results.h"

/* Zeroed memory that belongs to `results`, into *out, a pointer of any type. */
graco_status results_take(void *out, struct results *results, int64_t count, size_t size);

/* An array of at most so many items that must be there. */
graco_status results_list(const struct json **out, const struct json *object, const char *key,
                          int64_t most);

/* A string of at most 1,000 bytes; where it is missing or null `otherwise`, if that is not NULL. */
graco_status results_word(const char **out, const struct json *object, const char *key,
                          const char *otherwise);

/* An array of at most so many such strings. */
graco_status results_words(struct results_words *out, struct results *results,
                           const struct json *object, const char *key, int64_t most);

/* A number; NaN where it is missing or null. */
graco_status results_number(double *out, const struct json *object, const char *key);

/* An array of numbers; `may_miss`: null stands for NaN. `key` is for messages. */
graco_status results_numbers(struct results_numbers *out, struct results *results,
                             const struct json *list, const char *key, bool may_miss);

/* What a value of a key, "scores" or one with a name, comes to; `key` may be NULL. O(log values). */
struct summary results_summary(const struct results_key *key, const char *value);

/* Items, claims and explanations of the file. */
graco_status results_read_items(struct results *results, const struct json *root);

#endif
