/* Ends of edges whose type is the library's own are read where the caller has them: they are not
 * copied on the way into the graph. Others are converted, which costs a copy. */
#include "growth.h"

#include <graco.h>

enum { N = 1000, E = 100000 };
static int32_t narrow[2][E], starts[N + 1];
static int64_t wide[2][E];

static graco_status create(const void *arrays)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_create(&data, arrays);
    graco_dataset_free(data);
    return status;
}

static int64_t peak(graco_arrays arrays)
{
    struct growth_cost cost = growth_measure(create, &arrays, E);
    CHECK(cost.status == GRACO_OK);
    return cost.peak;
}

int main(void)
{
    const int64_t copy = E * (int64_t)sizeof(int32_t);
    for (int32_t e = 0; e < E; e++) {
        narrow[0][e] = e / (E / N);
        narrow[1][e] = (int32_t)((e * 7919LL + 1) % N);
        wide[0][e] = narrow[0][e];
        wide[1][e] = narrow[1][e];
    }
    for (int32_t i = 0; i <= N; i++)
        starts[i] = i * (E / N);
    int64_t pairs = peak((graco_arrays){
        .nodes = N, .source = GRACO_VECTOR(narrow[0], E), .target = GRACO_VECTOR(narrow[1], E)});
    int64_t wide_pairs = peak((graco_arrays){
        .nodes = N, .source = GRACO_VECTOR(wide[0], E), .target = GRACO_VECTOR(wide[1], E)});
    int64_t rows = peak((graco_arrays){.edge_indptr = GRACO_VECTOR(starts, N + 1),
                                       .target = GRACO_VECTOR(narrow[1], E)});
    int64_t wide_rows = peak((graco_arrays){.edge_indptr = GRACO_VECTOR(starts, N + 1),
                                            .target = GRACO_VECTOR(wide[1], E)});
    printf("bytes at the peak: pairs %lld, converted %lld; rows %lld, converted %lld\n",
           (long long)pairs, (long long)wide_pairs, (long long)rows, (long long)wide_rows);
    CHECK(wide_pairs - pairs >= 2 * copy && wide_rows - rows >= copy);
    return check_result();
}
