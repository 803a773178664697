/* Reading a stream to its end. Its chunks stay where the producer has them, until the frame releases them.
 *
 * All that an array says twice is compared here, once: its length with that of its chunk, its buffers with
 * its type, its nulls with their bits. Offsets, indices and views are looked at when values are. */
#include "io/arrow/arrow.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bounds that no producer reaches, so that sums of lengths and offsets fit. */
#define ROWS_MOST ((int64_t)1 << 48)
enum { COLUMNS_MOST = 1 << 20, NAME_SHOWN = 100 };

/* ---- Types ----------------------------------------------------------------------------------- */

static struct arrow_type items(graco_type type, int width)
{
    return (struct arrow_type){.layout = ARROW_ITEMS, .type = type, .width = width, .unit = 1};
}

/* Seconds in a unit of time: s, m, u, n. */
static double unit_of(char letter)
{
    return letter == 's'   ? 1
           : letter == 'm' ? 1e-3
           : letter == 'u' ? 1e-6
           : letter == 'n' ? 1e-9
                           : 0;
}

/* Formats that begin with t: dates, times of day, time stamps, durations. */
static struct arrow_type read_time(const char *format)
{
    bool days = format[1] == 'd', wide = !days && format[1] != 't';
    struct arrow_type type = items(GRACO_INT64, 8);
    type.dated = true;
    type.unit = format[1] ? unit_of(format[2]) : 0;
    if (days && format[2] == 'D')
        type = (struct arrow_type){ARROW_ITEMS, GRACO_INT32, 4, true, 86400};
    else if (!wide && !days && (format[2] == 's' || format[2] == 'm'))
        type = (struct arrow_type){ARROW_ITEMS, GRACO_INT32, 4, true, type.unit};
    bool known = format[1] && strchr("dtsD", format[1]) && type.unit > 0;
    return known ? type : (struct arrow_type){0};
}

/* "d:19,2" has 128 bits, "d:9,2,32" has 32. */
static struct arrow_type read_decimal(const char *format)
{
    struct arrow_type type = {.layout = ARROW_DECIMAL, .width = 16, .unit = 1};
    char *end = NULL;
    long scale = 0, bits = 128;
    strtol(format + 2, &end, 10);
    if (*end == ',')
        scale = strtol(end + 1, &end, 10);
    if (*end == ',')
        bits = strtol(end + 1, &end, 10);
    if (*end || scale < -76 || scale > 76 || (bits != 32 && bits != 64 && bits != 128))
        return (struct arrow_type){0};
    for (long i = 0; i < labs(scale); i++)
        type.unit *= 10;
    type.unit = scale > 0 ? -type.unit : type.unit; /* below 0: to divide by */
    type.width = (int)bits / 8;
    return type;
}

struct arrow_type arrow_type_read(const char *format)
{
    static const struct {
        const char *format;
        struct arrow_type type;
    } known[] = {
        {"n", {.layout = ARROW_NULL}},
        {"b", {.layout = ARROW_BITS}},
        {"c", {ARROW_ITEMS, GRACO_INT8, 1, false, 1}},
        {"C", {ARROW_ITEMS, GRACO_UINT8, 1, false, 1}},
        {"s", {ARROW_ITEMS, GRACO_INT16, 2, false, 1}},
        {"S", {ARROW_ITEMS, GRACO_UINT16, 2, false, 1}},
        {"i", {ARROW_ITEMS, GRACO_INT32, 4, false, 1}},
        {"I", {ARROW_ITEMS, GRACO_UINT32, 4, false, 1}},
        {"l", {ARROW_ITEMS, GRACO_INT64, 8, false, 1}},
        {"L", {ARROW_ITEMS, GRACO_UINT64, 8, false, 1}},
        {"f", {ARROW_ITEMS, GRACO_FLOAT32, 4, false, 1}},
        {"g", {ARROW_ITEMS, GRACO_FLOAT64, 8, false, 1}},
        {"u", {.layout = ARROW_TEXT}},
        {"z", {.layout = ARROW_TEXT}},
        {"U", {.layout = ARROW_LARGE}},
        {"Z", {.layout = ARROW_LARGE}},
        {"vu", {.layout = ARROW_VIEW}},
        {"vz", {.layout = ARROW_VIEW}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(format, known[i].format) == 0)
            return known[i].type;
    if (format[0] == 'd' && format[1] == ':')
        return read_decimal(format);
    return format[0] == 't' ? read_time(format) : (struct arrow_type){0};
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* How many buffers a layout has, at least. */
static int buffers_of(enum arrow_layout layout)
{
    switch (layout) {
    case ARROW_OTHER:
    case ARROW_NULL:
        return 0;
    case ARROW_TEXT:
    case ARROW_LARGE:
    case ARROW_VIEW:
        return 3;
    default:
        return 2;
    }
}

graco_status arrow_check(const struct ArrowArray *array, const struct arrow_type *type)
{
    int wanted = buffers_of(type->layout);
    if (array->length < 0 || array->offset < 0 || array->length > ROWS_MOST ||
        array->offset > ROWS_MOST)
        return status_fail(GRACO_ERROR_FORMAT, "an array of length %" PRId64 " at offset %" PRId64,
                           array->length, array->offset);
    if (type->layout == ARROW_OTHER || type->layout == ARROW_NULL)
        return GRACO_OK;
    if (array->null_count < -1 || array->null_count > array->length)
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array of length %" PRId64 " with %" PRId64 " nulls", array->length,
                           array->null_count);
    bool more = type->layout == ARROW_VIEW && array->n_buffers >= wanted;
    if ((array->n_buffers != wanted && !more) || !array->buffers)
        return status_fail(GRACO_ERROR_FORMAT, "an array has %" PRId64 " buffers: expected %d",
                           array->n_buffers, wanted);
    if (array->length > 0 && !array->buffers[1])
        return status_fail(GRACO_ERROR_FORMAT, "an array of length %" PRId64 " has no items",
                           array->length);
    if (array->null_count > 0 && !array->buffers[0])
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array has %" PRId64 " nulls, but does not say which",
                           array->null_count);
    return GRACO_OK;
}

