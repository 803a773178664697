/* Rank 0 tells the others how it begins, and each compares. Of what is told here the version goes first and
 * alone: the rest may look otherwise in another graco. */
#include "train/ranks_alike.h"

#include "graco_command.h"
#include "data/dataset.h"
#include "data/fingerprint.h"

#include <stdio.h>
#include <string.h>

struct chosen {
    char method[CONFIG_TEXT];
    char value[CONFIG_KEYS][CONFIG_TEXT];
};

/* How a rank begins. */
struct beginning {
    char fingerprint[GRACO_FINGERPRINT];
    int64_t epoch, step;
    uint64_t parameters; /* a hash of what a checkpoint has of them */
    uint64_t order;      /* a hash of the order in which ranks divide the nodes */
};

enum { TEXT = 1024 }; /* of a value that a program compares */

static graco_status compare_texts(const char *what, const char *own, const char *first)
{
    if (strcmp(own, first) == 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "%s is %s, and %s for rank 0: expected the same on every rank", what, own,
                       first);
}

graco_status graco_ranks_alike(const char *what, const char *value)
{
    char own[TEXT] = "", first[TEXT];
    struct comm *comm = comm_world();
    if (!comm)
        return GRACO_OK;
    snprintf(own, sizeof own, "%s", value);
    memcpy(first, own, sizeof first);
    PASS(comm_broadcast(comm, first, sizeof first));
    return comm_agree(comm, compare_texts(what, own, first));
}

/* As fingerprints do it (data/fingerprint.c): finds mistakes, not forgeries. */
static uint64_t hash_floats(uint64_t hash, const float *x, int64_t count)
{
    for (int64_t i = 0; x && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static graco_status compare_versions(struct comm *comm)
{
    char first[CONFIG_TEXT] = "";
    snprintf(first, sizeof first, "%s", graco_version());
    PASS(comm_broadcast(comm, first, sizeof first));
    if (strcmp(first, graco_version()) == 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "it runs graco %s, and rank 0 graco %s: expected the same on every rank",
                       graco_version(), first);
}

static graco_status describe_settings(struct chosen *out, const struct graco_config *config)
{
    const char *key;
    *out = (struct chosen){0};
    snprintf(out->method, sizeof out->method, "%s", config->method);
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++)
        PASS(graco_config_get(config, key, out->value[i], CONFIG_TEXT));
    return GRACO_OK;
}

static graco_status compare_settings(const struct graco_config *config, const struct chosen *own,
                                     const struct chosen *first)
{
    const char *key;
    PASS(compare_texts("method", own->method, first->method));
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++)
        if (graco_config_kind(key) != GRACO_KEY_HOST)
            PASS(compare_texts(key, own->value[i], first->value[i]));
    return GRACO_OK;
}

graco_status ranks_alike_settings(struct comm *comm, const struct graco_config *config)
{
    struct chosen own, first;
    if (!comm)
        return GRACO_OK;
    PASS(comm_agree(comm, compare_versions(comm)));
    PASS(comm_agree(comm, describe_settings(&own, config)));
    first = own;
    PASS(comm_broadcast(comm, &first, sizeof first));
    return comm_agree(comm, compare_settings(config, &own, &first));
}

static void describe(struct beginning *out, const struct graco_model *model,
                     const struct graco_dataset *data)
{
    int64_t order_bytes = dataset_nodes(data) * (int64_t)sizeof *data->order;
    const struct parameters *p = &model->parameters;
    *out = (struct beginning){.epoch = model->epoch, .step = model->step};
    memcpy(out->fingerprint, model->fingerprint, sizeof out->fingerprint);
    out->parameters = hash_floats(1, p->value, p->total);
    out->parameters = hash_floats(out->parameters, p->m, p->total);
    out->parameters = hash_floats(out->parameters, p->v, p->total);
    out->order = fingerprint_bytes(1, (const uint8_t *)data->order, order_bytes);
}

static graco_status compare(const struct beginning *own, const struct beginning *first)
{
    char words[GRACO_DIFFERENCES];
    fingerprint_compare(words, own->fingerprint, first->fingerprint,
                        FINGERPRINT_SPLIT | FINGERPRINT_LABELS);
    if (*words)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "its data set differs from that of rank 0 in: %s; expected the same "
                           "files on every rank",
                           words);
    if (own->order != first->order)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "its data set has another rank_order than that of rank 0; expected the "
                           "same files on every rank");
    if (own->epoch != first->epoch || own->step != first->step ||
        own->parameters != first->parameters)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "its model is after epoch %lld another than that of rank 0 after epoch "
                           "%lld: expected the same run folder on every rank",
                           (long long)own->epoch, (long long)first->epoch);
    return GRACO_OK;
}

graco_status ranks_alike(struct comm *comm, const struct graco_model *model,
                         const struct graco_dataset *data)
{
    struct beginning own, first;
    if (!comm)
        return GRACO_OK;
    describe(&own, model, data);
    first = own;
    PASS(comm_broadcast(comm, &first, sizeof first));
    return comm_agree(comm, compare(&own, &first));
}
