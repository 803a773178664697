/* Settings as text: what `--set` writes, what config.json and checkpoints hold.
 *
 * A value is read into its field and printed from it by the key's type alone, so that the list of keys
 * is all there is to extend. A key that the configuration's method does not read is refused by name:
 * a setting that does nothing would be believed to do something. */
#include "config/config.h"

#include "graco_more.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/words.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum key_type { KEY_CHOICE, KEY_COUNT, KEY_REAL, KEY_SEED, KEY_BYTES, KEY_LIST, KEY_SET };

struct key {
    const char *name;
    enum key_type type;
    bool common; /* every method reads it */
    size_t offset;
    double low, high;         /* allowed, both included */
    const char *const *words; /* of a choice, a set, or a count; NULL ends */
    const char *start, *help;
    graco_key_kind kind;
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ENCODER(name) #name,
static const char *const ENCODERS[] = {
#include "config/encoders.def"
    NULL};
#undef ENCODER
#define ACTIVATIONS WORDS("relu", "prelu", "elu", "rrelu") /* as enum activation_kind */
#define OBJECTIVES                                         /* as enum objective_kind */            \
    WORDS("exact", "infonce", "moment", "sampled", "auto")
#define PARTS WORDS("learned", "own", "smooth", "auto") /* as the bits in config.h */
#define COLUMNS WORDS("all")
#define EPOCHS WORDS("auto")
#define WIDTHS WORDS("auto")
#define SCALINGS /* as enum scaling */                                                             \
    WORDS("none", "rowsum", "binary_rowsum", "auto", "standard", "quantile")
#define NODE_FEATURES /* as enum node_features */                                                  \
    WORDS("auto", "given", "degree", "spectral", "learned", "walk")
#define PRECISIONS WORDS("fp32", "tf32", "fp16", "bf16") /* as enum precision */
#define PROTOCOLS WORDS("paper", "authors", "public")    /* as enum graco_protocol */
#define DEVICES WORDS("auto", "cpu", "cuda")             /* as backend_find has them */
#define FILTERS WORDS("mean", "power")                   /* as enum filter_kind */
#define REDUCTIONS WORDS("components", "signs")          /* as enum reduction */
#define STEPS_MAX 4294967295.0       /* a step has 32 bits in the random counter */
#define BYTES_MAX 9007199254740992.0 /* 2^53 */

/* A row of keys.def ends with the help, or with a kind behind it. */
#define KEY(common_, type_, name_, low_, high_, words_, start_, ...)                               \
    {.name = #name_,                                                                               \
     .type = KEY_##type_,                                                                          \
     .common = common_,                                                                            \
     .offset = offsetof(struct graco_config, name_),                                               \
     .low = low_,                                                                                  \
     .high = high_,                                                                                \
     .words = words_,                                                                              \
     .start = start_,                                                                              \
     __VA_ARGS__},
#define OWN(...) KEY(false, __VA_ARGS__)
#define ALL(...) KEY(true, __VA_ARGS__)
#define MACHINE GRACO_KEY_MACHINE
#define LENGTH GRACO_KEY_LENGTH
#define EACH GRACO_KEY_EACH
#define FREE GRACO_KEY_FREE
#define HOST GRACO_KEY_HOST

static const struct key KEYS[] = {
#include "config/keys.def"
};

static bool reads(const struct graco_config *config, const struct key *key)
{
    if (key->common)
        return true;
    for (const char *const *own = config->keys; *own; own++)
        if (strcmp(*own, key->name) == 0)
            return true;
    return false;
}

const char *graco_config_key(const graco_config *config, int index, const char **help)
{
    for (int i = 0; i < CONFIG_KEYS && index >= 0; i++)
        if (reads(config, &KEYS[i]) && index-- == 0) {
            if (help)
                *help = KEYS[i].help;
            return KEYS[i].name;
        }
    return NULL;
}

static const struct key *key_named(const char *name)
{
    for (int i = 0; i < CONFIG_KEYS; i++)
        if (strcmp(KEYS[i].name, name) == 0)
            return &KEYS[i];
    return NULL;
}

const char *graco_config_word(const char *key, int index)
{
    const struct key *found = key_named(key);
    for (int i = 0; found && found->words && found->words[i]; i++)
        if (i == index)
            return found->words[i];
    return NULL;
}

graco_key_kind graco_config_kind(const char *key)
{
    const struct key *found = key_named(key);
    return found ? found->kind : GRACO_KEY_FIXED;
}

int64_t config_columns(const struct graco_config *config)
{
    return config->columns ? config->columns : config->hidden;
}

bool config_reads(const struct graco_config *config, const char *key)
{
    const struct key *found = key_named(key);
    return found && reads(config, found);
}

bool config_is_whole(const char *key)
{
    const struct key *found = key_named(key);
    return found && found->type != KEY_REAL && found->type != KEY_CHOICE && found->type != KEY_SET;
}

bool config_is_set(const char *key)
{
    const struct key *found = key_named(key);
    return found && found->type == KEY_SET;
}

/* The key of that name, which the method must read. */
static graco_status find_key(const struct key **out, const struct graco_config *config,
                             const char *name)
{
    const char *known[CONFIG_KEYS + 1] = {NULL};
    char what[CONFIG_TEXT + 40];
    const struct key *key = key_named(name);
    *out = key;
    if (key && reads(config, key))
        return GRACO_OK;
    for (int i = 0, count = 0; i < CONFIG_KEYS; i++)
        if (reads(config, &KEYS[i]))
            known[count++] = KEYS[i].name;
    if (strcmp(name, "features") == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "unknown setting 'features': it is called 'scaling' now");
    snprintf(what, sizeof what, "the method %s does not read the setting", config->method);
    return words_unknown(key ? what : "unknown setting", name, known);
}

static void *field(const struct graco_config *config, const struct key *key)
{
    return (char *)config + key->offset;
}

/* ---- Text to value --------------------------------------------------------------------------- */

/* The place of a word, or -1. */
static int place_of(const struct key *key, const char *word, size_t length)
{
    for (int i = 0; key->words && key->words[i]; i++)
        if (strlen(key->words[i]) == length && memcmp(key->words[i], word, length) == 0)
            return i;
    return -1;
}

static graco_status no_such_word(const struct key *key, const char *value)
{
    char what[CONFIG_TEXT];
    snprintf(what, sizeof what, "%s is", key->name);
    return words_unknown(what, value, key->words);
}

static graco_status set_choice(struct graco_config *config, const struct key *key,
                               const char *value)
{
    int place = place_of(key, value, strlen(value));
    if (place < 0)
        return no_such_word(key, value);
    memcpy(field(config, key), &place, sizeof place);
    return GRACO_OK;
}

/* Words separated by commas, each at most once; auto stands by itself. */
static graco_status set_words(struct graco_config *config, const struct key *key, const char *value)
{
    unsigned bits = 0;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        int place = place_of(key, at, length);
        if (place < 0 || bits >> place & 1)
            return no_such_word(key, value);
        bits |= 1U << place;
        at += length;
        if (!*at)
            break;
    }
    if (bits & PARTS_AUTO && bits != PARTS_AUTO)
        return no_such_word(key, value);
    memcpy(field(config, key), &bits, sizeof bits);
    return GRACO_OK;
}

