/* The objects that a pickle may hold beside plain values: numpy's arrays, types and scalars,
 * scipy's csr_matrix, and two kinds of dict. Each name that Python would call for them stands for
 * one of the cases below, written in C; no other name is accepted. */
#include "io/pickle/pickle_machine.h"

#include "base/memory.h"
#include "io/npy.h"

#include <inttypes.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------- */

static const struct {
    const char *module, *name;
    enum pickle_global global;
} known[] = {
    {"numpy.core.multiarray", "_reconstruct", PICKLE_GLOBAL_RECONSTRUCT},
    {"numpy._core.multiarray", "_reconstruct", PICKLE_GLOBAL_RECONSTRUCT},
    {"numpy.core.multiarray", "scalar", PICKLE_GLOBAL_SCALAR},
    {"numpy._core.multiarray", "scalar", PICKLE_GLOBAL_SCALAR},
    {"numpy", "ndarray", PICKLE_GLOBAL_NDARRAY},
    {"numpy", "dtype", PICKLE_GLOBAL_DTYPE},
    {"scipy.sparse.csr", "csr_matrix", PICKLE_GLOBAL_CSR},
    {"scipy.sparse._csr", "csr_matrix", PICKLE_GLOBAL_CSR},
    {"scipy.sparse._csr", "csr_array", PICKLE_GLOBAL_CSR},
    {"collections", "defaultdict", PICKLE_GLOBAL_DEFAULTDICT},
    {"collections", "OrderedDict", PICKLE_GLOBAL_ORDEREDDICT},
    {"copy_reg", "_reconstructor", PICKLE_GLOBAL_RECONSTRUCTOR},
    {"copyreg", "_reconstructor", PICKLE_GLOBAL_RECONSTRUCTOR},
    {"_codecs", "encode", PICKLE_GLOBAL_ENCODE},
    {"__builtin__", "list", PICKLE_GLOBAL_LIST},
    {"builtins", "list", PICKLE_GLOBAL_LIST},
    {"__builtin__", "int", PICKLE_GLOBAL_INT},
    {"builtins", "int", PICKLE_GLOBAL_INT},
    {"__builtin__", "object", PICKLE_GLOBAL_OBJECT},
    {"builtins", "object", PICKLE_GLOBAL_OBJECT},
};

static bool same_text(const char *text, const char *bytes, int64_t length)
{
    return strlen(text) == (size_t)length && memcmp(text, bytes, (size_t)length) == 0;
}

graco_status pickle_find_global(struct pickle_node **out, struct pickle_machine *machine,
                                const char *module, int64_t module_length, const char *name,
                                int64_t name_length)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!same_text(known[i].module, module, module_length) ||
            !same_text(known[i].name, name, name_length))
            continue;
        PASS(pickle_node_new(out, machine, PICKLE_NONE));
        (*out)->what = PICKLE_WHAT_GLOBAL;
        (*out)->global = known[i].global;
        return GRACO_OK;
    }
    return status_fail(GRACO_ERROR_FORMAT,
                       "the pickle asks for %.*s.%.*s, which is refused: only plain values, numpy "
                       "arrays and csr matrices are read",
                       (int)(module_length < 80 ? module_length : 80), module,
                       (int)(name_length < 80 ? name_length : 80), name);
}

/* ---- Looking at values ----------------------------------------------------------------------- */

static bool is_value(const struct pickle_node *node, enum pickle_kind kind)
{
    return node->what == PICKLE_WHAT_VALUE && node->value.kind == kind;
}

static bool is_global(const struct pickle_node *node, enum pickle_global global)
{
    return node->what == PICKLE_WHAT_GLOBAL && node->global == global;
}

