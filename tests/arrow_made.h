/* Arrow streams that tests make of their own arrays, and which count what is released. */
#ifndef TESTS_ARROW_MADE_H
#define TESTS_ARROW_MADE_H

#include "io/arrow/arrow.h"

struct made_stream {
    struct ArrowArrayStream stream; /* first: the callbacks find the rest by it */
    struct ArrowSchema schema;
    struct ArrowArray *chunks;
    int count, next;
    const char *failure; /* what get_next says instead of a chunk past the last; NULL: the end */
    int open;            /* of the stream, the schema and the chunks that were handed over */
};

static int *made_open;

static inline void made_release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
    --*made_open;
}

static inline void made_release_array(struct ArrowArray *array)
{
    array->release = NULL;
    --*made_open;
}

static inline void made_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    --*made_open;
}

static inline int made_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct made_stream *made = (struct made_stream *)stream;
    *out = made->schema;
    out->release = made_release_schema;
    made->open++;
    return 0;
}

static inline int made_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct made_stream *made = (struct made_stream *)stream;
    *out = (struct ArrowArray){0};
    if (made->next == made->count)
        return made->failure ? 5 : 0;
    *out = made->chunks[made->next++];
    out->release = made_release_array;
    made->open++;
    return 0;
}

static inline const char *made_error(struct ArrowArrayStream *stream)
{
    return ((struct made_stream *)stream)->failure;
}

/* Begins a stream of these chunks. */
static inline struct ArrowArrayStream *made_begin(struct made_stream *made)
{
    made->stream = (struct ArrowArrayStream){.get_schema = made_schema,
                                             .get_next = made_next,
                                             .get_last_error = made_error,
                                             .release = made_release};
    made->next = 0;
    made->open = 1;
    made_open = &made->open;
    return &made->stream;
}

#endif