/* A size such as 256M, 256MB or 256MiB: the factor of its suffix, or 0 if it has another one. */
static double suffix_factor(const char *suffix)
{
    static const char letters[] = "kmgt";
    if (!*suffix)
        return 1;
    const char *found = strchr(letters, tolower((unsigned char)*suffix));
    bool bytes =
        !suffix[1] || strcasecmp(suffix + 1, "b") == 0 || strcasecmp(suffix + 1, "ib") == 0;
    return found && bytes ? ldexp(1, 10 * (int)(found - letters + 1)) : 0;
}

static graco_status out_of_range(const struct key *key, const char *value)
{
    const char *what = key->type == KEY_BYTES ? "a size such as 256M or 4G" : "a whole number";
    return key->type == KEY_REAL
               ? status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected a number from %g to %g",
                             key->name, value, key->low, key->high)
               : status_fail(GRACO_ERROR_ARGUMENT, "%s is '%s'; expected %s from %lld to %lld%s%s",
                             key->name, value, what, (long long)key->low, (long long)key->high,
                             key->words ? ", or " : "", key->words ? key->words[0] : "");
}

static graco_status set_number(struct graco_config *config, const struct key *key,
                               const char *value)
{
    char *end;
    int place = place_of(key, value, strlen(value));
    if (place >= 0) {
        int64_t stands_for = -1 - place;
        memcpy(field(config, key), &stands_for, sizeof stands_for);
        return GRACO_OK;
    }
    double number = number_parse(value, &end);
    double factor = key->type == KEY_BYTES ? suffix_factor(end) : *end == 0;
    number *= factor;
    bool digits = strspn(value, "0123456789.") == (size_t)(end - value); /* no 0x10, no 1e3 */
    bool whole = key->type == KEY_REAL || (digits && number == floor(number));
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

static graco_status set_seed(struct graco_config *config, const struct key *key, const char *value)
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
static graco_status set_list(struct graco_config *config, const struct key *key, const char *value)
{
    int64_t list[LAYERS_MAX];
    const char *at = value;
    for (int i = 0; i < LAYERS_MAX; i++) {
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
                           key->name, value, LAYERS_MAX);
    memcpy(field(config, key), list, sizeof list);
    return GRACO_OK;
}

static graco_status set_value(struct graco_config *config, const struct key *key, const char *value)
{
    if (key->type == KEY_CHOICE)
        return set_choice(config, key, value);
    if (key->type == KEY_SET)
        return set_words(config, key, value);
    if (key->type == KEY_LIST)
        return set_list(config, key, value);
    return key->type == KEY_SEED ? set_seed(config, key, value) : set_number(config, key, value);
}

graco_status graco_config_set(graco_config *config, const char *name, const char *value)
{
    const struct key *key = NULL;
    graco_status status = find_key(&key, config, name);
    return status == GRACO_OK ? set_value(config, key, value) : status;
}

graco_status config_apply(struct graco_config *config, const char *text)
{
    graco_status status = GRACO_OK;
    while (status == GRACO_OK && *text) {
        char pair[CONFIG_TEXT];
        size_t length = strcspn(text, " ");
        assert(length < sizeof pair && memchr(text, '=', length));
        memcpy(pair, text, length);
        pair[length] = 0;
        char *value = strchr(pair, '=');
        *value = 0;
        status = graco_config_set(config, pair, value + 1);
        text += length + strspn(text + length, " ");
    }
    return status;
}

void config_init(struct graco_config *config, const char *method, const char *const *keys)
{
    memset(config, 0, sizeof *config);
    config->method = method;
    config->keys = keys;
    for (int i = 0; i < CONFIG_KEYS; i++) {
        graco_status status = set_value(config, &KEYS[i], KEYS[i].start);
        assert(status == GRACO_OK);
        (void)status;
    }
}

/* ---- Value to text --------------------------------------------------------------------------- */

/* A list without the repetitions at its end. */
static void print_list(char text[CONFIG_TEXT], const int64_t list[LAYERS_MAX])
{
    int count = LAYERS_MAX;
    size_t used = 0;
    while (count > 1 && list[count - 2] == list[count - 1])
        count--;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, CONFIG_TEXT - used, "%s%lld", i ? "," : "",
                                 (long long)list[i]);
}

