#include "graph/sampler.h"

#include "check.h"
#include "faults.h"
#include "weigh.h"

/* A path 0 <- 1 <- 2 ... with shortcuts, sampled once for every allocation that fails. */
static void sampled(bool weighted)
{
    enum { NODES = 50 };
    int32_t source[2 * NODES], target[2 * NODES];
    const int32_t roots[] = {3, 0};
    const int64_t fanout[] = {2, 0, 4};
    struct graph *graph = NULL;
    struct sampler *sampler = NULL, *witness = NULL;
    struct sample sample = {0}, kept = {0}, expected = {0};
    int64_t edges = 0;
    for (int32_t i = 0; i + 5 < NODES; i++) {
        source[edges] = i + 1, target[edges++] = i;
        source[edges] = i + 5, target[edges++] = i;
    }
    CHECK_OK(graph_create(&graph, NULL, NODES, edges, source, target, false));
    if (weighted)
        weigh(graph);
    CHECK_OK(sampler_create(&witness, graph, 3, fanout, 5));
    CHECK_OK(sampler_draw(witness, &expected, roots, 2, 1));
    graco_status status = GRACO_ERROR_MEMORY;
    long n = 0;
    for (; status != GRACO_OK && n < 100; n++) {
        faults_until = n;
        faults_hit = 0;
        status = sampler_create(&sampler, graph, 3, fanout, 5);
        if (status == GRACO_OK)
            status = sampler_draw(sampler, &sample, roots, 2, 1);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || (status == GRACO_ERROR_MEMORY && sample.hops == 0));
        sample_clear(&sample);
        sampler_free(sampler);
        sampler = NULL;
        /* One that keeps what it got: each round adds a block more, or an index and its values. */
        faults_until = weighted ? 2 : 1;
        graco_status partial = sampler_draw(witness, &kept, roots, 2, 1);
        faults_until = -1;
        CHECK(partial == (kept.hops == 3 ? GRACO_OK : GRACO_ERROR_MEMORY));
    }
    CHECK(n > 15);
    CHECK(kept.hops == 3 && kept.count[3] == expected.count[3]);
    CHECK(memcmp(kept.nodes, expected.nodes, (size_t)kept.count[3] * sizeof *kept.nodes) == 0);
    sample_clear(&kept);
    sample_clear(&expected);
    sampler_free(witness);
    graph_free(graph);
}

int main(void)
{
    sampled(false);
    sampled(true);
    return check_result();
}
