/* A pickle is a program for a stack machine: push a number, make a list of all that lies above the
 * last mark, remember the top as number 7. pickle_opcodes.c is that machine; this file owns its
 * memory and checks its result. Two opcodes call for objects outside of it (a global name, and a
 * call of one): these go to pickle_objects.c, which knows a dozen names and refuses the rest.
 * Nothing is ever looked up or run.
 *
 * Each opcode takes at least one byte and makes at most a constant number of nodes, so memory is
 * linear in the input; what a short program could ask for again and again, copies of strings and
 * arrays and searches of a dict, is charged to a budget, so that time is linear too. Reference:
 * Lib/pickletools.py of CPython. */
#include "io/pickle/pickle.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/pickle/pickle_machine.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK_MIN = 1 << 12, BLOCK_MAX = 1 << 20, HEADER = 64, HEIGHT_MAX = 100 };

/* ---- Storage --------------------------------------------------------------------------------- */

graco_status pickle_take(void *out, struct pickle_machine *machine, int64_t bytes)
{
    struct pickle_storage *storage = machine->storage;
    struct pickle_block *block = storage->blocks;
    bytes = (bytes + 15) / 16 * 16;
    if (!block || block->used + bytes > block->room) {
        int64_t room = block && block->room >= BLOCK_MIN ? 2 * block->room : BLOCK_MIN;
        room = room > BLOCK_MAX ? BLOCK_MAX : room;
        room = room < bytes + HEADER ? bytes + HEADER : room;
        PASS(memory_alloc(&block, room, 1));
        *block = (struct pickle_block){.next = storage->blocks, .used = HEADER, .room = room};
        storage->blocks = block;
    }
    void *taken = (char *)block + block->used;
    block->used += bytes;
    memset(taken, 0, (size_t)bytes);
    memcpy(out, &taken, sizeof taken);
    return GRACO_OK;
}

graco_status pickle_charge(struct pickle_machine *machine, int64_t count)
{
    machine->budget -= count;
    if (machine->budget < 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "the pickle asks for more than its %" PRId64 " bytes justify",
                           machine->length);
    return GRACO_OK;
}

static void free_storage(struct pickle_storage *storage)
{
    if (!storage)
        return;
    for (struct pickle_arrays *at = storage->arrays; at; at = at->next)
        array_clear(&at->array);
    for (struct pickle_block *block = storage->blocks; block;) {
        struct pickle_block *next = block->next;
        memory_free(block);
        block = next;
    }
    memory_free(storage);
}

graco_status pickle_node_new(struct pickle_node **out, struct pickle_machine *machine,
                             enum pickle_kind kind)
{
    PASS(pickle_take(out, machine, sizeof **out));
    (*out)->value.kind = kind;
    return GRACO_OK;
}

graco_status pickle_node_string(struct pickle_node **out, struct pickle_machine *machine,
                                const void *bytes, int64_t length)
{
    char *text;
    PASS(pickle_charge(machine, length));
    PASS(pickle_node_new(out, machine, PICKLE_STRING));
    PASS(pickle_take(&text, machine, length + 1));
    memcpy(text, bytes, (size_t)length);
    (*out)->value.bytes = text;
    (*out)->value.count = length;
    return GRACO_OK;
}

struct pickle_node *pickle_item(const struct pickle_node *node, int64_t index)
{
    return (struct pickle_node *)node->list[index];
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Values must form a tree of bounded height, shared branches allowed, cycles not; types and
 * globals must not be left in it. Each node is visited once. */
static graco_status check_value(struct pickle_node *node, int above)
{
    if (node->what != PICKLE_WHAT_VALUE)
        return status_fail(GRACO_ERROR_FORMAT,
                           "the pickle holds a type, a global or an unfinished object as a value");
    if (node->height < 0)
        return status_fail(GRACO_ERROR_FORMAT, "the pickle holds a value that contains itself");
    int64_t items = node->value.kind == PICKLE_DICT ? 2 * node->value.count
                    : node->value.kind == PICKLE_LIST || node->value.kind == PICKLE_TUPLE
                        ? node->value.count
                        : 0;
    int height = node->height > 0 ? node->height : 1;
    if (above + height > HEIGHT_MAX)
        return status_fail(GRACO_ERROR_FORMAT, "the pickle is nested more than %d deep",
                           HEIGHT_MAX);
    if (node->height > 0)
        return GRACO_OK;
    node->height = -1;
    for (int64_t i = 0; i < items; i++) {
        struct pickle_node *child = pickle_item(node, i);
        PASS(check_value(child, above + 1));
        height = child->height + 1 > height ? child->height + 1 : height;
    }
    node->height = height;
    return GRACO_OK;
}

static graco_status run(struct pickle_machine *m)
{
    for (bool stopped = false; !stopped;)
        PASS(pickle_step(&stopped, m));
    return check_value(m->stack[0], 0);
}

graco_status pickle_decode(struct pickle *out, const void *bytes, int64_t length)
{
    struct pickle_machine m = {.bytes = bytes, .length = length, .budget = 4 * length + 4096};
    graco_status status = GRACO_OK;
    *out = (struct pickle){0};
    TRY(memory_zalloc(&m.storage, 1, sizeof *m.storage));
    TRY(run(&m));
    *out = (struct pickle){.root = &m.stack[0]->value, .length = length, .storage = m.storage};
    m.storage = NULL;
done:
    memory_free(m.stack);
    memory_free(m.marks);
    memory_free(m.memo);
    free_storage(m.storage);
    return status;
}

graco_status pickle_read(struct pickle *out, const char *path)
{
    struct file_map map;
    *out = (struct pickle){0};
    PASS(file_map_open(&map, path));
    return file_map_end(&map, pickle_decode(out, map.data, map.length), path);
}

void pickle_clear(struct pickle *pickle)
{
    if (!pickle)
        return;
    free_storage(pickle->storage);
    *pickle = (struct pickle){0};
}

const char *pickle_kind_name(enum pickle_kind kind)
{
    static const char *const names[] = {"None",     "a boolean",   "an integer", "a float",
                                        "a string", "a tuple",     "a list",     "a dict",
                                        "an array", "a csr matrix"};
    return names[kind];
}

const struct pickle_value *pickle_get(const struct pickle_value *dict, const char *key)
{
    size_t length = strlen(key);
    for (int64_t i = dict->kind == PICKLE_DICT ? dict->count - 1 : -1; i >= 0; i--) {
        const struct pickle_value *name = dict->items[2 * i];
        if (name->kind == PICKLE_STRING && name->count == (int64_t)length &&
            memcmp(name->bytes, key, length) == 0)
            return dict->items[2 * i + 1];
    }
    return NULL;
}
