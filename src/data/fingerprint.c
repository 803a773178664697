/* Fingerprints: each part of a data set goes through one 64-bit hash, item by item, as numbers rather
 * than as bytes in memory, so that every machine finds the same. A step of the hash loses nothing: two
 * states that differ still differ after the same item. It finds mistakes, not forgeries. */
#include "data/dataset.h"
#include "data/fingerprint.h"
#include "graph/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 16 };

/* The words of a fingerprint, in order: the number of nodes, then a hash of each. */
static const struct {
    const char *name;
    unsigned counts; /* FINGERPRINT_ ..., 0: always */
} PARTS[] = {{"number of nodes", 0},
             {"graph", 0},
             {"features", 0},
             {"node names", 0},
             {"split", FINGERPRINT_SPLIT},
             {"labels", FINGERPRINT_LABELS}};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static uint64_t mix(uint64_t hash, uint64_t item)
{
    hash = (hash ^ item) * 0x9E3779B97F4A7C15u; /* odd, its bits without pattern: 2^64 over phi */
    return hash ^ hash >> 32;
}

/* A hash on its way through items of 4 bytes, which it takes two at a time: the first of a pair waits for
 * the second, which may come from another rank. */
struct stream {
    uint64_t hash;
    uint32_t held;
    uint32_t holds;
};

static void stream_items(struct stream *s, const void *items, int64_t count)
{
    const char *at = items;
    uint32_t pair[2] = {s->held};
    uint64_t hash = s->hash;
    if (s->holds && count > 0) {
        memcpy(&pair[1], at, sizeof *pair);
        hash = mix(hash, pair[0] | (uint64_t)pair[1] << 32);
        count--;
        at += sizeof *pair;
        s->holds = false;
    }
    for (; count >= 2; count -= 2, at += sizeof pair) {
        memcpy(pair, at, sizeof pair);
        hash = mix(hash, pair[0] | (uint64_t)pair[1] << 32);
    }
    if (count == 1) {
        memcpy(&s->held, at, sizeof s->held);
        s->holds = true;
    }
    s->hash = hash;
}

static uint64_t stream_end(const struct stream *s)
{
    return s->holds ? mix(s->hash, s->held) : s->hash;
}

static uint64_t mix_items(uint64_t hash, const void *items, int64_t count)
{
    struct stream s = {.hash = mix(hash, (uint64_t)count)};
    stream_items(&s, items, count);
    return stream_end(&s);
}

static uint64_t mix_rows(uint64_t hash, const struct csr *matrix)
{
    int64_t entries = matrix->start[matrix->rows];
    for (int64_t i = 0; i <= matrix->rows; i++)
        hash = mix(hash, (uint64_t)matrix->start[i]);
    hash = mix_items(hash, matrix->index, entries);
    return matrix->value ? mix_items(hash, matrix->value, entries) : hash;
}

/* Edges by target, then source, and which graph a node belongs to. */
static uint64_t hash_graph(const struct graco_dataset *data)
{
    uint64_t hash = mix_rows(1, &data->graph->in);
    return data->graphs > 1 ? mix_items(hash, data->graph_id, data->graph->nodes) : hash;
}

/* The same numbers dense and sparse are not the same: sums over them have other orders. */
static uint64_t hash_features(const struct features *X)
{
    uint64_t hash = mix(2, (uint64_t)X->cols);
    if (X->cols == 0)
        return hash;
    return X->dense ? mix_items(hash, X->dense, X->rows * X->cols) : mix_rows(hash, &X->sparse);
}

enum { NO_NAMES = 3 }; /* the hash of names where there are none */

static uint64_t hash_names(char *const *names, int64_t count)
{
    uint64_t hash = NO_NAMES;
    for (int64_t i = 0; names && i < count; i++)
        for (const char *at = names[i]; at == names[i] || at[-1]; at++)
            hash = mix(hash, (unsigned char)*at); /* its NUL too, which ends it */
    return hash;
}

uint64_t fingerprint_bytes(uint64_t hash, const uint8_t *bytes, int64_t count)
{
    for (int64_t i = 0; bytes && i < count; i++)
        hash = mix(hash, bytes[i]);
    return hash;
}

/* Classes by number: their names do not count. */
static uint64_t hash_labels(const struct graco_dataset *data)
{
    int64_t nodes = dataset_nodes(data);
    uint64_t hash = fingerprint_bytes(5, data->label_known, nodes);
    if (data->label)
        hash = mix_items(hash, class_numbers(data), nodes);
    return fingerprint_bytes(hash, data->multi, nodes * data->classes);
}

static void print(char text[GRACO_FINGERPRINT], const graco_dataset *data, uint64_t graph,
                  uint64_t features)
{
    int64_t nodes = dataset_nodes(data);
    snprintf(text, GRACO_FINGERPRINT,
             "%" PRId64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64,
             nodes, graph, features, hash_names(data->node_ids, nodes),
             fingerprint_bytes(4, data->split, nodes), hash_labels(data));
}

