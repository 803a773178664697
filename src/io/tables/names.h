/* Names to numbers: strings are numbered 0, 1, 2, ... in the order in which they first appear. The
 * time is linear in the bytes also for names that somebody has chosen to make it long. */
#ifndef IO_TABLES_NAMES_H
#define IO_TABLES_NAMES_H

#include "base/status.h"

struct names;

graco_status names_create(struct names **out);
void names_free(struct names *names);

/* The number of a name of `length` bytes (none of them NUL), new or known. Amortised O(length).
 * At most 2^31 - 2 names. */
graco_status names_add(int32_t *out, struct names *names, const char *text, int64_t length);

/* The same for many names in this order, each of whose numbers goes to *number: the memory that a search will
 * touch is asked for ahead of it, which in a large table makes several times as many searches a second. */
struct name_text {
    const char *text;
    int64_t length;
    int32_t *number;
};
graco_status names_add_many(struct names *names, const struct name_text *texts, int64_t count);

/* The number of a name, -1 if unknown. */
int32_t names_find(const struct names *names, const char *text, int64_t length);

int64_t names_count(const struct names *names);

/* The name of a number below the count; borrowed until the next names_add. */
const char *names_text(const struct names *names, int64_t index);

/* All names: (count) pointers into one block behind list[0]; free list[0], then list. The table
 * stays as it is. */
graco_status names_list(char ***out, const struct names *names);

/* SipHash-2-4 of these bytes; for the test against the published values. */
uint64_t names_hash(const uint64_t key[2], const char *text, int64_t length);

#endif
