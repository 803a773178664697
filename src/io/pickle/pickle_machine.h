/* What the parts of the pickle decoder share: pickle.c owns the memory and checks the result,
 * pickle_opcodes.c and pickle_text.c are the stack machine, pickle_objects.c makes what a pickle
 * may call for. */
#ifndef IO_PICKLE_PICKLE_MACHINE_H
#define IO_PICKLE_PICKLE_MACHINE_H

#include "io/pickle/pickle.h"

/* Everything that a pickle may name. */
enum pickle_global {
    PICKLE_GLOBAL_RECONSTRUCT, /* numpy.core.multiarray._reconstruct */
    PICKLE_GLOBAL_SCALAR,      /* numpy.core.multiarray.scalar */
    PICKLE_GLOBAL_NDARRAY,
    PICKLE_GLOBAL_DTYPE,
    PICKLE_GLOBAL_CSR,
    PICKLE_GLOBAL_DEFAULTDICT,
    PICKLE_GLOBAL_ORDEREDDICT,
    PICKLE_GLOBAL_RECONSTRUCTOR, /* copy_reg._reconstructor */
    PICKLE_GLOBAL_ENCODE,        /* _codecs.encode */
    PICKLE_GLOBAL_LIST,
    PICKLE_GLOBAL_INT,
    PICKLE_GLOBAL_OBJECT,
};

/* A value, or something that only helps to build one and must not be in the result. */
enum pickle_what {
    PICKLE_WHAT_VALUE,
    PICKLE_WHAT_GLOBAL,
    PICKLE_WHAT_DTYPE,
    PICKLE_WHAT_ARRAY, /* until BUILD fills it and makes it a value */
    PICKLE_WHAT_CSR,   /* the same */
};

struct pickle_dtype {
    enum array_type type;
    int64_t size;
    bool swap;
};

struct pickle_node {
    struct pickle_value value; /* first: a value's address is its node's */
    enum pickle_what what;
    int height;                 /* of the tree below; 0: not visited, -1: being visited */
    int64_t room;               /* of list */
    struct pickle_value **list; /* value.items, while it grows */
    enum pickle_global global;
    struct pickle_dtype *dtype;
};

/* Memory that lives as long as the pickle: blocks that are filled from the front. */
struct pickle_block {
    struct pickle_block *next;
    int64_t used, room;
};

struct pickle_arrays {
    struct array array;
    struct pickle_arrays *next;
};

struct pickle_storage {
    struct pickle_block *blocks;
    struct pickle_arrays *arrays; /* whose items are to be freed */
};

struct pickle_machine {
    const uint8_t *bytes;
    int64_t length, at;
    int64_t budget; /* for what is asked of input that may be shared: bytes of strings and arrays
                       to be copied, bytes and pairs to be looked through */
    struct pickle_storage *storage;
    struct pickle_node **stack; /* (stack_room) */
    int64_t depth, stack_room;
    int64_t *marks; /* (marks_room) depth of the stack at each mark */
    int64_t mark_count, marks_room;
    struct pickle_node **memo; /* (memo_room) NULL where nothing was put */
    int64_t memo_count, memo_room;
};

/* Zeroed memory from the storage. */
graco_status pickle_take(void *out, struct pickle_machine *machine, int64_t bytes);

/* Charges bytes, or pairs of a dict that is looked through, to the budget. */
graco_status pickle_charge(struct pickle_machine *machine, int64_t count);

graco_status pickle_node_new(struct pickle_node **out, struct pickle_machine *machine,
                             enum pickle_kind kind);

/* A string node with a copy of the bytes. */
graco_status pickle_node_string(struct pickle_node **out, struct pickle_machine *machine,
                                const void *bytes, int64_t length);

/* Item i of a tuple, list or dict as a node. */
struct pickle_node *pickle_item(const struct pickle_node *node, int64_t index);

/* Runs the next opcode; *stopped says that it was the last one and one value is left. */
graco_status pickle_step(bool *stopped, struct pickle_machine *machine);

/* A failure that names the place in the input. */
graco_status pickle_fail_at(const struct pickle_machine *machine, const char *what);

/* The text up to the next newline. */
graco_status pickle_take_line(const char **out, int64_t *length, struct pickle_machine *machine);

/* Push a new value: None, a boolean, an integer or an empty container; a float; a string. */
graco_status pickle_push_kind(struct pickle_machine *machine, enum pickle_kind kind,
                              int64_t integer);
graco_status pickle_push_float(struct pickle_machine *machine, double real);
graco_status pickle_push_string(struct pickle_machine *machine, const void *bytes, int64_t length);

/* The text opcodes of protocol 0: I and L, F, S, V. */
graco_status pickle_op_decimal(struct pickle_machine *machine, int op);
graco_status pickle_op_float_text(struct pickle_machine *machine, int op);
graco_status pickle_op_literal(struct pickle_machine *machine, int op);
graco_status pickle_op_unicode(struct pickle_machine *machine, int op);

/* The global of that name, or a failure that names it. */
graco_status pickle_find_global(struct pickle_node **out, struct pickle_machine *machine,
                                const char *module, int64_t module_length, const char *name,
                                int64_t name_length);

/* What calling a global with a tuple gives (REDUCE, NEWOBJ), for the known ones. */
graco_status pickle_call(struct pickle_node **out, struct pickle_machine *machine,
                         const struct pickle_node *global, const struct pickle_node *arguments);

/* Gives an array, type or matrix its state (BUILD). */
graco_status pickle_build(struct pickle_machine *machine, struct pickle_node *object,
                          const struct pickle_node *state);

#endif
