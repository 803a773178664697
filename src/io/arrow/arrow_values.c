/* Single values of columns, and columns as arrays of numbers and as numbered words.
 *
 * Numbers stay in place where one chunk has them without nulls. Words are numbered by the table of names that
 * text files use (io/tables/names.h), many at a time, and each value of a dictionary once. */
#include "base/memory.h"
#include "io/arrow/arrow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 100, VIEW_INLINE = 12, TEXTS = 1024 };

/* ---- Texts ----------------------------------------------------------------------------------- */

/* A view of a longer text: its length, its first 4 bytes, the number of a buffer and the place there. The last
 * buffer of the array has the lengths of the others. */
static graco_status long_view(const char **text, int64_t length, const struct ArrowArray *array,
                              const int32_t view[4])
{
    int64_t buffers = array->n_buffers - 3, place = view[3], size = 0;
    const char *const lengths = array->buffers[array->n_buffers - 1];
    if (view[2] >= 0 && view[2] < buffers && lengths && array->buffers[2 + view[2]])
        memcpy(&size, lengths + view[2] * (int64_t)sizeof size, sizeof size);
    if (place < 0 || place > size || length > size - place)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a text of %" PRId64 " bytes at %" PRId64 " of buffer %" PRId32
                           ", which has %" PRId64,
                           length, place, view[2], size);
    *text = (const char *)array->buffers[2 + view[2]] + place;
    return GRACO_OK;
}

static graco_status view_text(const char **text, int64_t *length, const struct ArrowArray *array,
                              int64_t place)
{
    const char *const at = (const char *)array->buffers[1] + 16 * place;
    int32_t view[4];
    memcpy(view, at, sizeof view);
    *length = view[0];
    *text = at + 4;
    if (view[0] < 0)
        return status_fail(GRACO_ERROR_FORMAT, "a text of %" PRId32 " bytes", view[0]);
    return view[0] <= VIEW_INLINE ? GRACO_OK : long_view(text, *length, array, view);
}

