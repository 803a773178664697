/* Tables of other libraries, in memory: the structs of the Arrow C data interface
 * (arrow.apache.org/docs/format/CDataInterface.html), and a frame as it is kept here.
 *
 * The interface says how many items an array has, but not how many bytes its buffers have. So everything that
 * is said twice is compared, and every offset, index and view with what it points into; but that a buffer is
 * as long as its array, and the bytes of strings as long as the last offset, only the producer can know. */
#ifndef IO_ARROW_ARROW_H
#define IO_ARROW_ARROW_H

#include "base/status.h"
#include "io/tables/names.h"

#include "graco_command.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* How items lie in their buffers. */
enum arrow_layout {
    ARROW_OTHER, /* nested, or not known here: a column that may be left out */
    ARROW_NULL,
    ARROW_BITS,
    ARROW_ITEMS,   /* of a graco_type */
    ARROW_DECIMAL, /* whole numbers of 4, 8 or 16 bytes, in powers of ten */
    ARROW_TEXT,    /* between offsets of 32 bits */
    ARROW_LARGE,   /* of 64 bits */
    ARROW_VIEW,    /* 16 bytes each: a length and the text, or its beginning and its place */
};

struct arrow_type {
    enum arrow_layout layout;
    graco_type type; /* of ARROW_ITEMS */
    int width;       /* bytes of an item */
    bool dated;
    double unit; /* a number is so many; of a date in seconds */
};

/* The type of a format such as "l" or "tsu:UTC". */
struct arrow_type arrow_type_read(const char *format);

struct frame_column {
    const char *name;        /* the schema's */
    const char *format;      /* of its values, for messages */
    struct arrow_type type;  /* of its values */
    struct arrow_type index; /* of a dictionary's indices */
    bool coded;              /* values are in a dictionary */
    int64_t nulls;
    void *numbers; /* made for graco_frame_numbers, or NULL */
};

/* Names that graco_frame_words has numbered. */
struct frame_words {
    struct names *names;
    const char **list;
};

struct graco_frame {
    struct ArrowSchema schema;
    struct ArrowArray *chunks; /* (count) */
    int64_t count, room;
    int64_t rows;
    struct frame_column *columns; /* (width) */
    int64_t width;
    bool single; /* the stream is of one column without a table around it */
    struct frame_words *words;
    int64_t words_count;
};

/* A column's part of a chunk. */
struct arrow_part {
    const struct ArrowArray *array;
    int64_t first; /* the place of its row 0 in the buffers */
    int64_t rows;
    const uint8_t *valid;   /* a bit per place; NULL: no row is null */
    struct arrow_type type; /* of its values, or of its indices */
};

struct arrow_part arrow_part_of(const graco_frame *frame, int64_t chunk, int64_t column);

static inline bool arrow_bit(const uint8_t *bits, int64_t place)
{
    return bits[place >> 3] >> (place & 7) & 1;
}

static inline bool arrow_is_null(const struct arrow_part *part, int64_t row)
{
    return part->valid && !arrow_bit(part->valid, part->first + row);
}

/* A text in a column of texts: *text has *length bytes. GRACO_ERROR_FORMAT if it lies nowhere. */
graco_status arrow_text(const char **text, int64_t *length, const struct arrow_part *part,
                        int64_t row);

/* A number; false: a whole one that a double does not hold. */
bool arrow_number(double *out, const struct arrow_part *part, int64_t row);

/* A whole number of a column of ARROW_ITEMS; false if it is none. */
bool arrow_whole(int64_t *out, const struct arrow_part *part, int64_t row);

/* The values of a dictionary, checked, as a part from row 0. */
graco_status arrow_dictionary(struct arrow_part *out, const struct arrow_part *part,
                              const struct frame_column *column);

/* The place of a row's value in them. */
graco_status arrow_index(int64_t *out, const struct arrow_part *part, int64_t row,
                         const struct arrow_part *values);

/* Whether an array has the buffers that its type needs. */
graco_status arrow_check(const struct ArrowArray *array, const struct arrow_type *type);

#endif
