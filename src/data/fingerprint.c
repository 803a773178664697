/* Fingerprints: each part of a data set goes through one 64-bit hash, item by item, as numbers rather
 * than as bytes in memory, so that every machine finds the same. A step of the hash loses nothing: two
 * states that differ still differ after the same item. It finds mistakes, not forgeries. */
#include "data/dataset.h"
#include "data/fingerprint.h"

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

/* Items of 4 bytes, two at a time. */
static uint64_t mix_items(uint64_t hash, const void *items, int64_t count)
{
    const char *at = items;
    uint32_t pair[2] = {0};
    hash = mix(hash, (uint64_t)count);
    for (; count >= 2; count -= 2, at += sizeof pair) {
        memcpy(pair, at, sizeof pair);
        hash = mix(hash, pair[0] | (uint64_t)pair[1] << 32);
    }
    if (count == 1)
        memcpy(pair, at, sizeof *pair);
    return count == 1 ? mix(hash, pair[0]) : hash;
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

static uint64_t mix_bytes(uint64_t hash, const uint8_t *bytes, int64_t count)
{
    for (int64_t i = 0; bytes && i < count; i++)
        hash = mix(hash, bytes[i]);
    return hash;
}

/* Classes by number: their names do not count. */
static uint64_t hash_labels(const struct graco_dataset *data)
{
    int64_t nodes = data->graph->nodes;
    uint64_t hash = mix_bytes(5, data->label_known, nodes);
    if (data->label)
        hash = mix_items(hash, data->label, nodes);
    return mix_bytes(hash, data->multi, nodes * data->classes);
}

graco_status graco_dataset_fingerprint(char text[GRACO_FINGERPRINT], const graco_dataset *data)
{
    int64_t nodes = data->graph->nodes;
    PASS(features_check(&data->features));
    snprintf(text, GRACO_FINGERPRINT,
             "%" PRId64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64,
             nodes, hash_graph(data), hash_features(&data->features),
             hash_names(data->node_ids, nodes), mix_bytes(4, data->split, nodes),
             hash_labels(data));
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
