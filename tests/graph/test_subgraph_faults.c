/* Subgraphs with the nth allocation refused. */
#include "check.h"
#include "faults.h"
#include "graph/subgraph.h"

int main(void)
{
    const int32_t source[] = {0, 1, 2, 3}, target[] = {1, 2, 3, 0}, nodes[] = {0, 1, 3};
    struct graph *whole = NULL;
    long n = 0;
    CHECK_OK(graph_create(&whole, NULL, 4, 4, source, target, true));
    for (; n < 100; n++) {
        struct graph *part = NULL;
        faults_until = n;
        faults_hit = 0;
        graco_status status = subgraph_create(&part, whole, nodes, 3);
        faults_until = -1;
        graph_free(part);
        if (status == GRACO_OK && faults_hit == 0)
            break;
        CHECK(status == GRACO_ERROR_MEMORY && part == NULL);
    }
    CHECK(n > 3 && n < 100);
    graph_free(whole);
    return check_result();
}