graco_status arrow_text(const char **text, int64_t *length, const struct arrow_part *part,
                        int64_t row)
{
    const void *const *buffers = part->array->buffers;
    const char *const offsets = buffers[1];
    int64_t place = part->first + row, wide[2] = {0};
    int32_t narrow[2] = {0};
    if (part->type.layout == ARROW_VIEW)
        return view_text(text, length, part->array, place);
    if (part->type.layout == ARROW_TEXT)
        memcpy(narrow, offsets + place * 4, sizeof narrow);
    else
        memcpy(wide, offsets + place * 8, sizeof wide);
    int64_t start = narrow[0] | wide[0], end = narrow[1] | wide[1];
    if (start < 0 || end < start || (end > start && !buffers[2]))
        return status_fail(GRACO_ERROR_FORMAT, "a text from byte %" PRId64 " to %" PRId64, start,
                           end);
    *text = start == end ? "" : (const char *)buffers[2] + start;
    *length = end - start;
    return GRACO_OK;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* An item as its type has it; items may begin at any byte. */
union item {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
};

static union item load_item(const struct arrow_part *part, int64_t row)
{
    union item item = {0};
    const char *const data = part->array->buffers[1];
    memcpy(&item, data + (part->first + row) * part->type.width, (size_t)part->type.width);
    return item;
}

static bool take_whole(int64_t *out, double number)
{
    bool whole = fabs(number) < 0x1p53 && trunc(number) == number;
    *out = whole ? (int64_t)number : 0;
    return whole;
}

bool arrow_whole(int64_t *out, const struct arrow_part *part, int64_t row)
{
    union item item = load_item(part, row);
    *out = 0;
    switch (part->type.type) {
    case GRACO_INT8:
        *out = item.i8;
        return true;
    case GRACO_UINT8:
        *out = item.u8;
        return true;
    case GRACO_INT16:
        *out = item.i16;
        return true;
    case GRACO_UINT16:
        *out = item.u16;
        return true;
    case GRACO_INT32:
        *out = item.i32;
        return true;
    case GRACO_UINT32:
        *out = item.u32;
        return true;
    case GRACO_INT64:
        *out = item.i64;
        return true;
    case GRACO_UINT64:
        *out = (int64_t)(item.u64 & INT64_MAX);
        return item.u64 <= INT64_MAX;
    case GRACO_FLOAT32:
        return take_whole(out, (double)item.f32);
    case GRACO_FLOAT64:
        return take_whole(out, item.f64);
    default:
        return false;
    }
}

/* A whole number of 128 bits, the low ones first; its sign apart, so that nothing cancels. */
static double wide_number(uint64_t low, uint64_t high)
{
    bool below = high >> 63;
    if (below) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    double value = (double)high * 0x1p64 + (double)low;
    return below ? -value : value;
}

static double decimal(const struct arrow_part *part, int64_t row)
{
    const char *const at =
        (const char *)part->array->buffers[1] + (part->first + row) * part->type.width;
    uint64_t words[2] = {0};
    int64_t middle = 0;
    int32_t narrow = 0;
    if (part->type.width == 4)
        memcpy(&narrow, at, sizeof narrow);
    else if (part->type.width == 8)
        memcpy(&middle, at, sizeof middle);
    else
        memcpy(words, at, sizeof words);
    double value =
        part->type.width == 16 ? wide_number(words[0], words[1]) : (double)middle + (double)narrow;
    return part->type.unit < 0 ? value / -part->type.unit : value * part->type.unit;
}

bool arrow_number(double *out, const struct arrow_part *part, int64_t row)
{
    int64_t whole = 0;
    if (part->type.layout == ARROW_BITS)
        *out = arrow_bit(part->array->buffers[1], part->first + row);
    else if (part->type.layout == ARROW_DECIMAL)
        *out = decimal(part, row);
    else if (part->type.type == GRACO_FLOAT32)
        *out = (double)load_item(part, row).f32;
    else if (part->type.type == GRACO_FLOAT64)
        *out = load_item(part, row).f64;
    else if (!arrow_whole(&whole, part, row))
        return false;
    else
        *out = part->type.unit >= 1 ? (double)whole * part->type.unit
                                    : (double)whole / round(1 / part->type.unit);
    /* what a double does not hold to the last digit */
    return part->type.dated || (whole <= INT64_C(1) << 53 && whole >= -(INT64_C(1) << 53));
}

/* ---- Dictionaries ---------------------------------------------------------------------------- */

graco_status arrow_dictionary(struct arrow_part *out, const struct arrow_part *part,
                              const struct frame_column *column)
{
    const struct ArrowArray *values = part->array->dictionary;
    if (!values)
        return status_fail(GRACO_ERROR_FORMAT, "an array has indices, but no dictionary");
    PASS(arrow_check(values, &column->type));
    bool known = column->type.layout > ARROW_NULL;
    *out =
        (struct arrow_part){.array = values,
                            .first = values->offset,
                            .rows = values->length,
                            .valid = known && values->null_count != 0 ? values->buffers[0] : NULL,
                            .type = column->type};
    return GRACO_OK;
}

graco_status arrow_index(int64_t *out, const struct arrow_part *part, int64_t row,
                         const struct arrow_part *values)
{
    if (!arrow_whole(out, part, row) || *out < 0 || *out >= values->rows)
        return status_fail(GRACO_ERROR_FORMAT,
                           "row %" PRId64 " has the value %" PRId64 " of a dictionary of %" PRId64,
                           row, *out, values->rows);
    return GRACO_OK;
}

/* ---- Columns of numbers ---------------------------------------------------------------------- */

/* The items of a column of one chunk without nulls, in place; NULL: they cannot be used so. */
static const void *in_place(const graco_frame *frame, int64_t c)
{
    const struct frame_column *column = &frame->columns[c];
    if (frame->count != 1 || frame->rows == 0 || column->nulls > 0 || column->coded ||
        column->type.dated || column->type.layout != ARROW_ITEMS)
        return NULL;
    struct arrow_part part = arrow_part_of(frame, 0, c);
    const char *const at = (const char *)part.array->buffers[1] + part.first * column->type.width;
    return (uintptr_t)at % (unsigned)column->type.width == 0 ? at : NULL;
}

static graco_status copy_items(graco_frame *frame, int64_t c)
{
    struct frame_column *column = &frame->columns[c];
    int64_t width = column->type.width;
    char *to = NULL;
    PASS(memory_alloc(&column->numbers, frame->rows, (size_t)width));
    to = column->numbers;
    for (int64_t i = 0; i < frame->count; i++) {
        struct arrow_part part = arrow_part_of(frame, i, c);
        if (part.rows > 0)
            memcpy(to, (const char *)part.array->buffers[1] + part.first * width,
                   (size_t)(part.rows * width));
        to += part.rows * width;
    }
    return GRACO_OK;
}

static graco_status copy_part(double *out, const struct arrow_part *part,
                              const struct frame_column *column)
{
    struct arrow_part values = *part;
    if (column->coded)
        PASS(arrow_dictionary(&values, part, column));
    for (int64_t r = 0; r < part->rows; r++) {
        int64_t at = r;
        out[r] = NAN;
        if (column->type.layout == ARROW_NULL || arrow_is_null(part, r))
            continue;
        if (column->coded)
            PASS(arrow_index(&at, part, r, &values));
        if (column->coded && arrow_is_null(&values, at))
            continue;
        if (!arrow_number(&out[r], &values, at))
            return status_fail(
                GRACO_ERROR_FORMAT,
                "row %" PRId64 " of a column with nulls has a whole number above 2^53", r);
    }
    return GRACO_OK;
}

/* As double, NaN for nulls. */
static graco_status copy_doubles(graco_frame *frame, int64_t c)
{
    struct frame_column *column = &frame->columns[c];
    double *to = NULL;
    PASS(memory_alloc(&column->numbers, frame->rows, sizeof *to));
    to = column->numbers;
    for (int64_t i = 0; i < frame->count; i++) {
        struct arrow_part part = arrow_part_of(frame, i, c);
        PASS(copy_part(to, &part, column));
        to += part.rows;
    }
    return GRACO_OK;
}

static bool is_text(const struct arrow_type *type)
{
    return type->layout == ARROW_TEXT || type->layout == ARROW_LARGE || type->layout == ARROW_VIEW;
}

static graco_column_kind kind_of(const struct frame_column *column)
{
    const struct arrow_type *type = &column->type;
    if (type->layout == ARROW_OTHER)
        return GRACO_COLUMN_OTHER;
    if (is_text(type))
        return GRACO_COLUMN_WORDS;
    if (type->layout == ARROW_BITS)
        return GRACO_COLUMN_TRUTHS;
    return type->dated ? GRACO_COLUMN_TIMES : GRACO_COLUMN_NUMBERS;
}

bool graco_frame_column(graco_column *out, const graco_frame *frame, int64_t index)
{
    if (index < 0 || index >= frame->width)
        return false;
    const struct frame_column *column = &frame->columns[index];
    *out = (graco_column){.name = column->name,
                          .kind = kind_of(column),
                          .rows = frame->rows,
                          .nulls = column->nulls,
                          .coded = column->coded,
                          .format = column->format};
    return true;
}

static graco_status check_asked(const graco_frame *frame, int64_t index)
{
    if (index < 0 || index >= frame->width)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "column %" PRId64 ": expected one from 0 to %" PRId64, index,
                           frame->width - 1);
    const struct frame_column *column = &frame->columns[index];
    if (column->type.layout == ARROW_OTHER)
        return status_fail(
            GRACO_ERROR_FORMAT,
            "column `%.*s` is of Arrow's format '%.40s': expected numbers, words, dates "
            "or truth values",
            NAME_SHOWN, column->name, column->format);
    return GRACO_OK;
}

