/* Writing the layouts of read_ppi.c and read_reddit.c, piece by piece: beside the data set only a
 * buffer is in memory. */
#include "graco.h"
#include "data/published.h"

#include "base/memory.h"
#include "data/store.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* Fills items [first, first + count) of an array; `user` is the data set and what else it takes. */
typedef void fill_fn(void *items, const void *user, int64_t first, int64_t count);

/* Writes an array of `rows` x `cols` items (cols 0: one dimension) in pieces. */
static graco_status put_array(struct store *store, const char *name, enum array_type type,
                              int64_t rows, int64_t cols, fill_fn *fill, const void *user)
{
    graco_status status = GRACO_OK;
    const int64_t shape[2] = {rows, cols};
    struct array described;
    uint8_t *items = NULL;
    TRY(array_describe(&described, type, 0, cols > 0 ? 2 : 1, shape));
    TRY(memory_alloc(&items, CHUNK, (size_t)described.size));
    TRY(store_array_begin(store, name, &described));
    for (int64_t at = 0; at < described.count; at += CHUNK) {
        int64_t count = described.count - at < CHUNK ? described.count - at : CHUNK;
        fill(items, user, at, count);
        TRY(store_write(store, items, count * described.size));
    }
    TRY(store_end(store));
done:
    memory_free(items);
    return status;
}

/* ---- Reddit ---------------------------------------------------------------------------------- */

static void fill_label(void *items, const void *user, int64_t first, int64_t count)
{
    const graco_dataset *data = user;
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)items)[i] = data->label[first + i];
}

static void fill_number(void *items, const void *user, int64_t first, int64_t count)
{
    (void)user;
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)items)[i] = first + i;
}

static void fill_type(void *items, const void *user, int64_t first, int64_t count)
{
    const graco_dataset *data = user;
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)items)[i] = data->split[first + i] + 1;
}

static void fill_one(void *items, const void *user, int64_t first, int64_t count)
{
    (void)user, (void)first;
    memset(items, 1, (size_t)count);
}

/* Where the writing of the rows of entries has come to: saves the search for the next one. */
struct next_edge {
    const struct csr *out;
    int64_t *row;
};

static void fill_row(void *items, const void *user, int64_t first, int64_t count)
{
    const struct next_edge *at = user;
    for (int64_t i = 0; i < count; i++) {
        while (at->out->start[*at->row + 1] <= first + i)
            ++*at->row;
        ((int32_t *)items)[i] = (int32_t)*at->row;
    }
}

static graco_status put_reddit_data(struct store *store, const graco_dataset *data)
{
    int64_t N = data->graph->nodes;
    const int64_t shape[2] = {N, data->features.cols};
    struct array feature;
    PASS(array_borrow(&feature, ARRAY_F32, data->features.dense, 2, shape));
    PASS(store_array(store, "feature", &feature));
    PASS(put_array(store, "label", ARRAY_I64, N, 0, fill_label, data));
    PASS(put_array(store, "node_ids", ARRAY_I64, N, 0, fill_number, data));
    return put_array(store, "node_types", ARRAY_I64, N, 0, fill_type, data);
}

static graco_status put_reddit_graph(struct store *store, const graco_dataset *data)
{
    const struct graph *graph = data->graph;
    const int64_t size[2] = {graph->nodes, graph->nodes}, two = 2;
    int64_t row = 0;
    struct next_edge cursor = {&graph->out, &row};
    struct array col, shape, format;
    PASS(put_array(store, "row", ARRAY_I32, graph->edges, 0, fill_row, &cursor));
    PASS(array_borrow(&col, ARRAY_I32, graph->out.index, 1, &graph->edges));
    PASS(store_array(store, "col", &col));
    PASS(array_describe(&format, ARRAY_BYTES, 3, 0, NULL));
    format.data = "coo";
    PASS(store_array(store, "format", &format));
    PASS(array_borrow(&shape, ARRAY_I64, size, 1, &two));
    PASS(store_array(store, "shape", &shape));
    return put_array(store, "data", ARRAY_I8, graph->edges, 0, fill_one, NULL);
}

static graco_status put_inner(struct store *store, const char *name, const graco_dataset *data,
                              graco_status (*put)(struct store *, const graco_dataset *))
{
    graco_status status = GRACO_OK;
    struct store *inner = NULL;
    TRY(store_begin(store, name));
    TRY(store_create_within(&inner, store));
    TRY(put(inner, data));
    TRY(store_commit(inner));
    TRY(store_end(store));
done:
    store_free(inner);
    return status;
}