static const uint8_t *valid_of(const struct ArrowArray *array, enum arrow_layout layout)
{
    bool known = layout != ARROW_OTHER && layout != ARROW_NULL;
    return known && array->null_count != 0 ? array->buffers[0] : NULL;
}

struct arrow_part arrow_part_of(const graco_frame *frame, int64_t chunk, int64_t column)
{
    const struct ArrowArray *whole = &frame->chunks[chunk];
    const struct frame_column *c = &frame->columns[column];
    const struct ArrowArray *array = frame->single ? whole : whole->children[column];
    struct arrow_type type = c->coded ? c->index : c->type;
    return (struct arrow_part){.array = array,
                               .first = array->offset + (frame->single ? 0 : whole->offset),
                               .rows = whole->length,
                               .valid = valid_of(array, type.layout),
                               .type = type};
}

static graco_status check_column(graco_frame *frame, int64_t chunk, int64_t c)
{
    struct frame_column *column = &frame->columns[c];
    const struct ArrowArray *whole = &frame->chunks[chunk];
    if (!frame->single && !whole->children[c])
        return status_fail(GRACO_ERROR_FORMAT, "a chunk has no array");
    struct arrow_part part = arrow_part_of(frame, chunk, c);
    PASS(arrow_check(part.array, &part.type));
    if (!frame->single && part.array->length < whole->offset + whole->length)
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array of length %" PRId64 " in a chunk of %" PRId64
                           " rows from row %" PRId64,
                           part.array->length, whole->length, whole->offset);
    if (column->type.layout == ARROW_NULL)
        column->nulls += part.rows;
    else
        for (int64_t r = 0; part.valid && r < part.rows; r++)
            column->nulls += arrow_is_null(&part, r);
    return GRACO_OK;
}

