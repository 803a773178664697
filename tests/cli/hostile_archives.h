/* Archives that are made to cost more than they have bytes, for test_hostile.c. */
#ifndef TESTS_CLI_HOSTILE_ARCHIVES_H
#define TESTS_CLI_HOSTILE_ARCHIVES_H

#include "data/packed_files.h"

/* A zip archive with one member of zeros, deflated to a thousandth: so many MiB, behind the header
 * of an array or bare. */
static inline void write_bomb(const char *name, const char *member, int64_t mebibytes, bool array)
{
    int64_t size = mebibytes << 20, at = 0;
    uint8_t *zeros = calloc(1, (size_t)size + NPY_HEADER_MAX);
    struct array described;
    int error = 0;
    CHECK_OK(array_describe(&described, ARRAY_U8, 1, 1, &size));
    if (array)
        CHECK_OK(npy_header((char *)zeros, &at, &described));
    zip_t *zip = zip_open(fixture_path(name), ZIP_CREATE | ZIP_TRUNCATE, &error);
    CHECK(zip != NULL);
    zip_source_t *source = zip_source_buffer(zip, zeros, (zip_uint64_t)(size + at), 0);
    CHECK(zip_file_add(zip, member, source, 0) == 0 && zip_close(zip) == 0);
    free(zeros);
}

/* Archives of zeros within archives: each packing makes them a thousand times smaller. */
static inline void write_twice_packed(void)
{
    enum { ZEROS = 1 << 24 };
    static const char *const reddit[] = {"reddit_data.npz", "reddit_graph.npz"};
    static const char *const saint[] = {"adj_full.npz", "feats.npy", "class_map.json", "role.json"};
    static const char *const text[] = {"raw/edge.csv.gz", "raw/num-node-list.csv.gz"};
    static const int64_t shape[2] = {3, 1};
    const int64_t nodes = ZEROS / 4;
    uint8_t *zeros = calloc(1, ZEROS);
    struct array feats;
    struct small_arrays features = {0}, graph = {0}, native = {0}, scipy = {0};
    small_add(&features, "feature", ARRAY_U8, zeros, nodes, 1);
    small_add(&features, "label", ARRAY_U8, zeros, nodes, -1);
    small_add(&features, "node_types", ARRAY_U8, zeros, nodes, -1);
    small_npz(&features, reddit[0]);
    small_add(&graph, "row", ARRAY_I32, zeros, 1, -1);
    small_add(&graph, "col", ARRAY_I32, zeros, 1, -1);
    small_add(&graph, "shape", ARRAY_I64, (const int64_t[]){nodes, nodes}, 2, -1);
    small_npz(&graph, reddit[1]);
    packed_zip("twice.zip", reddit, 2);
    packed_gzip("thrice.zip.gz", "twice.zip");
    small_add(&native, "edge_index", ARRAY_I32, zeros, 2, 0);
    small_add(&native, "x", ARRAY_U8, zeros, ZEROS, 1);
    small_npz(&native, "once.npz");
    packed_gzip("twice.npz.gz", "once.npz");
    small_add(&scipy, "row", ARRAY_U8, zeros, nodes, -1);
    small_add(&scipy, "col", ARRAY_U8, zeros, nodes, -1);
    small_add(&scipy, "data", ARRAY_U8, zeros, nodes - 1, -1);
    small_add(&scipy, "shape", ARRAY_I64, shape, 2, -1);
    scipy.arrays[scipy.count] =
        (struct array){.type = ARRAY_BYTES, .count = 1, .size = 3, .data = "coo"};
    scipy.entries[scipy.count++].name = "format";
    small_npz(&scipy, "scipy.npz");
    packed_gzip("scipy.npz.gz", "scipy.npz");
    rename(fixture_path("scipy.npz"), fixture_path("adj_full.npz"));
    small_npz(&scipy, "scipy.npz");
    fixture_text("class_map.json", "{\"0\": 0}");
    fixture_text("role.json", "{}");
    CHECK_OK(array_borrow(&feats, ARRAY_U8, zeros, 2, shape));
    CHECK_OK(npy_write(fixture_path(saint[1]), &feats));
    packed_zip("saint.zip", saint, 4);
    mkdir(fixture_path("raw"), 0777);
    memset(zeros, '\n', ZEROS);
    small_gzip(text[0], "0,1\n", 4, 9);
    small_gzip(text[1], zeros, ZEROS, 9);
    packed_zip("text.zip", text, 2);
    free(zeros);
}

/* Two nodes with names of which the first goes on behind a NUL; an array that bzip2 packed; a directory
 * of many names, which Info-ZIP counts modulo 65,536. */
static inline void write_odd_archives(void)
{
    static const int32_t edge[2] = {0, 1};
    struct small_arrays arrays = {0};
    uint8_t *bytes = NULL, *crowd;
    int64_t length = 0;
    small_add(&arrays, "edge_index", ARRAY_I32, edge, 2, 1);
    small_npz(&arrays, "bzip2.npz");
    arrays.arrays[1] = (struct array){
        .type = ARRAY_BYTES, .ndim = 1, .shape = {2}, .count = 2, .size = 3, .data = "a\0bc\0"};
    arrays.entries[1].name = "node_ids";
    arrays.count = 2;
    small_npz(&arrays, "cut_names.npz");
    CHECK_OK(file_read(&bytes, &length, fixture_path("bzip2.npz"), 1 << 16));
    for (int64_t i = 0; i + 11 < length; i++)
        if (memcmp(bytes + i, "PK\1\2", 4) == 0)
            bytes[8] = bytes[i + 10] = ZIP_CM_BZIP2;
    fixture_write("bzip2.npz", bytes, (size_t)length);
    memory_free(bytes);
    crowd = packed_crowd(&length, &(struct packed_crowd){65536, 34, 65536, true, 1});
    fixture_write("crowd.npz", crowd, (size_t)length);
    free(crowd);
}

#endif
