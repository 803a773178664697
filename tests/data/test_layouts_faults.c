/* The published layouts, maps and subsets with the nth allocation refused. */
#include "base/memory.h"
#include "data/small_files.h"
#include "data/subset.h"
#include "faults.h"

#include "data/dataset.h"
#include "data/published.h"

static graco_dataset *ppi, *reddit;

static graco_status load(const char *name)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, fixture_path(name), NULL);
    CHECK((status == GRACO_OK) == (data != NULL));
    graco_dataset_free(data);
    return status;
}

static graco_status load_ppi(void)
{
    return load("ppi");
}

static graco_status load_ppi_zip(void)
{
    return load("ppi.zip");
}

static graco_status load_reddit(void)
{
    return load("reddit");
}

static graco_status load_reddit_zip(void)
{
    return load("reddit.zip");
}

static graco_status load_graphsaint(void)
{
    return load("flickr");
}

static graco_status load_ogb(void)
{
    return load("arxiv");
}

static graco_status load_ogb_zip(void)
{
    return load("arxiv.zip");
}

static graco_status load_musae(void)
{
    return load("pages");
}

static graco_status load_wikics(void)
{
    return load("wiki");
}

static graco_status load_mapped(void)
{
    return load("mapped");
}

static graco_status generate(const char *like)
{
    graco_dataset *data = NULL;
    graco_generate_options options = graco_generate_defaults();
    options.like = like;
    options.scale = 1e-5;
    graco_status status = graco_dataset_generate(&data, &options);
    graco_dataset_free(data);
    return status;
}

static graco_status generate_ppi(void)
{
    return generate("ppi");
}

static graco_status generate_reddit(void)
{
    return generate("reddit");
}

static graco_status subset(void)
{
    graco_status status;
    int32_t *nodes = NULL;
    int64_t count = 0;
    struct features X = {0};
    status = subset_nodes(&nodes, &count, ppi, 0, SUBSET_ALL);
    if (status == GRACO_OK)
        status = subset_features(&X, &ppi->features, nodes, count);
    features_clear(&X);
    memory_free(nodes);
    return status;
}

int main(void)
{
    graco_generate_options options = graco_generate_defaults();
    options.scale = 1e-5;
    options.like = "ppi";
    CHECK_OK(graco_dataset_generate(&ppi, &options));
    options.like = "reddit";
    CHECK_OK(graco_dataset_generate(&reddit, &options));
    CHECK_OK(published_write(ppi, fixture_path("ppi"), "ppi"));
    CHECK_OK(published_write(ppi, fixture_path("ppi.zip"), "ppi"));
    CHECK_OK(published_write(reddit, fixture_path("reddit"), "reddit"));
    CHECK_OK(published_write(reddit, fixture_path("reddit.zip"), "reddit"));
    CHECK_OK(graco_dataset_save(reddit, fixture_path("mapped")));
    faults_each(load_ppi, "ppi folder");
    faults_each(load_ppi_zip, "ppi archive");
    faults_each(load_reddit, "reddit folder");
    faults_each(load_reddit_zip, "reddit archive");
    small_graphsaint("flickr", "{\"0\": 2, \"3\": 0, \"1\": 1, \"2\": 1}");
    small_ogb("arxiv");
    small_zip("arxiv.zip", "arxiv", "arxiv/");
    small_musae("pages");
    mkdir(fixture_path("wiki"), 0777);
    fixture_text("wiki/data.json", small_wikics);
    faults_each(load_ogb_zip, "OGB archive");
    faults_each(load_musae, "MUSAE");
    faults_each(load_wikics, "Wiki-CS");
    faults_each(load_graphsaint, "GraphSAINT");
    faults_each(load_ogb, "OGB");
    faults_each(load_mapped, "mapped folder");
    faults_each(generate_ppi, "generate ppi");
    faults_each(generate_reddit, "generate reddit");
    faults_each(subset, "subset");
    graco_dataset_free(ppi);
    graco_dataset_free(reddit);
    return check_result();
}
