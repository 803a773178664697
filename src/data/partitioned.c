/* A data set with an order in which ranks divide its nodes. Its rows, names and results stay where they
 * were: the order is one more array. */
#include "graco_command.h"
#include "data/dataset.h"

#include "base/memory.h"
#include "graph/order.h"

graco_status graco_dataset_partition(const graco_dataset *data, int64_t ranks, const char *path)
{
    struct graco_dataset copy = *data; /* of its pointers */
    int32_t *order = NULL;
    graco_status status = GRACO_OK;
    if (ranks < 1 || ranks > GRACO_RANKS_MOST)
        FAIL(GRACO_ERROR_ARGUMENT, "%lld ranks: expected 1 to %d", (long long)ranks,
             GRACO_RANKS_MOST);
    if (data->graphs > 1)
        FAIL(GRACO_ERROR_ARGUMENT,
             "data set '%s' has %lld graphs, and an order is of one: "
             "expected one",
             data->name, (long long)data->graphs);
    TRY(memory_alloc(&order, data->graph->nodes, sizeof *order));
    TRY(order_find(order, data->graph, (int)ranks));
    copy.order = order;
    TRY(graco_dataset_save(&copy, path));
done:
    memory_free(order);
    return status;
}
