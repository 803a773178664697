/* CitationFull: an archive with the compressed rows adj_* and attr_* and the vector labels. The
 * graph is undirected. Other members, pickled ones among them, are not touched. */
#include "data/readers.h"

#include "base/memory.h"

/* The entries of the adjacency are the edges, whatever their values. */
static graco_status read_edges(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct csr adjacency = {0};
    TRY(member_csr(&adjacency, members, "adj"));
    if (adjacency.rows != adjacency.cols)
        FAIL(GRACO_ERROR_FORMAT, "the adjacency is %lld x %lld: expected a square",
             (long long)adjacency.rows, (long long)adjacency.cols);
    parts->nodes = adjacency.rows;
    parts->edges = adjacency.start[adjacency.rows];
    TRY(memory_alloc(&parts->source, parts->edges, sizeof *parts->source));
    csr_entry_rows(parts->source, &adjacency);
    parts->target = adjacency.index;
    adjacency.index = NULL;
done:
    csr_clear(&adjacency);
    return status;
}

static graco_status read_citation(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = true};
    struct csr features;
    TRY(read_edges(&parts, members));
    TRY(member_csr(&features, members, "attr"));
    parts.features = features_of(features);
    TRY(csr_sort(&parts.features.sparse));
    TRY(member_read(&parts.label, &parts.nodes, NULL, ARRAY_I32, members, "labels"));
    parts.classes = dataset_classes(parts.label, parts.nodes);
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, "adj_indptr.npy");
}

const struct reader reader_citation = {
    .format = "CitationFull",
    .places = PLACE_ARCHIVE,
    .sign = "adj_indptr.npy",
    .knows = knows,
    .read = read_citation,
};