static graco_status check_chunk(graco_frame *frame, int64_t chunk)
{
    const struct ArrowArray *whole = &frame->chunks[chunk];
    const struct arrow_type table = {.layout = ARROW_OTHER};
    if (!frame->single) {
        PASS(arrow_check(whole, &table));
        if (whole->n_children != frame->width || (frame->width > 0 && !whole->children))
            return status_fail(GRACO_ERROR_FORMAT,
                               "chunk %" PRId64 " has %" PRId64 " columns: expected %" PRId64,
                               chunk, whole->n_children, frame->width);
        if (whole->null_count > 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "chunk %" PRId64 " has %" PRId64 " rows that are null as a whole",
                               chunk, whole->null_count);
    }
    for (int64_t c = 0; c < frame->width; c++) {
        graco_status status = check_column(frame, chunk, c);
        if (status != GRACO_OK)
            return status_context(status, "column `%.*s`", NAME_SHOWN, frame->columns[c].name);
    }
    if (whole->length > ROWS_MOST - frame->rows)
        return status_fail(GRACO_ERROR_FORMAT, "the chunks have more than 2^48 rows");
    frame->rows += whole->length;
    return GRACO_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static graco_status read_column(struct frame_column *out, const struct ArrowSchema *schema)
{
    if (!schema || !schema->format || (schema->dictionary && !schema->dictionary->format))
        return status_fail(GRACO_ERROR_FORMAT, "a column of an Arrow stream has no format");
    *out = (struct frame_column){.name = schema->name ? schema->name : "",
                                 .format = schema->format,
                                 .type = arrow_type_read(schema->format)};
    if (!schema->dictionary)
        return GRACO_OK;
    out->coded = true;
    out->index = out->type;
    out->format = schema->dictionary->format;
    out->type = arrow_type_read(out->format);
    bool whole = out->index.layout == ARROW_ITEMS && !out->index.dated &&
                 out->index.type != GRACO_FLOAT32 && out->index.type != GRACO_FLOAT64;
    if (!whole)
        return status_fail(GRACO_ERROR_FORMAT,
                           "column `%.*s`: indices of the format '%.40s': expected whole numbers",
                           NAME_SHOWN, out->name, schema->format);
    return GRACO_OK;
}

static graco_status read_schema(graco_frame *frame, struct ArrowArrayStream *stream)
{
    const struct ArrowSchema *schema = &frame->schema;
    if (stream->get_schema(stream, &frame->schema) != 0) {
        const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
        frame->schema.release = NULL;
        return status_fail(GRACO_ERROR_FORMAT, "an Arrow stream gives no schema: %.400s",
                           why ? why : "it does not say why");
    }
    if (!schema->format)
        return status_fail(GRACO_ERROR_FORMAT, "the schema of an Arrow stream has no format");
    frame->single = strcmp(schema->format, "+s") != 0;
    frame->width = frame->single ? 1 : schema->n_children;
    if (frame->width < 0 || frame->width > COLUMNS_MOST ||
        (!frame->single && frame->width > 0 && !schema->children))
        return status_fail(GRACO_ERROR_FORMAT,
                           "an Arrow stream has %" PRId64 " columns: expected at most %d",
                           frame->width, COLUMNS_MOST);
    PASS(memory_zalloc(&frame->columns, frame->width, sizeof *frame->columns));
    for (int64_t c = 0; c < frame->width; c++)
        PASS(read_column(&frame->columns[c], frame->single ? schema : schema->children[c]));
    return GRACO_OK;
}

static graco_status read_chunks(graco_frame *frame, struct ArrowArrayStream *stream)
{
    for (;;) {
        struct ArrowArray chunk = {0};
        if (frame->count == frame->room) {
            int64_t room = 2 * frame->room + 8;
            PASS(memory_grow(&frame->chunks, frame->count, room, sizeof *frame->chunks));
            frame->room = room;
        }
        if (stream->get_next(stream, &chunk) != 0) {
            const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
            return status_fail(GRACO_ERROR_FORMAT,
                               "an Arrow stream ends after %" PRId64 " rows: %.400s", frame->rows,
                               why ? why : "it does not say why");
        }
        if (!chunk.release)
            return GRACO_OK;
        frame->chunks[frame->count++] = chunk;
        PASS(check_chunk(frame, frame->count - 1));
    }
}

graco_status graco_frame_read(graco_frame **out, void *stream)
{
    graco_status status = GRACO_OK;
    struct ArrowArrayStream *from = stream;
    graco_frame *frame = NULL;
    if (!from || !from->release)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "an Arrow stream has been read before: it can be read once");
    TRY(memory_zalloc(&frame, 1, sizeof *frame));
    TRY(read_schema(frame, from));
    TRY(read_chunks(frame, from));
    *out = frame;
    frame = NULL;
done:
    graco_frame_free(frame);
    from->release(from);
    return status;
}

void graco_frame_free(graco_frame *frame)
{
    if (!frame)
        return;
    for (int64_t i = 0; i < frame->words_count; i++) {
        names_free(frame->words[i].names);
        memory_free(frame->words[i].list);
    }
    memory_free(frame->words);
    for (int64_t c = 0; frame->columns && c < frame->width; c++)
        memory_free(frame->columns[c].numbers);
    memory_free(frame->columns);
    for (int64_t i = 0; i < frame->count; i++)
        if (frame->chunks[i].release)
            frame->chunks[i].release(&frame->chunks[i]);
    memory_free(frame->chunks);
    if (frame->schema.release)
        frame->schema.release(&frame->schema);
    memory_free(frame);
}