static graco_status fail_state(const char *what)
{
    return status_fail(GRACO_ERROR_FORMAT, "the pickle describes %s in an unknown way", what);
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* numpy.dtype('f4', False, True) */
static graco_status call_dtype(struct pickle_node **out, struct pickle_machine *machine,
                               const struct pickle_node *arguments)
{
    struct pickle_dtype *dtype;
    if (arguments->value.count < 1 || !is_value(pickle_item(arguments, 0), PICKLE_STRING))
        return fail_state("a numpy type");
    const struct pickle_value *text = &pickle_item(arguments, 0)->value;
    PASS(pickle_charge(machine, text->count)); /* each type that shares it reads again */
    PASS(pickle_take(&dtype, machine, sizeof *dtype));
    PASS(npy_type(&dtype->type, &dtype->size, &dtype->swap, text->bytes, text->count));
    PASS(pickle_node_new(out, machine, PICKLE_NONE));
    (*out)->what = PICKLE_WHAT_DTYPE;
    (*out)->dtype = dtype;
    return GRACO_OK;
}

/* (3, '<', None, None, None, -1, -1, 0): version, byte order, subtype, names, fields, ... */
static graco_status build_dtype(struct pickle_node *object, const struct pickle_node *state)
{
    enum array_type type = ARRAY_I32;
    int64_t size = 0;
    bool swap = false;
    if (!is_value(state, PICKLE_TUPLE) || state->value.count < 5 ||
        !is_value(pickle_item(state, 1), PICKLE_STRING))
        return fail_state("a numpy type");
    for (int i = 2; i < 5; i++)
        if (!is_value(pickle_item(state, i), PICKLE_NONE))
            return status_fail(GRACO_ERROR_FORMAT, "a structured numpy type is not handled");
    const struct pickle_value *order = &pickle_item(state, 1)->value;
    if (order->count != 1 || !memchr("<>|=", order->bytes[0], 4))
        return fail_state("a numpy byte order");
    const char text[3] = {order->bytes[0], 'i', '4'};
    PASS(npy_type(&type, &size, &swap, text, 3));
    object->dtype->swap = swap && object->dtype->type != ARRAY_BYTES;
    return GRACO_OK;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), 'b') */
static graco_status call_reconstruct(struct pickle_node **out, struct pickle_machine *machine,
                                     const struct pickle_node *arguments)
{
    if (arguments->value.count < 1 || !is_global(pickle_item(arguments, 0), PICKLE_GLOBAL_NDARRAY))
        return fail_state("a numpy array");
    PASS(pickle_node_new(out, machine, PICKLE_ARRAY));
    (*out)->what = PICKLE_WHAT_ARRAY;
    return GRACO_OK;
}

static graco_status shape_of(int64_t shape[ARRAY_DIMENSIONS], int *ndim,
                             const struct pickle_node *tuple)
{
    if (!is_value(tuple, PICKLE_TUPLE) || tuple->value.count > ARRAY_DIMENSIONS)
        return fail_state("the shape of an array");
    *ndim = (int)tuple->value.count;
    for (int i = 0; i < *ndim; i++) {
        if (!is_value(pickle_item(tuple, i), PICKLE_INT))
            return fail_state("the shape of an array");
        shape[i] = pickle_item(tuple, i)->value.integer;
    }
    return GRACO_OK;
}

/* An array in the storage from raw bytes, which must be exactly as many as type and shape need. */
static graco_status make_array(const struct array **out, struct pickle_machine *machine,
                               const struct array *described, const struct pickle_node *raw,
                               const struct pickle_dtype *dtype, bool fortran)
{
    struct pickle_arrays *holder;
    int64_t bytes = described->count * described->size;
    if (raw->value.count != bytes)
        return status_fail(
            GRACO_ERROR_FORMAT,
            "an array of %" PRId64 " %s items has %" PRId64 " bytes, %" PRId64 " expected",
            described->count, array_type_name(described->type), raw->value.count, bytes);
    PASS(pickle_charge(machine, bytes));
    PASS(pickle_take(&holder, machine, sizeof *holder));
    PASS(npy_items(&holder->array, described, raw->value.bytes, dtype->swap, fortran));
    holder->next = machine->storage->arrays;
    machine->storage->arrays = holder;
    *out = &holder->array;
    return GRACO_OK;
}

/* (1, shape, dtype, is_fortran, raw bytes); old files leave the version out */
static graco_status build_array(struct pickle_machine *machine, struct pickle_node *object,
                                const struct pickle_node *state)
{
    int64_t shape[ARRAY_DIMENSIONS];
    int ndim = 0;
    struct array described;
    if (!is_value(state, PICKLE_TUPLE) || (state->value.count != 4 && state->value.count != 5))
        return fail_state("a numpy array");
    int64_t from = state->value.count - 4;
    const struct pickle_node *dtype = pickle_item(state, from + 1);
    const struct pickle_node *fortran = pickle_item(state, from + 2);
    const struct pickle_node *raw = pickle_item(state, from + 3);
    if (dtype->what != PICKLE_WHAT_DTYPE ||
        (!is_value(fortran, PICKLE_BOOL) && !is_value(fortran, PICKLE_INT)))
        return fail_state("a numpy array");
    if (dtype->dtype->type == ARRAY_OBJECT || !is_value(raw, PICKLE_STRING))
        return status_fail(GRACO_ERROR_FORMAT, "a numpy array of objects is not handled");
    PASS(shape_of(shape, &ndim, pickle_item(state, from)));
    PASS(array_describe(&described, dtype->dtype->type, dtype->dtype->size, ndim, shape));
    PASS(make_array(&object->value.array, machine, &described, raw, dtype->dtype,
                    fortran->value.integer != 0));
    object->what = PICKLE_WHAT_VALUE;
    return GRACO_OK;
}

