/* A reader for the part of Python's pickle format that published data sets use. It runs nothing.
 *
 * Understood: protocols 0 to 4 without persistent ids and extensions; None, booleans, integers of
 * 64 bits, floats, strings and bytes, tuples, lists, dicts, collections.defaultdict and
 * OrderedDict, numpy arrays, types and scalars, scipy.sparse csr_matrix. Only the globals that make
 * these are known, by name, to the decoder itself; any other name is refused and stands in the
 * message.
 *
 * The result is a read-only tree (a graph where the file shares values; cycles are refused).
 * Memory is linear in the input's length. */
#ifndef IO_PICKLE_PICKLE_H
#define IO_PICKLE_PICKLE_H

#include "base/status.h"
#include "io/array.h"

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT,
    PICKLE_STRING, /* Python 2 str (latin-1), unicode (UTF-8) or bytes */
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,
    PICKLE_ARRAY,
    PICKLE_CSR,
};

struct pickle_value;

/* A compressed sparse matrix; the lengths of its arrays fit, their values are not looked at. */
struct pickle_csr {
    int64_t rows, cols, entries;
    const struct array *start; /* (rows + 1) integers */
    const struct array *index; /* (entries) integers */
    const struct array *value; /* (entries) numbers */
};

struct pickle_value {
    enum pickle_kind kind;
    int64_t count; /* items of a tuple or list, pairs of a dict, bytes of a string, else 0 */
    union {
        int64_t integer;                         /* PICKLE_INT, PICKLE_BOOL */
        double real;                             /* PICKLE_FLOAT */
        const char *bytes;                       /* PICKLE_STRING, a NUL behind the last byte */
        const struct pickle_value *const *items; /* tuple, list; dict: key, value, key, value */
        const struct array *array;               /* PICKLE_ARRAY */
        const struct pickle_csr *csr;            /* PICKLE_CSR */
    };
};

/* A decoded pickle. It owns every value; nothing refers to the input any more. */
struct pickle {
    const struct pickle_value *root;
    int64_t length; /* of the input, in bytes */
    void *storage;
};

graco_status pickle_decode(struct pickle *out, const void *bytes, int64_t length);

/* Reads a file. Messages name the path. */
graco_status pickle_read(struct pickle *out, const char *path);

void pickle_clear(struct pickle *pickle);

/* A short name of the kind, for messages. */
const char *pickle_kind_name(enum pickle_kind kind);

/* The value under a string key of a dict, or NULL. Linear in the size of the dict. */
const struct pickle_value *pickle_get(const struct pickle_value *dict, const char *key);

#endif
