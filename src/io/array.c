/* Types and conversions. Every item is read into the widest type of its family, signed, unsigned or
 * real, and goes from there to the wanted type, if it fits. */
#include "io/array.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int64_t size;
} types[] = {
    [ARRAY_BOOL] = {"bool", 1},   [ARRAY_I8] = {"int8", 1},     [ARRAY_I16] = {"int16", 2},
    [ARRAY_I32] = {"int32", 4},   [ARRAY_I64] = {"int64", 8},   [ARRAY_U8] = {"uint8", 1},
    [ARRAY_U16] = {"uint16", 2},  [ARRAY_U32] = {"uint32", 4},  [ARRAY_U64] = {"uint64", 8},
    [ARRAY_F16] = {"float16", 2}, [ARRAY_F32] = {"float32", 4}, [ARRAY_F64] = {"float64", 8},
    [ARRAY_BYTES] = {"bytes", 0}, [ARRAY_TEXT] = {"str", 0},    [ARRAY_OBJECT] = {"object", 0},
};

const char *array_type_name(enum array_type type)
{
    return types[type].name;
}

graco_status array_describe(struct array *out, enum array_type type, int64_t size, int ndim,
                            const int64_t *shape)
{
    struct array array = {.type = type, .ndim = ndim, .count = 1, .size = types[type].size};
    bool empty = false;
    *out = (struct array){0};
    if (type == ARRAY_BYTES || type == ARRAY_TEXT)
        array.size = size;
    if (ndim < 0 || ndim > ARRAY_DIMENSIONS)
        return status_fail(GRACO_ERROR_FORMAT, "an array has %d dimensions, at most %d are handled",
                           ndim, ARRAY_DIMENSIONS);
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return status_fail(GRACO_ERROR_FORMAT, "dimension %d of an array is %" PRId64, i,
                               shape[i]);
        array.shape[i] = shape[i];
        empty |= shape[i] == 0;
    }
    /* A zero anywhere makes the array empty, however large the other dimensions are. */
    for (int i = 0; i < ndim && !empty; i++) {
        if (shape[i] > INT64_MAX / 16 / array.count)
            return status_fail(GRACO_ERROR_FORMAT,
                               "the shape of an array overflows: %" PRId64 " x %" PRId64
                               " items and more",
                               array.count, shape[i]);
        array.count *= shape[i];
    }
    if (empty)
        array.count = 0;
    if (array.size == 0 && array.count > 0 && type != ARRAY_OBJECT)
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array of %" PRId64 " strings of length 0 holds nothing",
                           array.count);
    if (array.size > 0 && array.count > INT64_MAX / array.size)
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array of %" PRId64 " items of %" PRId64 " bytes is too large",
                           array.count, array.size);
    *out = array;
    return GRACO_OK;
}

graco_status array_create(struct array *out, void *items, enum array_type type, int64_t size,
                          int ndim, const int64_t *shape)
{
    struct array array;
    *out = (struct array){0};
    PASS(array_describe(&array, type, size, ndim, shape));
    PASS(memory_alloc(&array.owned, array.count, (size_t)array.size));
    array.data = array.owned;
    memcpy(items, &array.owned, sizeof array.owned);
    *out = array;
    return GRACO_OK;
}

graco_status array_borrow(struct array *out, enum array_type type, const void *data, int ndim,
                          const int64_t *shape)
{
    PASS(array_describe(out, type, 0, ndim, shape));
    out->data = data;
    return GRACO_OK;
}

