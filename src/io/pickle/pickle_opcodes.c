/* The stack machine of a pickle: each opcode takes values from the stack, or bytes from the input,
 * and pushes one. A table names the function of each; what is not in it is refused. */
#include "io/pickle/pickle_machine.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { PROTOCOL_MAX = 4 };

/* ---- Input and stack ------------------------------------------------------------------------- */

graco_status pickle_fail_at(const struct pickle_machine *m, const char *what)
{
    return status_fail(GRACO_ERROR_FORMAT, "bad pickle at byte %" PRId64 ": %s", m->at, what);
}

/* The next `count` bytes. */
static graco_status take_bytes(const uint8_t **out, struct pickle_machine *m, uint64_t count)
{
    if (count > (uint64_t)(m->length - m->at))
        return pickle_fail_at(m, "it ends in the middle of a value");
    *out = m->bytes + m->at;
    m->at += (int64_t)count;
    return GRACO_OK;
}

/* A little-endian number of 1 to 8 bytes. */
static graco_status take_unsigned(uint64_t *out, struct pickle_machine *m, int width)
{
    const uint8_t *bytes = NULL;
    *out = 0;
    PASS(take_bytes(&bytes, m, (uint64_t)width));
    for (int i = 0; i < width; i++)
        *out |= (uint64_t)bytes[i] << (8 * i);
    return GRACO_OK;
}

/* The text up to the next newline. */
graco_status pickle_take_line(const char **out, int64_t *length, struct pickle_machine *m)
{
    const uint8_t *from = m->bytes + m->at;
    const uint8_t *to = memchr(from, '\n', (size_t)(m->length - m->at));
    if (!to)
        return pickle_fail_at(m, "a line has no end");
    *out = (const char *)from;
    *length = to - from;
    m->at += *length + 1;
    return GRACO_OK;
}

static graco_status push(struct pickle_machine *m, struct pickle_node *node)
{
    if (m->depth == m->stack_room) {
        int64_t room = 2 * m->stack_room + 64;
        PASS(memory_grow(&m->stack, m->depth, room, sizeof *m->stack));
        m->stack_room = room;
    }
    m->stack[m->depth++] = node;
    return GRACO_OK;
}

/* How many values lie above the last mark. */
static int64_t above_mark(const struct pickle_machine *m)
{
    return m->depth - (m->mark_count > 0 ? m->marks[m->mark_count - 1] : 0);
}

static graco_status need(const struct pickle_machine *m, int64_t count)
{
    return above_mark(m) >= count ? GRACO_OK : pickle_fail_at(m, "the stack is too short");
}

/* The top of the stack, which must be a list or a dict. */
static graco_status need_container(struct pickle_node **out, const struct pickle_machine *m,
                                   int64_t below, enum pickle_kind kind)
{
    if (m->depth <= below)
        return pickle_fail_at(m, "the stack is too short");
    *out = m->stack[m->depth - 1 - below];
    if ((*out)->what != PICKLE_WHAT_VALUE || (*out)->value.kind != kind)
        return pickle_fail_at(m, kind == PICKLE_LIST ? "a list is expected" : "a dict is expected");
    return GRACO_OK;
}

/* Removes the last mark and says how many values lie above it. */
static graco_status take_mark(int64_t *count, struct pickle_machine *m)
{
    if (m->mark_count == 0)
        return pickle_fail_at(m, "there is no mark");
    *count = m->depth - m->marks[--m->mark_count];
    return GRACO_OK;
}

/* Moves the top `count` values of the stack to the end of a list, tuple or dict. */
static graco_status extend(struct pickle_machine *m, struct pickle_node *node, int64_t count)
{
    bool pairs = node->value.kind == PICKLE_DICT;
    int64_t used = pairs ? 2 * node->value.count : node->value.count;
    if (used + count > node->room) {
        int64_t room = used == 0 ? count : 2 * (used + count);
        struct pickle_value **list = NULL;
        PASS(pickle_take(&list, m, room * (int64_t)sizeof *list));
        if (used > 0)
            memcpy(list, node->list, (size_t)used * sizeof *list);
        node->list = list;
        node->room = room;
    }
    m->depth -= count;
    for (int64_t i = 0; i < count; i++)
        node->list[used + i] = &m->stack[m->depth + i]->value;
    node->value.count += pairs ? count / 2 : count;
    node->value.items = (const struct pickle_value *const *)node->list;
    return GRACO_OK;
}

