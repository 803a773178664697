/* A build without METIS says how to get it, in one line; this program is linked with order_none.c. */
#include "check.h"

#include "graph/order.h"

int main(void)
{
    int32_t ends[2] = {0, 1}, order[4] = {9, 9, 9, 9};
    struct graph *graph = NULL;
    CHECK_OK(graph_create(&graph, NULL, 4, 1, &ends[0], &ends[1], true));
    CHECK_FAILS(order_find(order, graph, 2), GRACO_ERROR_DEVICE, "`make setup-metis`");
    CHECK(!strchr(graco_message(), '\n') && order[0] == 9);
    CHECK_OK(order_find(order, graph, 1));
    graph_free(graph);
    return check_result();
}
