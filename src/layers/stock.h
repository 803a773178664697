/* The stock: the features of a whole data set, of which a mini-batch takes the rows of its nodes.
 *
 * Dense features are shared with the device once, and a batch sends its node numbers alone: the
 * rows are gathered there. So are sparse features that a device better multiplies as dense ones
 * (see input_dense). Others are gathered on the host, where their transposes are built too. Where a
 * device has no memory for all rows, or needs it for something else later, the stock gives it back
 * and gathers on the host. That changes no bit for dense features; sparse ones are then multiplied
 * as each batch's share of entries suggests, which may round otherwise. */
#ifndef LAYERS_STOCK_H
#define LAYERS_STOCK_H

#include "layers/input.h"

struct stock;

/* Borrows context and features. A context serves one stock at a time. */
graco_status stock_create(struct stock **out, struct context *context,
                          const struct features *features);
void stock_free(struct stock *stock);

/* The input of the rows `nodes` (count), in that order, which may repeat. It lives in the stock's
 * buffers, until the next call; `nodes` must not change before context_finish. O(count * columns),
 * or O(entries of these rows). GRACO_ERROR_IO if the host has to read a file that was cut. */
graco_status stock_gather(struct input **out, struct stock *stock, const int32_t *nodes,
                          int64_t count);

#endif
