/* Skip-gram alone: the walks of a data set, and the time of training on them.
 *
 *     bench_skipgram walks DATASET METHOD WALKS FILE       writes the walks, one a line, for a peer
 *     bench_skipgram train DATASET METHOD WALKS THREADS
 *
 * METHOD is deepwalk or node2vec with their general settings, but for WALKS, those from each node. Prints
 * seconds, and seconds on all cores. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "methods/skipgram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(graco_status status)
{
    if (status == GRACO_OK)
        return;
    fprintf(stderr, "bench_skipgram: %s\n", graco_message());
    exit(1);
}

static struct skipgram_options options_of(const char *method, const char *walks,
                                          const struct graph *graph)
{
    bool deepwalk = strcmp(method, "deepwalk") == 0;
    return (struct skipgram_options){.walks = {graph, 0, deepwalk ? 40 : 80, 1, 1},
                                     .per_node = atoi(walks),
                                     .window = deepwalk ? 5 : 10,
                                     .negatives = deepwalk ? 0 : 5,
                                     .epochs = deepwalk ? 5 : 1,
                                     .d = 128,
                                     .alpha = 0.025,
                                     .threads = 1};
}

static void write_walks(const struct skipgram_options *o, const char *path)
{
    FILE *file = fopen(path, "w");
    int32_t *walk = NULL;
    must(memory_alloc(&walk, o->walks.length, sizeof *walk));
    for (int64_t pass = 0; file && pass < o->per_node; pass++)
        for (int64_t node = 0; node < o->walks.graph->nodes; node++) {
            int64_t number = pass * o->walks.graph->nodes + node;
            int64_t length = walks_draw(walk, &o->walks, (int32_t)node, number);
            for (int64_t i = 0; i < length; i++)
                fprintf(file, "%ld%c", (long)walk[i], i + 1 < length ? ' ' : '\n');
        }
    if (file)
        fclose(file);
    memory_free(walk);
}

static void train(const struct skipgram_options *o)
{
    int64_t nodes = o->walks.graph->nodes, outputs = skipgram_outputs(nodes, o->negatives);
    const struct random_key key = {.seed = o->walks.seed, .stream = RANDOM_WEIGHTS};
    struct skipgram *s = NULL;
    float *U = NULL, *V = NULL;
    must(memory_alloc(&U, nodes * o->d, sizeof *U));
    must(memory_zalloc(&V, outputs * o->d, sizeof *V));
    for (int64_t i = 0; i < nodes * o->d; i++)
        U[i] = (random_float(&key, (uint64_t)i) - 0.5f) / (float)o->d;
    double begin = threads_seconds(), cpu = (double)clock() / CLOCKS_PER_SEC, total = 0, loss;
    must(skipgram_create(&s, o));
    for (int64_t step = 0; step < o->epochs * skipgram_steps(o); step++) {
        must(skipgram_step(s, U, V, step, &loss));
        total += loss;
    }
    printf("graco   %.3f s, %.3f s on all cores, loss %.3f\n", threads_seconds() - begin,
           (double)clock() / CLOCKS_PER_SEC - cpu, total / (double)(o->epochs * skipgram_steps(o)));
    skipgram_free(s);
    memory_free(U);
    memory_free(V);
}

int main(int count, char **arguments)
{
    graco_dataset *data = NULL;
    if (count != 6) {
        fprintf(stderr, "usage: bench_skipgram walks|train DATASET METHOD WALKS FILE|THREADS\n");
        return 2;
    }
    must(graco_dataset_load(&data, arguments[2], NULL));
    struct skipgram_options options = options_of(arguments[3], arguments[4], data->graph);
    options.threads = atoi(arguments[5]);
    if (strcmp(arguments[1], "walks") == 0)
        write_walks(&options, arguments[5]);
    else
        train(&options);
    graco_dataset_free(data);
    return 0;
}