void array_clear(struct array *array)
{
    if (!array)
        return;
    memory_free(array->owned);
    *array = (struct array){0};
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* IEEE half precision: 1 sign, 5 exponent, 10 fraction bits. Every value is exact in double. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size;
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(fraction, -24);
    else
        size = ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* One item in the widest type of its family. */
struct number {
    enum { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_REAL } family;
    int64_t i;
    uint64_t u;
    double r;
};

static struct number number_signed(int64_t value)
{
    return (struct number){.family = NUMBER_SIGNED, .i = value};
}

static struct number number_unsigned(uint64_t value)
{
    return (struct number){.family = NUMBER_UNSIGNED, .u = value};
}

static struct number number_real(double value)
{
    return (struct number){.family = NUMBER_REAL, .r = value};
}

static struct number number_at(const struct array *array, int64_t index)
{
    const void *data = array->data;
    switch (array->type) {
    case ARRAY_BOOL:
        return number_unsigned(((const uint8_t *)data)[index] != 0);
    case ARRAY_I8:
        return number_signed(((const int8_t *)data)[index]);
    case ARRAY_I16:
        return number_signed(((const int16_t *)data)[index]);
    case ARRAY_I32:
        return number_signed(((const int32_t *)data)[index]);
    case ARRAY_I64:
        return number_signed(((const int64_t *)data)[index]);
    case ARRAY_U8:
        return number_unsigned(((const uint8_t *)data)[index]);
    case ARRAY_U16:
        return number_unsigned(((const uint16_t *)data)[index]);
    case ARRAY_U32:
        return number_unsigned(((const uint32_t *)data)[index]);
    case ARRAY_U64:
        return number_unsigned(((const uint64_t *)data)[index]);
    case ARRAY_F16:
        return number_real(half_value(((const uint16_t *)data)[index]));
    case ARRAY_F32:
        return number_real((double)((const float *)data)[index]);
    default:
        return number_real(((const double *)data)[index]);
    }
}

static graco_status fail_value(struct number value, int64_t index, const char *wanted)
{
    char text[32];
    if (value.family == NUMBER_SIGNED)
        snprintf(text, sizeof text, "%" PRId64, value.i);
    else if (value.family == NUMBER_UNSIGNED)
        snprintf(text, sizeof text, "%" PRIu64, value.u);
    else
        number_print(text, sizeof text, "%.17g", value.r);
    return status_fail(GRACO_ERROR_FORMAT, "item %" PRId64 " of an array is %s, which is no %s",
                       index, text, wanted);
}

/* The value as an integer if it is one from low to high. The bounds are integers that a double
 * holds exactly, apart from high = 2^63 - 1, which rounds up: hence the strict comparison. */
static bool number_integer(int64_t *out, struct number value, int64_t low, int64_t high)
{
    if (value.family == NUMBER_UNSIGNED) {
        *out = (int64_t)value.u;
        return value.u <= (uint64_t)high;
    }
    if (value.family == NUMBER_REAL) {
        if (!(value.r >= (double)low && value.r < (double)high + 1) || value.r != floor(value.r))
            return false;
        value.i = (int64_t)value.r;
    }
    *out = value.i;
    return value.i >= low && value.i <= high;
}

static graco_status need_numbers(const struct array *array)
{
    if (array->type >= ARRAY_BYTES)
        return status_fail(GRACO_ERROR_FORMAT, "an array holds %s items where numbers are needed",
                           array_type_name(array->type));
    return GRACO_OK;
}

/* The body of an integer conversion: allocate, check each value, store it. */
#define TO_INTEGERS(out, array, low, high, wanted)                                                 \
    graco_status status = need_numbers(array);                                                     \
    *(out) = NULL;                                                                                 \
    if (status == GRACO_OK)                                                                        \
        status = memory_alloc(out, (array)->count, sizeof **(out));                                \
    for (int64_t i = 0; status == GRACO_OK && i < (array)->count; i++) {                           \
        struct number number = number_at(array, i);                                                \
        int64_t value;                                                                             \
        if (number_integer(&value, number, low, high)) {                                           \
            (*(out))[i] = value;                                                                   \
            continue;                                                                              \
        }                                                                                          \
        memory_free(*(out));                                                                       \
        *(out) = NULL;                                                                             \
        status = fail_value(number, (array)->first + i, wanted);                                   \
    }                                                                                              \
    return status

graco_status array_to_i32(int32_t **out, const struct array *array)
{
    TO_INTEGERS(out, array, INT32_MIN, INT32_MAX, "32-bit integer");
}

graco_status array_to_i64(int64_t **out, const struct array *array)
{
    TO_INTEGERS(out, array, INT64_MIN, INT64_MAX, "64-bit integer");
}

graco_status array_to_u8(uint8_t **out, const struct array *array)
{
    TO_INTEGERS(out, array, 0, UINT8_MAX, "integer from 0 to 255");
}

graco_status array_to_f32(float **out, const struct array *array)
{
    float *block = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(need_numbers(array));
    TRY(memory_alloc(&block, array->count, sizeof *block));
    if (array->type == ARRAY_F32) {
        if (array->count > 0)
            memcpy(block, array->data, (size_t)array->count * sizeof *block);
    } else {
        for (int64_t i = 0; i < array->count; i++) {
            struct number value = number_at(array, i);
            double real = value.family == NUMBER_REAL     ? value.r
                          : value.family == NUMBER_SIGNED ? (double)value.i
                                                          : (double)value.u;
            block[i] = (float)real;
            if (isinf(block[i]) && !isinf(real))
                TRY(fail_value(value, array->first + i, "32-bit float"));
        }
    }
    *out = block;
    block = NULL;
done:
    memory_free(block);
    return status;
}

/* The array's own block with its items at the start, if they have this type; NULL otherwise. */
static void *hand_over(struct array *array, enum array_type type)
{
    void *block = array->owned;
    if (array->type != type || !block)
        return NULL;
    if (array->data != block && array->count > 0) /* a header came before them */
        memmove(block, array->data, (size_t)(array->count * array->size));
    array->owned = NULL;
    return block;
}

graco_status array_take_f32(float **out, struct array *array)
{
    graco_status status = GRACO_OK;
    *out = hand_over(array, ARRAY_F32);
    if (!*out)
        status = array_to_f32(out, array);
    array_clear(array);
    return status;
}

graco_status array_take_i32(int32_t **out, struct array *array)
{
    graco_status status = GRACO_OK;
    *out = hand_over(array, ARRAY_I32);
    if (!*out)
        status = array_to_i32(out, array);
    array_clear(array);
    return status;
}
