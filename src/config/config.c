#include "config/config.h"

#include "base/memory.h"
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key_type { KEY_CHOICE, KEY_COUNT, KEY_REAL, KEY_SEED, KEY_BYTES, KEY_LIST };

struct key {
    const char *name, *help;
    enum key_type type;
    size_t offset;
    double low, high;     /* allowed, both included */
    const char *words[4]; /* of a choice, in the enum's order */
};

#define AT(field) offsetof(graco_config, field)
#define STEPS_MAX 4294967295.0       /* a step has 32 bits in the random counter */
#define BYTES_MAX 9007199254740992.0 /* 2^53 */

#define CHOICE(field, help_text, ...)                                                              \
    {                                                                                              \
        .name = #field, .help = help_text, .type = KEY_CHOICE, .offset = AT(field), .words = {     \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define COUNT(field, help_text, least, most)                                                       \
    {                                                                                              \
        .name = #field, .help = help_text, .type = KEY_COUNT, .offset = AT(field), .low = least,   \
        .high = most                                                                               \
    }
#define REAL(field, help_text, least, most)                                                        \
    {                                                                                              \
        .name = #field, .help = help_text, .type = KEY_REAL, .offset = AT(field), .low = least,    \
        .high = most                                                                               \
    }

static const struct key KEYS[] = {
    CHOICE(encoder, "graph encoder", "gcn", "sage", "sage_skip"),
    CHOICE(features, "preparation of features", "none", "rowsum", "binary_rowsum"),
    CHOICE(activation, "activation of the encoder", "relu", "prelu", "elu", "rrelu"),
    CHOICE(objective, "contrastive objective", "exact", "infonce", "moment"),
    COUNT(hidden, "width of the embeddings", 1, 65536),
    COUNT(projection, "width inside the projector, 0: as hidden", 0, 65536),
    COUNT(layers, "layers of the encoder", 1, GRACO_LAYERS_MAX),
    REAL(drop_edge_1, "share of edges removed, view 1", 0, 1),
    REAL(drop_edge_2, "share of edges removed, view 2", 0, 1),
    REAL(drop_feature_1, "share of features masked, view 1", 0, 1),
    REAL(drop_feature_2, "share of features masked, view 2", 0, 1),
    REAL(tau, "temperature", 0.01, 100),
    REAL(lr, "learning rate of Adam", 0, 10),
    REAL(weight_decay, "L2 weight decay", 0, 10),
    COUNT(epochs, "epochs of training", 0, STEPS_MAX),
    COUNT(correction, "rows sampled by moment's correction, 0: none", 0, 1048576),
    REAL(contaminate, "share of feature entries zeroed before training", 0, 1),
    COUNT(batch, "seeds of a mini-batch, 0: whole graphs at once", 0, 1048576),
    {.name = "fanout",
     .help = "neighbours drawn per hop, from the seeds outward, 0: all",
     .type = KEY_LIST,
     .offset = AT(fanout),
     .high = 65536},
    COUNT(inductive, "1: train on the training split alone", 0, 1),
    COUNT(checkpoint_every, "epochs between checkpoints", 1, STEPS_MAX),
    {.name = "seed", .help = "seed of all random numbers", .type = KEY_SEED, .offset = AT(seed)},
    CHOICE(precision, "operands of a GPU's dense products", "fp32", "tf32", "fp16"),
    CHOICE(device, "where to compute", "auto", "cpu", "cuda"),
    COUNT(threads, "threads, 0: one per core", 0, 1024),
    {.name = "memory",
     .help = "bytes of kept tiles, such as 256M",
     .type = KEY_BYTES,
     .offset = AT(memory),
     .high = BYTES_MAX},
};

enum { KEYS_COUNT = sizeof KEYS / sizeof *KEYS };

const char *graco_config_key(int index, const char **help)
{
    if (index < 0 || index >= KEYS_COUNT)
        return NULL;
    if (help)
        *help = KEYS[index].help;
    return KEYS[index].name;
}

static graco_status find_key(const struct key **out, const char *name)
{
    for (int i = 0; i < KEYS_COUNT; i++)
        if (strcmp(KEYS[i].name, name) == 0) {
            *out = &KEYS[i];
            return GRACO_OK;
        }
    char known[768] = "";
    for (int i = 0; i < KEYS_COUNT; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", KEYS[i].name);
    }
    return status_fail(GRACO_ERROR_ARGUMENT, "unknown setting '%s'; the settings are %s", name,
                       known);
}

static void *field(const graco_config *config, const struct key *key)
{
    return (char *)config + key->offset;
}

/* ---- Text to value --------------------------------------------------------------------------- */

static graco_status set_choice(graco_config *config, const struct key *key, const char *value)
{
    char known[CONFIG_TEXT] = "";
    for (int i = 0; i < 4 && key->words[i]; i++) {
        if (strcmp(key->words[i], value) == 0) {
            memcpy(field(config, key), &i, sizeof i);
            return GRACO_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", key->words[i]);
    }
    return status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected one of %s", key->name, value,
                       known);
}

/* A size such as 256M: the factor of its suffix, or 0 if it has another one. */
static double suffix_factor(const char *suffix)
{
    static const char letters[] = "KMGT";
    if (!*suffix)
        return 1;
    const char *found = strchr(letters, toupper((unsigned char)*suffix));
    if (!found || suffix[1])
        return 0;
    return ldexp(1, 10 * (int)(found - letters + 1));
}

static graco_status out_of_range(const struct key *key, const char *value)
{
    const char *what = key->type == KEY_REAL    ? "a number"
                       : key->type == KEY_BYTES ? "a size such as 256M or 4G"
                                                : "a whole number";
    return status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected %s from %g to %g", key->name,
                       value, what, key->low, key->high);
}