static graco_status put_reddit(struct store *store, const graco_dataset *data)
{
    PASS(put_inner(store, "reddit_data.npz", data, put_reddit_data));
    return put_inner(store, "reddit_graph.npz", data, put_reddit_graph);
}

/* ---- PPI ------------------------------------------------------------------------------------- */

/* The nodes [first, end) of one split. */
struct part {
    const graco_dataset *data;
    int64_t first, end;
};

static void fill_feats(void *items, const void *user, int64_t first, int64_t count)
{
    const struct part *part = user;
    const float *from = part->data->features.dense + part->first * part->data->features.cols;
    for (int64_t i = 0; i < count; i++)
        ((double *)items)[i] = (double)from[first + i];
}

static void fill_labels(void *items, const void *user, int64_t first, int64_t count)
{
    const struct part *part = user;
    const uint8_t *from = part->data->multi + part->first * part->data->classes;
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)items)[i] = from[first + i];
}

static void fill_graph_id(void *items, const void *user, int64_t first, int64_t count)
{
    const struct part *part = user;
    for (int64_t i = 0; i < count; i++)
        ((int64_t *)items)[i] = part->data->graph_id[part->first + first + i] + 1;
}

static void fill_mask(void *items, const void *user, int64_t first, int64_t count)
{
    const struct part *part = user;
    memcpy(items, part->data->label_known + part->first + first, (size_t)count);
}

static graco_status put_text(struct store *store, const char *text)
{
    return store_write(store, text, (int64_t)strlen(text));
}

static graco_status put_links(struct store *store, const struct part *part)
{
    const struct graph *graph = part->data->graph;
    bool comma = false;
    char text[96];
    for (int64_t s = part->first; s < part->end; s++) {
        for (int64_t k = graph->out.start[s]; k < graph->out.start[s + 1]; k++) {
            snprintf(text, sizeof text, "%s{\"source\": %lld, \"target\": %lld}", comma ? ", " : "",
                     (long long)(s - part->first), (long long)(graph->out.index[k] - part->first));
            PASS(put_text(store, text));
            comma = true;
        }
    }
    return GRACO_OK;
}

static graco_status put_graph(struct store *store, const char *name, const struct part *part)
{
    char text[64];
    PASS(store_begin(store, name));
    PASS(
        put_text(store, "{\"directed\": true, \"multigraph\": false, \"graph\": {}, \"nodes\": ["));
    for (int64_t i = 0; i < part->end - part->first; i++) {
        snprintf(text, sizeof text, "%s{\"id\": %lld}", i > 0 ? ", " : "", (long long)i);
        PASS(put_text(store, text));
    }
    PASS(put_text(store, "], \"links\": ["));
    PASS(put_links(store, part));
    PASS(put_text(store, "]}"));
    return store_end(store);
}

static graco_status put_part(struct store *store, const struct part *part, const char *split)
{
    const graco_dataset *data = part->data;
    int64_t n = part->end - part->first;
    char name[32];
    snprintf(name, sizeof name, "%s_graph.json", split);
    PASS(put_graph(store, name, part));
    snprintf(name, sizeof name, "%s_feats", split);
    PASS(put_array(store, name, ARRAY_F64, n, data->features.cols, fill_feats, part));
    snprintf(name, sizeof name, "%s_labels", split);
    PASS(put_array(store, name, ARRAY_I64, n, data->classes, fill_labels, part));
    snprintf(name, sizeof name, "%s_graph_id", split);
    PASS(put_array(store, name, ARRAY_I64, n, 0, fill_graph_id, part));
    if (data->label_known) {
        snprintf(name, sizeof name, "%s_label_mask", split);
        PASS(put_array(store, name, ARRAY_BOOL, n, 0, fill_mask, part));
    }
    return GRACO_OK;
}

static graco_status put_ppi(struct store *store, const graco_dataset *data)
{
    static const char *const splits[3] = {"train", "valid", "test"};
    struct part part = {.data = data};
    for (int s = 0; s < 3; s++) {
        while (part.end < data->graph->nodes && data->split[part.end] == s)
            part.end++;
        PASS(put_part(store, &part, splits[s]));
        part.first = part.end;
    }
    return GRACO_OK;
}

graco_status published_write(const graco_dataset *data, const char *path, const char *layout)
{
    graco_status status = GRACO_OK;
    struct store *store = NULL;
    bool ppi = strcmp(layout, "ppi") == 0;
    TRY(store_create(&store, path));
    TRY(ppi ? put_ppi(store, data) : put_reddit(store, data));
    TRY(store_commit(store));
done:
    store_free(store);
    return status;
}
