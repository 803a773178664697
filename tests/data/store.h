/* Named streams of bytes, written one after the other: the files of a folder, or the members of a
 * zip archive that is not compressed, also of one inside another.
 *
 *     store_create(&store, "reddit.zip");
 *     store_begin(store, "reddit_data.npz");
 *     store_create_within(&inner, store);       an archive inside
 *     store_array(inner, "label", &array);
 *     store_commit(inner);
 *     store_end(store);
 *     store_commit(store);
 *     store_free(inner); store_free(store);     without the commit nothing is left behind
 */
#ifndef DATA_STORE_H
#define DATA_STORE_H

#include "base/status.h"
#include "io/array.h"

struct store;

/* A zip archive if the path ends in .zip or .npz, else a folder, which must not exist or be empty.
 * Neither is seen under its name before the commit. */
graco_status store_create(struct store **out, const char *path);

/* An archive that becomes the member that `outer` has begun; outer must outlive it. */
graco_status store_create_within(struct store **out, struct store *outer);

/* One member: begin, write as often as needed, end. The same content gives the same bytes. */
graco_status store_begin(struct store *store, const char *name);
graco_status store_write(struct store *store, const void *bytes, int64_t length);
graco_status store_end(struct store *store);

/* A member NAME.npy with these items; or its header only, for items that follow through store_write
 * and store_end. */
graco_status store_array(struct store *store, const char *name, const struct array *array);
graco_status store_array_begin(struct store *store, const char *name,
                               const struct array *described);

graco_status store_commit(struct store *store);
void store_free(struct store *store);

#endif
