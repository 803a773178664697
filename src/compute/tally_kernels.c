/* The kernels of a dry run. On the host each is the real one with its loops left out: it takes its scratch
 * memory and gives it back. On a device they do nothing, but for those of tally_device.c. What they
 * compute means nothing. */
#include "base/threads.h"
#include "compute/tally.h"

#define KERNEL(name, parameters, names)                                                            \
    static graco_status dry_##name parameters                                                      \
    {                                                                                              \
        const struct backend *inner = tally_of(c)->inner;                                          \
        graco_status status = GRACO_OK;                                                            \
        threads_skip(true);                                                                        \
        if (inner->host)                                                                           \
            status = inner->kernels->name names;                                                   \
        threads_skip(false);                                                                       \
        return status;                                                                             \
    }
#include "compute/kernels.def"

const struct kernels tally_kernels = {
#define KERNEL(name, ...) .name = dry_##name,
#include "compute/kernels.def"
};
