/* Fingerprints of data sets as text, see graco_dataset_fingerprint: NODES-GRAPH-FEATURES-NAMES-SPLIT,
 * a decimal number and four hashes of 16 hexadecimal digits. */
#ifndef DATA_FINGERPRINT_H
#define DATA_FINGERPRINT_H

#include "graco.h"

/* Whether a text has that form. */
bool fingerprint_valid(const char *text);

/* Fills `words` with the parts that differ between two fingerprints of that form; "": none. Splits
 * count only where `split` says so. */
void fingerprint_compare(char words[GRACO_DIFFERENCES], const char *a, const char *b, bool split);

#endif