/* numpy.core.multiarray.scalar(dtype, raw bytes): becomes a plain integer or float */
static graco_status call_scalar(struct pickle_node **out, struct pickle_machine *machine,
                                const struct pickle_node *arguments)
{
    struct array described;
    const struct array *array = NULL;
    int64_t *integers = NULL;
    float *reals = NULL;
    graco_status status = GRACO_OK;
    if (arguments->value.count != 2 || pickle_item(arguments, 0)->what != PICKLE_WHAT_DTYPE ||
        !is_value(pickle_item(arguments, 1), PICKLE_STRING))
        return fail_state("a numpy number");
    const struct pickle_dtype *dtype = pickle_item(arguments, 0)->dtype;
    if (dtype->type >= ARRAY_BYTES)
        return fail_state("a numpy number");
    TRY(array_describe(&described, dtype->type, 0, 0, NULL));
    TRY(make_array(&array, machine, &described, pickle_item(arguments, 1), dtype, false));
    if (dtype->type < ARRAY_F16) {
        TRY(array_to_i64(&integers, array));
        TRY(pickle_node_new(out, machine, dtype->type == ARRAY_BOOL ? PICKLE_BOOL : PICKLE_INT));
        (*out)->value.integer = integers[0];
    } else {
        TRY(pickle_node_new(out, machine, PICKLE_FLOAT));
        if (dtype->type == ARRAY_F64) {
            memcpy(&(*out)->value.real, array->data, sizeof(double));
        } else {
            TRY(array_to_f32(&reals, array));
            (*out)->value.real = (double)reals[0];
        }
    }
done:
    memory_free(integers);
    memory_free(reals);
    return status;
}

/* ---- csr_matrix ------------------------------------------------------------------------------ */

static graco_status new_csr(struct pickle_node **out, struct pickle_machine *machine)
{
    PASS(pickle_node_new(out, machine, PICKLE_CSR));
    (*out)->what = PICKLE_WHAT_CSR;
    return GRACO_OK;
}

/* An entry of the state dict, NULL if it is missing. */
static const struct pickle_node *state_field(const struct pickle_node *state, const char *key)
{
    return (const struct pickle_node *)pickle_get(&state->value, key);
}

static graco_status csr_part(const struct array **out, const struct pickle_node *state,
                             const char *key)
{
    const struct pickle_node *part = state_field(state, key);
    if (!part || !is_value(part, PICKLE_ARRAY) || part->value.array->ndim != 1)
        return status_fail(GRACO_ERROR_FORMAT, "the csr matrix of a pickle has no vector %s", key);
    *out = part->value.array;
    return GRACO_OK;
}

/* Lengths and types alone: who uses the matrix checks what it holds. */
static graco_status check_csr(const struct pickle_csr *csr)
{
    if (csr->rows < 0 || csr->cols < 0 || csr->start->count - 1 != csr->rows ||
        csr->index->count != csr->entries || csr->start->type >= ARRAY_BYTES ||
        csr->index->type >= ARRAY_BYTES || csr->value->type >= ARRAY_BYTES)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a csr matrix of %" PRId64 " x %" PRId64 " has %" PRId64
                           " row pointers of type %s, %" PRId64 " columns of type %s and %" PRId64
                           " values of type %s",
                           csr->rows, csr->cols, csr->start->count,
                           array_type_name(csr->start->type), csr->index->count,
                           array_type_name(csr->index->type), csr->entries,
                           array_type_name(csr->value->type));
    return GRACO_OK;
}