static void print_words(char text[CONFIG_TEXT], const struct key *key, unsigned bits)
{
    size_t used = 0;
    for (int i = 0; key->words[i]; i++)
        if (bits >> i & 1)
            used += (size_t)snprintf(text + used, CONFIG_TEXT - used, "%s%s", used ? "," : "",
                                     key->words[i]);
}

static void print_count(char text[CONFIG_TEXT], const struct key *key, int64_t count)
{
    if (count < 0)
        snprintf(text, CONFIG_TEXT, "%s", key->words[-1 - count]);
    else
        snprintf(text, CONFIG_TEXT, "%lld", (long long)count);
}

static void print_value(char text[CONFIG_TEXT], const struct graco_config *config,
                        const struct key *key)
{
    const void *at = field(config, key);
    if (key->type == KEY_CHOICE)
        snprintf(text, CONFIG_TEXT, "%s", key->words[*(const int *)at]);
    else if (key->type == KEY_SET)
        print_words(text, key, *(const unsigned *)at);
    else if (key->type == KEY_LIST)
        print_list(text, at);
    else if (key->type == KEY_REAL)
        number_shortest(text, *(const double *)at);
    else if (key->type == KEY_SEED)
        snprintf(text, CONFIG_TEXT, "%llu", (unsigned long long)*(const uint64_t *)at);
    else
        print_count(text, key, *(const int64_t *)at);
}

graco_status graco_config_get(const graco_config *config, const char *name, char *value,
                              size_t size)
{
    const struct key *key = NULL;
    char text[CONFIG_TEXT];
    graco_status status = find_key(&key, config, name);
    if (status != GRACO_OK)
        return status;
    print_value(text, config, key);
    if (strlen(text) + 1 > size)
        return status_fail(GRACO_ERROR_ARGUMENT, "%s needs %zu bytes, the buffer has %zu", name,
                           strlen(text) + 1, size);
    memcpy(value, text, strlen(text) + 1);
    return GRACO_OK;
}

const char *config_word(const struct graco_config *config, const char *key)
{
    const struct key *found = key_named(key);
    return found->words[*(const int *)field(config, found)];
}

const char *config_differs(char a[CONFIG_TEXT], char b[CONFIG_TEXT], const struct graco_config *one,
                           const struct graco_config *other, unsigned free_kinds)
{
    for (int i = 0; i < CONFIG_KEYS; i++) {
        if (!reads(one, &KEYS[i]) || KEYS[i].kind & free_kinds)
            continue;
        print_value(a, one, &KEYS[i]);
        print_value(b, other, &KEYS[i]);
        if (strcmp(a, b) != 0)
            return KEYS[i].name;
    }
    return NULL;
}

graco_status graco_config_copy(graco_config **out, const graco_config *config)
{
    graco_config *copy = NULL;
    graco_status status = memory_alloc(&copy, 1, sizeof *copy);
    if (status == GRACO_OK) {
        *copy = *config;
        *out = copy;
    }
    return status;
}

const char *graco_config_method(const graco_config *config)
{
    return config->method;
}

void graco_config_free(graco_config *config)
{
    memory_free(config);
}
