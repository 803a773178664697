/* A back end: what one kind of device can do, as tables of functions. `backend_cpu` is the one
 * on the host, "cuda" the one on a GPU; the tests have a third, their oracle (tests/reference/).
 * Nothing above src/compute/ calls them but through a context. */
#ifndef COMPUTE_BACKEND_H
#define COMPUTE_BACKEND_H

#include "base/status.h"
#include "compute/operands.h"

struct comm;
struct context;
struct recording;

enum { DEVICE_ID_BYTES = 16 }; /* by which two processes see that they have the same device */

/* Memory of the device. Sizes are in bytes; `out` is a pointer of any type. `release` accepts NULL. */
struct buffers {
    graco_status (*allocate)(struct context *c, void *out, size_t bytes);
    void (*release)(struct context *c, void *block);
    graco_status (*upload)(struct context *c, void *to, const void *from, size_t bytes);
    graco_status (*download)(struct context *c, void *to, const void *from, size_t bytes);
    graco_status (*copy)(struct context *c, void *to, const void *from, size_t bytes);
    graco_status (*zero)(struct context *c, void *block, size_t bytes);
    /* Host memory that is copied fastest, and the wait until all copies that were asked for are done:
     * for messages between ranks (exchange.h). NULL where buffers are host memory. */
    graco_status (*pin)(struct context *c, void *out, size_t bytes);
    void (*unpin)(struct context *c, void *block);
    graco_status (*wait)(struct context *c);
};

/* Records a step once and asks for it as a whole from then on. After `record` nothing runs: the
 * kernels that are asked for are written down. `recorded` ends that and gives the recording; with
 * NULL it drops it. `replay` asks for all of it at once, with `later` added to the steps of random
 * keys and of Adam. A recording goes on using buffers that have gone back to the cache, so it ends
 * with the next trim: see context->trims. */
struct recorder {
    graco_status (*record)(struct context *c);
    graco_status (*recorded)(struct context *c, struct recording **out);
    graco_status (*replay)(struct context *c, struct recording *recording, uint32_t later);
    void (*forget)(struct recording *recording);
};

/* Where what is asked for next goes, on a device that has a second queue: see context_apart. */
enum turn {
    TURN_OPEN,  /* a step begins: the side queue waits for all that was asked for before it */
    TURN_FIRST, /* to the side queue: what follows reads nothing that this step has made */
    TURN_ASIDE, /* to the side queue, behind all that was asked for so far */
    TURN_BACK,  /* to the main queue */
    TURN_JOIN,  /* to the main queue, which waits for the side queue */
};

/* kernels.def says what each does, and which may be NULL. */
struct kernels {
#define KERNEL(name, parameters, names) graco_status(*name) parameters;
#include "compute/kernels.def"
};

struct backend {
    const char *name;
    bool host; /* buffers are plain memory */
    bool dry;  /* kernels compute nothing: nobody asks whether a loss is finite */
    /* Whether the contrast's backward kernel has a tile sooner if the forward one keeps it than if it is
     * computed again. NULL: never. */
    bool (*keeps_tiles)(const struct context *c);

    /* `open` prepares context->device and `close` ends it; `finish` is
     * context_finish. NULL where there is nothing to do. */
    graco_status (*open)(struct context *c);
    void (*close)(struct context *c);
    graco_status (*finish)(struct context *c);

    /* The bytes that the device has, and those of them that are free. NULL where it is the host. */
    graco_status (*memory)(int64_t *left, int64_t *all);

    /* Where a machine may have several of these devices; NULL: it has one. `choose` lets contexts that
     * this thread opens have device `number`, counted modulo how many there are. `connect` is called by
     * all ranks of c->comm, each with a device of its own: *out, whose messages go from device to
     * device (comm.h), or NULL where there is no way for that. */
    graco_status (*choose)(int number);
    graco_status (*connect)(struct context *c, struct comm **out);

    graco_status (*turn)(struct context *c, enum turn turn); /* NULL: it has one queue */

    const struct buffers *buffers;
    const struct kernels *kernels;
    const struct recorder *recorder; /* NULL: it cannot record */
};

/* For back ends whose buffers are plain memory. */
extern const struct buffers host_buffers;

extern const struct backend backend_cpu;

/* The back end of that name: "cpu", "cuda", or "auto", which is the GPU where there is one that
 * works. GRACO_ERROR_DEVICE says why there is no "cuda". */
graco_status backend_find(const struct backend **out, const char *name);

/* The same for work of so many operations, for which "auto" (NULL too) is the CPU where a GPU would take
 * longer to start. */
graco_status backend_find_for(const struct backend **out, const char *name, double operations);

#endif