static graco_status set_number(graco_config *config, const struct key *key, const char *value)
{
    char *end;
    double number = number_parse(value, &end);
    double factor = key->type == KEY_BYTES ? suffix_factor(end) : *end == 0;
    number *= factor;
    bool whole = key->type == KEY_REAL || number == floor(number);
    if (end == value || isspace((unsigned char)*value) || factor == 0 || !whole ||
        !(number >= key->low && number <= key->high))
        return out_of_range(key, value);
    if (key->type == KEY_REAL) {
        memcpy(field(config, key), &number, sizeof number);
    } else {
        int64_t count = (int64_t)number;
        memcpy(field(config, key), &count, sizeof count);
    }
    return GRACO_OK;
}

static graco_status set_seed(graco_config *config, const struct key *key, const char *value)
{
    char *end;
    errno = 0;
    uint64_t seed = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno)
        return status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected a whole number below 2^64",
                           key->name, value);
    memcpy(field(config, key), &seed, sizeof seed);
    return GRACO_OK;
}

/* Numbers separated by commas; the last one stands for all that are not given. */
static graco_status set_list(graco_config *config, const struct key *key, const char *value)
{
    int64_t list[GRACO_LAYERS_MAX];
    const char *at = value;
    for (int i = 0; i < GRACO_LAYERS_MAX; i++) {
        if (!at) {
            list[i] = list[i - 1];
            continue;
        }
        char *end;
        double number = isdigit((unsigned char)*at) ? number_parse(at, &end) : -1;
        if (!(number >= key->low && number <= key->high) || number != floor(number) ||
            (*end && *end != ','))
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "%s is '%s'; expected whole numbers from %g to %g such as 30,25,20",
                               key->name, value, key->low, key->high);
        list[i] = (int64_t)number;
        at = *end ? end + 1 : NULL;
    }
    if (at)
        return status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected at most %d numbers",
                           key->name, value, GRACO_LAYERS_MAX);
    memcpy(field(config, key), list, sizeof list);
    return GRACO_OK;
}

graco_status graco_config_set(graco_config *config, const char *name, const char *value)
{
    const struct key *key = NULL;
    graco_status status = find_key(&key, name);
    if (status != GRACO_OK)
        return status;
    if (key->type == KEY_CHOICE)
        return set_choice(config, key, value);
    if (key->type == KEY_LIST)
        return set_list(config, key, value);
    return key->type == KEY_SEED ? set_seed(config, key, value) : set_number(config, key, value);
}

/* ---- Value to text --------------------------------------------------------------------------- */

/* A list without the repetitions at its end. */
static void print_list(char text[CONFIG_TEXT], const int64_t list[GRACO_LAYERS_MAX])
{
    int count = GRACO_LAYERS_MAX;
    size_t used = 0;
    while (count > 1 && list[count - 2] == list[count - 1])
        count--;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, CONFIG_TEXT - used, "%s%lld", i ? "," : "",
                                 (long long)list[i]);
}

static void print_value(char text[CONFIG_TEXT], const graco_config *config, const struct key *key)
{
    union {
        int choice;
        int64_t count;
        uint64_t seed;
        double real;
    } value;
    if (key->type == KEY_CHOICE) {
        memcpy(&value.choice, field(config, key), sizeof value.choice);
        bool known = value.choice >= 0 && value.choice < 4 && key->words[value.choice];
        snprintf(text, CONFIG_TEXT, "%s", known ? key->words[value.choice] : "?");
        return;
    }
    if (key->type == KEY_LIST) {
        print_list(text, field(config, key));
        return;
    }
    memcpy(&value, field(config, key), sizeof(int64_t));
    if (key->type == KEY_REAL)
        number_shortest(text, value.real);
    else if (key->type == KEY_SEED)
        snprintf(text, CONFIG_TEXT, "%llu", (unsigned long long)value.seed);
    else
        snprintf(text, CONFIG_TEXT, "%lld", (long long)value.count);
}

graco_status graco_config_get(const graco_config *config, const char *name, char *value,
                              size_t size)
{
    const struct key *key = NULL;
    char text[CONFIG_TEXT];
    graco_status status = find_key(&key, name);
    if (status != GRACO_OK)
        return status;
    print_value(text, config, key);
    if (strlen(text) + 1 > size)
        return status_fail(GRACO_ERROR_ARGUMENT, "%s needs %zu bytes, the buffer has %zu", name,
                           strlen(text) + 1, size);
    memcpy(value, text, strlen(text) + 1);
    return GRACO_OK;
}

graco_status config_check(const graco_config *config)
{
    graco_config copy;
    char text[CONFIG_TEXT];
    for (int i = 0; i < KEYS_COUNT; i++) {
        print_value(text, config, &KEYS[i]);
        graco_status status = graco_config_set(&copy, KEYS[i].name, text);
        if (status != GRACO_OK)
            return status;
    }
    return GRACO_OK;
}

const char *config_device(graco_device device)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return device >= GRACO_DEVICE_AUTO && device <= GRACO_DEVICE_CUDA ? names[device] : "?";
}
