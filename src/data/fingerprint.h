/* Fingerprints of data sets as text, see graco_dataset_fingerprint: a decimal number and five hashes
 * of 16 hexadecimal digits, NODES-GRAPH-FEATURES-NAMES-SPLIT-LABELS. */
#ifndef DATA_FINGERPRINT_H
#define DATA_FINGERPRINT_H

#include "graco_more.h"

struct graco_dataset;

/* The fingerprint of a data set of which each rank has rows alone, that of the whole. All ranks call it. */
graco_status fingerprint_shard(char text[GRACO_FINGERPRINT], const struct graco_dataset *data);

/* A hash goes on with bytes; NULL: none. It finds mistakes, not forgeries. */
uint64_t fingerprint_bytes(uint64_t hash, const uint8_t *bytes, int64_t count);

/* Whether a text has that form. */
bool fingerprint_valid(const char *text);

/* Whether the nodes of that data set had names. */
bool fingerprint_named(const char *text);

/* Parts that do not concern every training. */
enum { FINGERPRINT_SPLIT = 1, FINGERPRINT_LABELS = 2 };

/* Fills `words` with the parts that differ between two fingerprints of that form; "": none. `counts`
 * says which of the parts above count. */
void fingerprint_compare(char words[GRACO_DIFFERENCES], const char *a, const char *b,
                         unsigned counts);

#endif
