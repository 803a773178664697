/* How fast a graph of one's own comes in: 2,000,000 edges with names and weights between 200,000 nodes,
 * from a CSV file and from arrays. Both make the same data set, which the fingerprints prove. Of several
 * runs the least is printed, on the clock and in processor time of all threads: beside a busy machine the
 * second is the one to compare. Prints one JSON object; the argument is how many runs. */
#include "graco_more.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 200000, EDGES = 2000000, NAME = 16 };

static int32_t source[EDGES], target[EDGES];
static float weight[EDGES];
static char text[NODES][NAME];
static const char *names[NODES];

static void stop(const char *what)
{
    fprintf(stderr, "bench_loading: %s\n", what);
    exit(1);
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double processor_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Nodes in the order in which the edges first name them, as a reader numbers them. */
static void make_edges(void)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < NODES; i++) {
        snprintf(text[i], NAME, "user_%06" PRId64, i * 7919 % NODES);
        names[i] = text[i];
    }
    for (int64_t e = 0; e < EDGES; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        source[e] = (int32_t)(e < NODES ? e : (int64_t)((state >> 33) % NODES));
        target[e] = (int32_t)(e < NODES ? (e + 1) % NODES : (int64_t)((state >> 13) % NODES));
        weight[e] = 0.25f * (float)(1 + (state >> 50) % 40);
    }
}

static void write_table(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs("source,target,weight\n", file) < 0)
        stop("no file can be written");
    for (int64_t e = 0; e < EDGES; e++)
        fprintf(file, "%s,%s,%.2f\n", names[source[e]], names[target[e]], (double)weight[e]);
    if (fclose(file) != 0)
        stop("the file could not be written");
}

static graco_status load(graco_dataset **data, const char *path)
{
    graco_arrays arrays = {.nodes = NODES,
                           .source = GRACO_VECTOR(source, EDGES),
                           .target = GRACO_VECTOR(target, EDGES),
                           .edge_weight = GRACO_VECTOR(weight, EDGES),
                           .node_ids = GRACO_VECTOR(names, NODES)};
    return path ? graco_dataset_load(data, path, NULL) : graco_dataset_create(data, &arrays);
}

/* From a file, or with NULL from the arrays. */
static void measure(const char *label, const char *path, int runs,
                    char fingerprint[GRACO_FINGERPRINT])
{
    double least = 1e9, least_processor = 1e9;
    for (int run = 0; run < runs; run++) {
        graco_dataset *data = NULL;
        double began = clock_seconds(), began_processor = processor_seconds();
        if (load(&data, path) != GRACO_OK)
            stop(graco_message());
        double took = clock_seconds() - began, processor = processor_seconds() - began_processor;
        least = took < least ? took : least;
        least_processor = processor < least_processor ? processor : least_processor;
        if (graco_dataset_fingerprint(fingerprint, data) != GRACO_OK)
            stop(graco_message());
        graco_dataset_free(data);
    }
    printf("\"%s\": {\"seconds\": %.3f, \"processor_seconds\": %.3f}, ", label, least,
           least_processor);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/graco-bench-XXXXXX", path[64], found[2][GRACO_FINGERPRINT];
    int runs = argc > 1 ? atoi(argv[1]) : 5;
    if (runs < 1 || !mkdtemp(folder))
        stop("expected a number of runs, and a folder /tmp");
    snprintf(path, sizeof path, "%s/edges.csv", folder);
    make_edges();
    write_table(path);
    printf("{\"edges\": %d, \"nodes\": %d, \"runs\": %d, ", EDGES, NODES, runs);
    measure("csv", path, runs, found[0]);
    measure("arrays", NULL, runs, found[1]);
    unlink(path);
    rmdir(folder);
    printf("\"same\": %s}\n", strcmp(found[0], found[1]) == 0 ? "true" : "false");
    return strcmp(found[0], found[1]) != 0;
}