static graco_status check_keys(const struct pickle_machine *m, int64_t count)
{
    if (count % 2 != 0)
        return pickle_fail_at(m, "a dict has a key without a value");
    for (int64_t i = 0; i < count; i += 2) {
        const struct pickle_node *key = m->stack[m->depth - count + i];
        if (key->what != PICKLE_WHAT_VALUE || key->value.kind > PICKLE_TUPLE)
            return pickle_fail_at(m, "a dict key is neither a number, a string nor a tuple");
    }
    return GRACO_OK;
}

/* ---- Opcodes: numbers and strings ------------------------------------------------------------ */

graco_status pickle_push_kind(struct pickle_machine *m, enum pickle_kind kind, int64_t integer)
{
    struct pickle_node *node = NULL;
    PASS(pickle_node_new(&node, m, kind));
    node->value.integer = integer;
    return push(m, node);
}

graco_status pickle_push_float(struct pickle_machine *m, double real)
{
    struct pickle_node *node = NULL;
    PASS(pickle_node_new(&node, m, PICKLE_FLOAT));
    node->value.real = real;
    return push(m, node);
}

static graco_status op_constant(struct pickle_machine *m, int op)
{
    if (op == 'N')
        return pickle_push_kind(m, PICKLE_NONE, 0);
    return pickle_push_kind(m, PICKLE_BOOL, op == 0x88);
}

static graco_status op_integer(struct pickle_machine *m, int op)
{
    uint64_t value = 0;
    PASS(take_unsigned(&value, m, op == 'J' ? 4 : op == 'M' ? 2 : 1));
    int64_t integer =
        op == 'J' && value >> 31 ? (int64_t)value - (INT64_C(1) << 32) : (int64_t)value;
    return pickle_push_kind(m, PICKLE_INT, integer);
}