graco_status graco_dataset_fingerprint(char text[GRACO_FINGERPRINT], const graco_dataset *data)
{
    if (data->shard) {
        memcpy(text, data->shard->fingerprint, GRACO_FINGERPRINT);
        return GRACO_OK;
    }
    PASS(features_check(&data->features));
    print(text, data, hash_graph(data), hash_features(&data->features));
    return GRACO_OK;
}

/* ---- Over ranks ------------------------------------------------------------------------------ */

/* What a rank adds to a hash when its turn comes. */
struct turn {
    struct comm *comm;
    const struct csr *rows; /* whose starts are mixed; NULL: `items` are */
    int64_t before;         /* entries of the ranks before */
    const int32_t
        *names; /* of what 4-byte items count, in the whole; NULL: they stand for themselves */
    const void *items;
    int64_t count;
};

static void take_turn(struct stream *s, const struct turn *t)
{
    const int32_t *index = t->items;
    bool last = comm_rank(t->comm) == comm_ranks(t->comm) - 1;
    for (int64_t i = 0; t->rows && i < t->rows->rows + last; i++)
        s->hash = mix(s->hash, (uint64_t)(t->before + t->rows->start[i]));
    for (int64_t i = 0; t->names && i < t->count; i++)
        stream_items(s, &t->names[index[i]], 1);
    if (t->items && !t->names)
        stream_items(s, t->items, t->count);
}

/* Takes a hash from rank to rank, each of which adds its own; all have it in the end. */
static graco_status mix_turns(uint64_t *hash, const struct turn *turn)
{
    struct stream s = {.hash = *hash};
    for (int rank = 0; rank < comm_ranks(turn->comm); rank++) {
        if (rank == comm_rank(turn->comm))
            take_turn(&s, turn);
        PASS(comm_broadcast_from(turn->comm, rank, &s, sizeof s));
    }
    *hash = stream_end(&s);
    return GRACO_OK;
}

/* mix_rows over the rows of all ranks, `all` entries in all. */
static graco_status mix_shards(uint64_t *hash, struct comm *comm, const struct csr *rows,
                               const int32_t *names, int64_t before, int64_t all)
{
    int64_t own = rows->start[rows->rows];
    struct turn starts = {.comm = comm, .rows = rows, .before = before};
    struct turn index = {.comm = comm, .names = names, .items = rows->index, .count = own};
    struct turn value = {.comm = comm, .items = rows->value, .count = own};
    PASS(mix_turns(hash, &starts));
    *hash = mix(*hash, (uint64_t)all);
    PASS(mix_turns(hash, &index));
    if (!rows->value)
        return GRACO_OK;
    *hash = mix(*hash, (uint64_t)all);
    return mix_turns(hash, &value);
}

graco_status fingerprint_shard(char text[GRACO_FINGERPRINT], const struct graco_dataset *data)
{
    const struct shard *shard = data->shard->shard;
    const graco_dataset_info *info = &data->shard->info;
    const struct features *X = &data->features;
    uint64_t graph = 1, features = mix(2, (uint64_t)X->cols);
    PASS(features_check(X));
    PASS(mix_shards(&graph, shard->comm, &shard->graph.in, shard->nodes, shard->edges_before,
                    shard->all_edges));
    if (X->cols == 0) {
        print(text, data, graph, features);
        return GRACO_OK;
    }
    if (X->dense) {
        struct turn rows = {.comm = shard->comm, .items = X->dense, .count = X->rows * X->cols};
        features = mix(features, (uint64_t)(info->nodes * X->cols));
        PASS(mix_turns(&features, &rows));
    } else {
        PASS(mix_shards(&features, shard->comm, &X->sparse, NULL, data->shard->entries_before,
                        info->feature_entries));
    }
    print(text, data, graph, features);
    return GRACO_OK;
}

bool fingerprint_valid(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10)
        return false;
    text += digits;
    for (int i = 1; i < PART_COUNT; i++, text += 1 + HASH_DIGITS)
        if (*text != '-' || strspn(text + 1, "0123456789abcdef") != HASH_DIGITS)
            return false;
    return !*text;
}

bool fingerprint_named(const char *text)
{
    for (int part = 0; part < 3; part++) /* nodes, graph, features */
        text += strcspn(text, "-") + 1;
    return strtoull(text, NULL, 16) != NO_NAMES;
}

void fingerprint_compare(char words[GRACO_DIFFERENCES], const char *a, const char *b,
                         unsigned counts)
{
    size_t used = 0;
    *words = '\0';
    for (int i = 0; i < PART_COUNT; i++) {
        size_t length = strcspn(a, "-"), other = strcspn(b, "-");
        bool same = length == other && memcmp(a, b, length) == 0;
        if (!same && (PARTS[i].counts & ~counts) == 0)
            used += (size_t)snprintf(words + used, GRACO_DIFFERENCES - used, "%s%s",
                                     used > 0 ? ", " : "", PARTS[i].name);
        a += length + (a[length] == '-');
        b += other + (b[other] == '-');
    }
}
