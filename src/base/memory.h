/* Memory: every allocation of the library goes through these functions.
 *
 * Sizes are checked for overflow, blocks are aligned to 64 bytes. The functions call only
 * aligned_alloc and free, so a test that wraps aligned_alloc at link time can fail the nth
 * allocation of anything. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

enum { MEMORY_ALIGNMENT = 64 };

/* Allocates count * size bytes, uninitialised, into *out, a pointer of any type. A block of zero
 * bytes is valid and not NULL. The caller owns it. On failure *out is NULL. */
graco_status memory_alloc(void *out, int64_t count, size_t size);

/* The same, filled with zeros. */
graco_status memory_zalloc(void *out, int64_t count, size_t size);

/* Grows *block, a pointer of any type, from old_count to new_count items; the content moves along.
 * On failure *block is untouched. */
graco_status memory_grow(void *block, int64_t old_count, int64_t new_count, size_t size);

/* Grows *block, if it must, to hold `count` items, with an eighth to spare: for memory that is used
 * again for about as much. *room is how many it can hold; the first `kept` stay. */
graco_status memory_reserve(void *block, int64_t *room, int64_t kept, int64_t count, size_t size);

/* Copies a string; the caller owns it. */
graco_status memory_string(char **out, const char *text);

/* Joins two parts of a path with one slash; the caller owns it. */
graco_status memory_path(char **out, const char *folder, const char *name);

/* What the system can give this process, in bytes: free or reclaimable memory and swap, within the
 * limits of the control group and of the process. INT64_MAX where that cannot be asked. */
int64_t memory_available(void);

/* The memory of this process that is resident now, in bytes; 0 where that cannot be asked. */
int64_t memory_resident(void);

/* GRACO_ERROR_MEMORY if `what`, which takes about `bytes`, needs more than memory_available. Without
 * this check a system that promises more than it has would grant the memory and kill the process
 * when it is used. */
graco_status memory_expect(double bytes, const char *what);

/* Frees what the functions above gave; accepts NULL. */
void memory_free(void *block);

#endif