graco_status graco_frame_numbers(graco_array *out, graco_frame *frame, int64_t index)
{
    graco_status status = check_asked(frame, index);
    if (status != GRACO_OK)
        return status;
    struct frame_column *column = &frame->columns[index];
    if (is_text(&column->type))
        return status_fail(GRACO_ERROR_FORMAT, "column `%.*s` has words: expected numbers",
                           NAME_SHOWN, column->name);
    bool plain = column->type.layout == ARROW_ITEMS && column->nulls == 0 && !column->coded &&
                 !column->type.dated;
    const void *data = in_place(frame, index);
    if (!data && !column->numbers) {
        status = plain ? copy_items(frame, index) : copy_doubles(frame, index);
        if (status != GRACO_OK) {
            memory_free(column->numbers);
            column->numbers = NULL;
            return status_context(status, "column `%.*s`", NAME_SHOWN, column->name);
        }
    }
    *out = (graco_array){.data = data ? data : column->numbers,
                         .type = plain ? column->type.type : GRACO_FLOAT64,
                         .dims = 1,
                         .rows = frame->rows};
    return GRACO_OK;
}

/* ---- Numbered words -------------------------------------------------------------------------- */

/* One column on its way through a chunk. */
struct word_column {
    const struct frame_column *column;
    struct arrow_part part, values;
    int32_t *known; /* of a dictionary: the number of each value, -1: not yet */
    int32_t *codes; /* of the rows from here on */
};

static graco_status add_word(int32_t *out, struct names *names, const struct arrow_part *part,
                             int64_t row)
{
    const char *text = NULL;
    char digits[24];
    int64_t length = 0, whole = 0;
    if (is_text(&part->type)) {
        PASS(arrow_text(&text, &length, part, row));
    } else if (part->type.layout == ARROW_ITEMS && arrow_whole(&whole, part, row)) {
        length = snprintf(digits, sizeof digits, "%" PRId64, whole);
        text = digits;
    } else {
        return status_fail(GRACO_ERROR_FORMAT, "a value is no word and no whole number");
    }
    return names_add(out, names, text, length);
}

