/* The published data sets that `graco fetch` knows: the links of the paper's table and those of other
 * benchmarks, with what is known about each file. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

#include <stdint.h>

enum { CATALOGUE_SETS = 15 };

struct catalogue_file {
    const char *name;   /* NULL ends a list */
    int64_t size;       /* in bytes; -1: not known */
    int64_t limit;      /* more than this is not accepted */
    const char *sha256; /* of the published file; NULL: not known */
    const char *magic;  /* the bytes that it begins with; NULL: any */
};

struct catalogue_set {
    const char *name;                   /* as `graco train` takes it; also the folder's name */
    const char *source;                 /* folder URL, without a slash at its end */
    const struct catalogue_file *files; /* those that the reader needs, in its layout */
    const char *licence;
    const char *about;
};

/* The set at `index`; NULL past the end. */
const struct catalogue_set *catalogue_at(int index);

/* The set of that name, or NULL. */
const struct catalogue_set *catalogue_find(const char *name);

#endif
