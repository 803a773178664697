#include "graph/graph.h"

#include "check.h"
#include "faults.h"

int main(void)
{
    const int32_t source[] = {0, 1, 2, 2, 3}, target[] = {1, 0, 3, 3, 3};
    const float weight[] = {2, 1, 3, 1, 1};
    for (int undirected = 0; undirected < 2; undirected++) {
        struct graph *graph = NULL;
        graco_status status = GRACO_ERROR_MEMORY;
        for (long n = 0; status != GRACO_OK && n < 100; n++) {
            faults_until = n;
            faults_hit = 0;
            status = graph_build(&graph, NULL,
                                 &(struct graph_pairs){4, 5, source, target, weight, undirected});
            faults_until = -1;
            CHECK((status == GRACO_OK) == (faults_hit == 0));
            CHECK(status == GRACO_OK || (status == GRACO_ERROR_MEMORY && graph == NULL));
        }
        CHECK(status == GRACO_OK && graph->edges == (undirected ? 4 : 3));
        graph_free(graph);
    }
    return check_result();
}