/* A little-endian two's complement number of as many bytes as the opcode says. */
static graco_status op_long(struct pickle_machine *m, int op)
{
    uint64_t count = 0, value = 0;
    const uint8_t *bytes = NULL;
    PASS(take_unsigned(&count, m, op == 0x8a ? 1 : 4));
    if (count > 8)
        return pickle_fail_at(m, "an integer has more than 64 bits");
    PASS(take_bytes(&bytes, m, count));
    for (uint64_t i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    if (count > 0 && count < 8 && bytes[count - 1] >> 7)
        value |= UINT64_MAX << (8 * count);
    int64_t integer;
    memcpy(&integer, &value, sizeof integer);
    return pickle_push_kind(m, PICKLE_INT, integer);
}

static graco_status op_float(struct pickle_machine *m, int op)
{
    const uint8_t *bytes = NULL;
    uint64_t bits = 0;
    double real;
    (void)op;
    PASS(take_bytes(&bytes, m, 8));
    for (int i = 0; i < 8; i++) /* big endian */
        bits = bits << 8 | bytes[i];
    memcpy(&real, &bits, sizeof real);
    return pickle_push_float(m, real);
}

graco_status pickle_push_string(struct pickle_machine *m, const void *bytes, int64_t length)
{
    struct pickle_node *node = NULL;
    PASS(pickle_node_string(&node, m, bytes, length));
    return push(m, node);
}

static graco_status op_string(struct pickle_machine *m, int op)
{
    int width = op == 'U' || op == 'C' || op == 0x8c ? 1 : op == 0x8d || op == 0x8e ? 8 : 4;
    uint64_t length = 0;
    const uint8_t *bytes = NULL;
    PASS(take_unsigned(&length, m, width));
    PASS(take_bytes(&bytes, m, length));
    return pickle_push_string(m, bytes, (int64_t)length);
}

/* ---- Opcodes: containers --------------------------------------------------------------------- */

static graco_status op_empty(struct pickle_machine *m, int op)
{
    return pickle_push_kind(m, op == ']' ? PICKLE_LIST : op == '}' ? PICKLE_DICT : PICKLE_TUPLE, 0);
}

/* A new container of the top `count` values. */
static graco_status push_container(struct pickle_machine *m, enum pickle_kind kind, int64_t count)
{
    struct pickle_node *node = NULL;
    if (kind == PICKLE_DICT)
        PASS(check_keys(m, count));
    PASS(pickle_node_new(&node, m, kind));
    PASS(extend(m, node, count));
    return push(m, node);
}

static graco_status op_gather(struct pickle_machine *m, int op)
{
    int64_t count = 0;
    PASS(take_mark(&count, m));
    return push_container(m,
                          op == 'l'   ? PICKLE_LIST
                          : op == 'd' ? PICKLE_DICT
                                      : PICKLE_TUPLE,
                          count);
}

static graco_status op_tuple(struct pickle_machine *m, int op)
{
    int64_t count = op - 0x84;
    PASS(need(m, count));
    return push_container(m, PICKLE_TUPLE, count);
}

/* a, e, s, u: one item, items since the mark, one pair, pairs since the mark. */
static graco_status op_extend(struct pickle_machine *m, int op)
{
    struct pickle_node *node = NULL;
    int64_t count = op == 'a' ? 1 : 2;
    bool pairs = op == 's' || op == 'u';
    if (op == 'e' || op == 'u')
        PASS(take_mark(&count, m));
    PASS(need(m, count + 1));
    PASS(need_container(&node, m, count, pairs ? PICKLE_DICT : PICKLE_LIST));
    if (pairs)
        PASS(check_keys(m, count));
    return extend(m, node, count);
}

/* ---- Opcodes: the machine -------------------------------------------------------------------- */

static graco_status op_mark(struct pickle_machine *m, int op)
{
    (void)op;
    if (m->mark_count == m->marks_room) {
        int64_t room = 2 * m->marks_room + 16;
        PASS(memory_grow(&m->marks, m->mark_count, room, sizeof *m->marks));
        m->marks_room = room;
    }
    m->marks[m->mark_count++] = m->depth;
    return GRACO_OK;
}

static graco_status op_pop(struct pickle_machine *m, int op)
{
    int64_t count = 0;
    if (op == '1' || (op == '0' && above_mark(m) == 0)) {
        PASS(take_mark(&count, m));
        m->depth -= count;
        return GRACO_OK;
    }
    PASS(need(m, 1));
    if (op == '2')
        return push(m, m->stack[m->depth - 1]);
    m->depth--;
    return GRACO_OK;
}

/* The memo number of an opcode. A pickler counts them up, so none reaches the number of bytes. */
static graco_status memo_number(int64_t *out, struct pickle_machine *m, int op)
{
    uint64_t number = 0;
    if (op == 'p' || op == 'g') {
        const char *text;
        int64_t length = 0;
        PASS(pickle_take_line(&text, &length, m));
        if (length == 0 || length > 18)
            return pickle_fail_at(m, "a memo number is expected");
        for (int64_t i = 0; i < length; i++) {
            if (text[i] < '0' || text[i] > '9')
                return pickle_fail_at(m, "a memo number is expected");
            number = 10 * number + (uint64_t)(text[i] - '0');
        }
    } else {
        PASS(take_unsigned(&number, m, op == 'q' || op == 'h' ? 1 : 4));
    }
    if (number >= (uint64_t)m->length + 256)
        return pickle_fail_at(m, "a memo number is larger than the pickle");
    *out = (int64_t)number;
    return GRACO_OK;
}

static graco_status op_put(struct pickle_machine *m, int op)
{
    int64_t number = m->memo_count;
    PASS(need(m, 1));
    if (op != 0x94)
        PASS(memo_number(&number, m, op));
    if (number >= m->memo_room) {
        int64_t room = 2 * number + 64;
        PASS(memory_grow(&m->memo, m->memo_room, room, sizeof *m->memo));
        for (int64_t i = m->memo_room; i < room; i++)
            m->memo[i] = NULL;
        m->memo_room = room;
    }
    m->memo_count += !m->memo[number];
    m->memo[number] = m->stack[m->depth - 1];
    return GRACO_OK;
}

static graco_status op_get(struct pickle_machine *m, int op)
{
    int64_t number = 0;
    PASS(memo_number(&number, m, op));
    if (number >= m->memo_room || !m->memo[number])
        return pickle_fail_at(m, "a memo number was never put");
    return push(m, m->memo[number]);
}

static graco_status op_global(struct pickle_machine *m, int op)
{
    struct pickle_node *node = NULL;
    const char *text[2] = {NULL, NULL};
    int64_t length[2] = {0, 0};
    if (op == 'c') {
        PASS(pickle_take_line(&text[0], &length[0], m));
        PASS(pickle_take_line(&text[1], &length[1], m));
    } else {
        PASS(need(m, 2));
        for (int i = 0; i < 2; i++) {
            const struct pickle_node *string = m->stack[m->depth - 2 + i];
            if (string->what != PICKLE_WHAT_VALUE || string->value.kind != PICKLE_STRING)
                return pickle_fail_at(m, "a global is not named by strings");
            text[i] = string->value.bytes;
            length[i] = string->value.count;
        }
        m->depth -= 2;
    }
    PASS(pickle_find_global(&node, m, text[0], length[0], text[1], length[1]));
    return push(m, node);
}

static graco_status op_call(struct pickle_machine *m, int op)
{
    struct pickle_node *node = NULL;
    (void)op;
    PASS(need(m, 2));
    const struct pickle_node *global = m->stack[m->depth - 2], *arguments = m->stack[m->depth - 1];
    if (global->what != PICKLE_WHAT_GLOBAL || arguments->what != PICKLE_WHAT_VALUE ||
        arguments->value.kind != PICKLE_TUPLE)
        return pickle_fail_at(m, "something that is no known global is called");
    PASS(pickle_call(&node, m, global, arguments));
    m->depth -= 2;
    return push(m, node);
}

static graco_status op_build(struct pickle_machine *m, int op)
{
    (void)op;
    PASS(need(m, 2));
    PASS(pickle_build(m, m->stack[m->depth - 2], m->stack[m->depth - 1]));
    m->depth--;
    return GRACO_OK;
}

static graco_status op_protocol(struct pickle_machine *m, int op)
{
    uint64_t version = 0;
    (void)op;
    PASS(take_unsigned(&version, m, 1));
    return version > PROTOCOL_MAX ? pickle_fail_at(m, "its protocol is newer than 4") : GRACO_OK;
}

static graco_status op_frame(struct pickle_machine *m, int op)
{
    uint64_t length = 0;
    (void)op;
    PASS(take_unsigned(&length, m, 8));
    if (length > (uint64_t)(m->length - m->at))
        return pickle_fail_at(m, "a frame is longer than the pickle");
    return GRACO_OK;
}

typedef graco_status opcode_fn(struct pickle_machine *m, int op);

static opcode_fn *const opcodes[256] = {
    ['N'] = op_constant,
    [0x88] = op_constant,
    [0x89] = op_constant,
    ['J'] = op_integer,
    ['K'] = op_integer,
    ['M'] = op_integer,
    [0x8a] = op_long,
    [0x8b] = op_long,
    ['I'] = pickle_op_decimal,
    ['L'] = pickle_op_decimal,
    ['G'] = op_float,
    ['F'] = pickle_op_float_text,
    ['U'] = op_string,
    ['T'] = op_string,
    ['X'] = op_string,
    [0x8c] = op_string,
    [0x8d] = op_string,
    ['B'] = op_string,
    ['C'] = op_string,
    [0x8e] = op_string,
    ['S'] = pickle_op_literal,
    ['V'] = pickle_op_unicode,
    [']'] = op_empty,
    ['}'] = op_empty,
    [')'] = op_empty,
    ['l'] = op_gather,
    ['d'] = op_gather,
    ['t'] = op_gather,
    [0x85] = op_tuple,
    [0x86] = op_tuple,
    [0x87] = op_tuple,
    ['a'] = op_extend,
    ['e'] = op_extend,
    ['s'] = op_extend,
    ['u'] = op_extend,
    ['('] = op_mark,
    ['0'] = op_pop,
    ['1'] = op_pop,
    ['2'] = op_pop,
    ['p'] = op_put,
    ['q'] = op_put,
    ['r'] = op_put,
    [0x94] = op_put,
    ['g'] = op_get,
    ['h'] = op_get,
    ['j'] = op_get,
    ['c'] = op_global,
    [0x93] = op_global,
    ['R'] = op_call,
    [0x81] = op_call,
    ['b'] = op_build,
    [0x80] = op_protocol,
    [0x95] = op_frame,
};

graco_status pickle_step(bool *stopped, struct pickle_machine *machine)
{
    if (machine->at >= machine->length)
        return pickle_fail_at(machine, "it ends without a result");
    int op = machine->bytes[machine->at];
    *stopped = op == '.';
    if (*stopped && (machine->depth != 1 || machine->mark_count != 0))
        return pickle_fail_at(machine, "it does not leave exactly one value");
    if (*stopped)
        return GRACO_OK;
    if (!opcodes[op])
        return status_fail(GRACO_ERROR_FORMAT,
                           "bad pickle at byte %" PRId64 ": opcode 0x%02x is not handled",
                           machine->at, (unsigned)op);
    machine->at++;
    return opcodes[op](machine, op);
}