/* {'_shape': (rows, cols), 'indptr': ..., 'indices': ..., 'data': ..., and what does not matter} */
static graco_status build_csr(struct pickle_machine *machine, struct pickle_node *object,
                              const struct pickle_node *state)
{
    struct pickle_csr *csr;
    int64_t shape[ARRAY_DIMENSIONS];
    int ndim = 0;
    if (!is_value(state, PICKLE_DICT))
        return fail_state("a csr matrix");
    PASS(pickle_charge(machine, state->value.count)); /* each matrix that shares it looks again */
    const struct pickle_node *size = state_field(state, "_shape");
    if (!size)
        size = state_field(state, "shape");
    if (!size)
        return fail_state("a csr matrix");
    PASS(shape_of(shape, &ndim, size));
    if (ndim != 2)
        return fail_state("a csr matrix");
    PASS(pickle_take(&csr, machine, sizeof *csr));
    csr->rows = shape[0];
    csr->cols = shape[1];
    PASS(csr_part(&csr->start, state, "indptr"));
    PASS(csr_part(&csr->index, state, "indices"));
    PASS(csr_part(&csr->value, state, "data"));
    csr->entries = csr->value->count;
    PASS(check_csr(csr));
    object->value.csr = csr;
    object->what = PICKLE_WHAT_VALUE;
    return GRACO_OK;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* _codecs.encode(text, 'latin1'): how Python 3 writes bytes in old protocols. The text is UTF-8 in
 * the pickle; every character must be below 256. */
static graco_status call_encode(struct pickle_node **out, struct pickle_machine *machine,
                                const struct pickle_node *arguments)
{
    uint8_t *bytes = NULL;
    int64_t used = 0;
    graco_status status = GRACO_OK;
    if (arguments->value.count != 2 || !is_value(pickle_item(arguments, 0), PICKLE_STRING) ||
        !is_value(pickle_item(arguments, 1), PICKLE_STRING))
        return fail_state("bytes");
    const struct pickle_value *text = &pickle_item(arguments, 0)->value;
    const struct pickle_value *code = &pickle_item(arguments, 1)->value;
    if (!same_text("latin1", code->bytes, code->count) &&
        !same_text("latin-1", code->bytes, code->count))
        return fail_state("bytes");
    TRY(pickle_charge(machine, text->count));
    TRY(memory_alloc(&bytes, text->count, 1));
    for (int64_t i = 0; i < text->count; i++) {
        uint8_t first = (uint8_t)text->bytes[i];
        uint8_t second = i + 1 < text->count ? (uint8_t)text->bytes[i + 1] : 0;
        if (first < 0x80) {
            bytes[used++] = first;
        } else if ((first == 0xc2 || first == 0xc3) && second >> 6 == 2) {
            bytes[used++] = (uint8_t)(first << 6 | (second & 63));
            i++;
        } else {
            FAIL(GRACO_ERROR_FORMAT, "a latin-1 string of a pickle holds other characters");
        }
    }
    TRY(pickle_node_string(out, machine, bytes, used));
done:
    memory_free(bytes);
    return status;
}

/* ---- Calls and states ------------------------------------------------------------------------ */

graco_status pickle_call(struct pickle_node **out, struct pickle_machine *machine,
                         const struct pickle_node *global, const struct pickle_node *arguments)
{
    int64_t count = arguments->value.count;
    switch (global->global) {
    case PICKLE_GLOBAL_RECONSTRUCT:
        return call_reconstruct(out, machine, arguments);
    case PICKLE_GLOBAL_SCALAR:
        return call_scalar(out, machine, arguments);
    case PICKLE_GLOBAL_DTYPE:
        return call_dtype(out, machine, arguments);
    case PICKLE_GLOBAL_ENCODE:
        return call_encode(out, machine, arguments);
    case PICKLE_GLOBAL_CSR: /* csr_matrix.__new__(csr_matrix) */
        return count == 0 ? new_csr(out, machine) : fail_state("a csr matrix");
    case PICKLE_GLOBAL_RECONSTRUCTOR: /* (csr_matrix, object, None) */
        if (count < 1 || !is_global(pickle_item(arguments, 0), PICKLE_GLOBAL_CSR))
            return fail_state("an object");
        return new_csr(out, machine);
    case PICKLE_GLOBAL_DEFAULTDICT: /* defaultdict(list); its entries follow */
        if (count > 1 || (count == 1 && !is_global(pickle_item(arguments, 0), PICKLE_GLOBAL_LIST) &&
                          !is_global(pickle_item(arguments, 0), PICKLE_GLOBAL_INT)))
            return fail_state("a defaultdict");
        return pickle_node_new(out, machine, PICKLE_DICT);
    case PICKLE_GLOBAL_ORDEREDDICT:
        return count == 0 ? pickle_node_new(out, machine, PICKLE_DICT)
                          : fail_state("an OrderedDict");
    default:
        return fail_state("a call");
    }
}

graco_status pickle_build(struct pickle_machine *machine, struct pickle_node *object,
                          const struct pickle_node *state)
{
    switch (object->what) {
    case PICKLE_WHAT_DTYPE:
        return build_dtype(object, state);
    case PICKLE_WHAT_ARRAY:
        return build_array(machine, object, state);
    case PICKLE_WHAT_CSR:
        return build_csr(machine, object, state);
    default:
        return fail_state("the state of an object");
    }
}
