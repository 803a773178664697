/* A typed n-dimensional array as files hold it: what every reader of io/ decodes to.
 *
 * Once decoded the items are in native byte order and C order. Readers of data sets convert with
 * array_to_*, which check the range of every value, and never look at the types themselves. */
#ifndef IO_ARRAY_H
#define IO_ARRAY_H

#include "base/status.h"

enum { ARRAY_DIMENSIONS = 8 };

enum array_type {
    ARRAY_BOOL,
    ARRAY_I8,
    ARRAY_I16,
    ARRAY_I32,
    ARRAY_I64,
    ARRAY_U8,
    ARRAY_U16,
    ARRAY_U32,
    ARRAY_U64,
    ARRAY_F16,
    ARRAY_F32,
    ARRAY_F64,
    ARRAY_BYTES,  /* fixed length, filled with NULs; numpy's S */
    ARRAY_TEXT,   /* fixed number of 4-byte code points, filled with NULs; numpy's U */
    ARRAY_OBJECT, /* pickled Python objects: only the shape is known, data is NULL */
};

struct array {
    enum array_type type;
    int ndim; /* 0: one item */
    int64_t shape[ARRAY_DIMENSIONS];
    int64_t count;    /* product of the shape */
    int64_t size;     /* bytes of one item */
    int64_t first;    /* number of the first item, where they are a part of a file's; else 0 */
    const void *data; /* (count) items */
    void *owned;      /* the block behind data if the array owns it, NULL if borrowed */
};

/* A short name such as "int64" or "str". */
const char *array_type_name(enum array_type type);

/* Fills type, shape, count and size of an array without data. `size` counts for the two string
 * types only. Fails with GRACO_ERROR_FORMAT if a dimension is negative, there are more than
 * ARRAY_DIMENSIONS, the bytes overflow 63 bits, or there are items of no bytes at all (which would
 * make the count a claim that no content backs). */
graco_status array_describe(struct array *out, enum array_type type, int64_t size, int ndim,
                            const int64_t *shape);

/* Describes and allocates; the items, returned through *items, are uninitialised. */
graco_status array_create(struct array *out, void *items, enum array_type type, int64_t size,
                          int ndim, const int64_t *shape);

/* Describes an array over a caller's block, which must outlive it. Not for string types. */
graco_status array_borrow(struct array *out, enum array_type type, const void *data, int ndim,
                          const int64_t *shape);

/* An ARRAY_TEXT of shape (count) from UTF-8 strings. The array owns its data. */
graco_status array_from_strings(struct array *out, char *const *strings, int64_t count);

/* Frees what the array owns and zeroes it. Accepts NULL. */
void array_clear(struct array *array);

/* Convert every item into a new block of count items, which the caller owns. A value that does not
 * fit fails with GRACO_ERROR_FORMAT and names its value and its index, counted from array->first.
 * Floats with integral values convert to integers. To float32 every finite number that does not
 * overflow fits, rounded; NaN and infinities pass. String and object arrays are refused. */
graco_status array_to_f32(float **out, const struct array *array);
graco_status array_to_i32(int32_t **out, const struct array *array);
graco_status array_to_i64(int64_t **out, const struct array *array);
graco_status array_to_u8(uint8_t **out, const struct array *array);

/* The same, and the array is empty afterwards in every case. Items of the wanted type that the
 * array owns are handed over rather than copied. */
graco_status array_take_f32(float **out, struct array *array);
graco_status array_take_i32(int32_t **out, struct array *array);

/* One item of a string array as UTF-8 without the filling NULs; the caller owns it. NULs inside end
 * the string early. An invalid code point is GRACO_ERROR_FORMAT. */
graco_status array_string(char **out, const struct array *array, int64_t index);

/* All items of an array of strings, or of integers in decimal: (count) pointers into one block behind strings[0]; free strings[0],
 * then strings. */
graco_status array_to_strings(char ***out, const struct array *array);

#endif