static graco_status number_row(struct word_column *at, struct names *names, int64_t row)
{
    int64_t value = 0;
    at->codes[row] = -1;
    if (at->column->type.layout == ARROW_NULL || arrow_is_null(&at->part, row))
        return GRACO_OK;
    if (!at->column->coded)
        return add_word(&at->codes[row], names, &at->part, row);
    PASS(arrow_index(&value, &at->part, row, &at->values));
    if (at->known[value] < 0 && !arrow_is_null(&at->values, value))
        PASS(add_word(&at->known[value], names, &at->values, value));
    at->codes[row] = at->known[value];
    return GRACO_OK;
}

static graco_status begin_chunk(struct word_column *at, const graco_frame *frame, int64_t chunk,
                                int64_t column)
{
    at->part = arrow_part_of(frame, chunk, column);
    memory_free(at->known);
    at->known = NULL;
    if (!at->column->coded)
        return GRACO_OK;
    PASS(arrow_dictionary(&at->values, &at->part, at->column));
    PASS(memory_alloc(&at->known, at->values.rows, sizeof *at->known));
    memset(at->known, 0xff, (size_t)at->values.rows * sizeof *at->known);
    return GRACO_OK;
}

static graco_status fail_in(graco_status status, const struct word_column *at)
{
    return status_context(status, "column `%.*s`", NAME_SHOWN, at->column->name);
}

/* Texts alone, many at a time. */
static graco_status number_texts(struct word_column *at, int64_t count, struct names *names)
{
    struct name_text texts[TEXTS];
    int64_t filled = 0;
    for (int64_t r = 0; r < at[0].part.rows; r++)
        for (int64_t c = 0; c < count; c++) {
            struct name_text *to = &texts[filled];
            to->number = &at[c].codes[r];
            *to->number = -1;
            if (arrow_is_null(&at[c].part, r))
                continue;
            graco_status status = arrow_text(&to->text, &to->length, &at[c].part, r);
            if (status != GRACO_OK)
                return fail_in(status, &at[c]);
            if (++filled < TEXTS)
                continue;
            PASS(names_add_many(names, texts, filled));
            filled = 0;
        }
    return names_add_many(names, texts, filled);
}

static graco_status number_chunk(struct word_column *at, int64_t count, struct names *names)
{
    bool texts = true;
    for (int64_t c = 0; c < count; c++)
        texts &= is_text(&at[c].column->type) && !at[c].column->coded;
    if (texts)
        PASS(number_texts(at, count, names));
    for (int64_t r = 0; !texts && r < at[0].part.rows; r++)
        for (int64_t c = 0; c < count; c++) {
            graco_status status = number_row(&at[c], names, r);
            if (status != GRACO_OK)
                return fail_in(status, &at[c]);
        }
    for (int64_t c = 0; c < count; c++)
        at[c].codes += at[c].part.rows;
    return GRACO_OK;
}

/* Keeps the names with the frame, as a list. */
static graco_status keep_words(graco_array *out, graco_frame *frame, struct names *names)
{
    const char **list = NULL;
    int64_t count = names_count(names);
    PASS(memory_grow(&frame->words, frame->words_count, frame->words_count + 1,
                     sizeof *frame->words));
    PASS(memory_alloc(&list, count, sizeof *list));
    for (int64_t i = 0; i < count; i++)
        list[i] = names_text(names, i);
    frame->words[frame->words_count++] = (struct frame_words){.names = names, .list = list};
    *out = (graco_array){.data = list, .type = GRACO_STRING, .dims = 1, .rows = count};
    return GRACO_OK;
}

graco_status graco_frame_words(graco_array *words, int32_t *const *codes, graco_frame *frame,
                               const int64_t *columns, int64_t count)
{
    graco_status status = GRACO_OK;
    struct names *names = NULL;
    struct word_column *at = NULL;
    TRY(memory_zalloc(&at, count, sizeof *at));
    TRY(names_create(&names));
    for (int64_t c = 0; c < count; c++) {
        TRY(check_asked(frame, columns[c]));
        at[c].column = &frame->columns[columns[c]];
        at[c].codes = codes[c];
    }
    for (int64_t i = 0; count > 0 && i < frame->count; i++) {
        for (int64_t c = 0; c < count; c++)
            TRY(begin_chunk(&at[c], frame, i, columns[c]));
        TRY(number_chunk(at, count, names));
    }
    TRY(keep_words(words, frame, names));
    names = NULL;
done:
    for (int64_t c = 0; at && c < count; c++)
        memory_free(at[c].known);
    memory_free(at);
    names_free(names);
    return status;
}
