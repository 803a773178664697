/* Checkpoints: what is written is read back bit for bit; what was cut, changed or invented is
 * refused with a reason. */
#include "run/checkpoint.h"

#include "base/memory.h"
#include "base/random.h"
#include "fixture.h"
#include "io/files/file.h"
#include "io/safetensors.h"

#include <unistd.h>

enum { FEATURES = 13, PAIRS_MAX = 64 };

static const char *folder, *path;

static struct graco_model *make_model(int activation, int64_t layers)
{
    struct graco_model *model = NULL;
    graco_config config;
    preset_config(&config, "citeseer");
    config.hidden = 6;
    config.projection = 5;
    config.layers = layers;
    config.activation = activation;
    config.lr = 0.1 + 0.2; /* a number that needs all its digits */
    config.seed = UINT64_MAX;
    config.memory = 12345;
    CHECK_OK(model_create(&model, &config, (struct model_sizes){.cols = FEATURES}));
    struct parameters *p = &model->parameters;
    struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    for (int t = 0; t < p->count; t++)
        for (int64_t i = 0; i < p->list[t].rows * p->list[t].cols; i++) {
            int64_t at = p->list[t].offset + i;
            p->m[at] = random_float(&key, (uint64_t)(2 * at)) - 0.5f;
            p->v[at] = random_float(&key, (uint64_t)(2 * at + 1)) * 1e-30f;
        }
    p->m[0] = -0.0f;
    p->v[0] = 1e-42f; /* a denormal */
    snprintf(
        model->fingerprint, sizeof model->fingerprint, "%s",
        "9-46a8c563ae0f337d-c568b387cd2c2d5c-0000000000000003-c83f571fd98507ce-dd7d5f8556c195ba");
    model->epoch = 4294967295;
    model->step = 100;
    model->sums = (struct epoch_sums){.steps = 3,
                                      .weight = 300,
                                      .loss = 0.1 + 0.2,
                                      .mutual_information = -1.0 / 3,
                                      .floored = 2,
                                      .seconds = 1e-9};
    return model;
}

static bool same_models(const struct graco_model *a, const struct graco_model *b)
{
    size_t bytes = (size_t)a->parameters.total * sizeof(float);
    char x[64], y[64];
    const char *key;
    bool same = a->epoch == b->epoch && a->sizes.cols == b->sizes.cols && a->method == b->method &&
                a->parameters.total == b->parameters.total &&
                a->parameters.count == b->parameters.count;
    for (int i = 0; (key = graco_config_key(&a->config, i, NULL)); i++) {
        CHECK_OK(graco_config_get(&a->config, key, x, sizeof x));
        CHECK_OK(graco_config_get(&b->config, key, y, sizeof y));
        same = same && strcmp(x, y) == 0;
    }
    same = same && strcmp(a->fingerprint, b->fingerprint) == 0 && a->step == b->step &&
           a->sums.steps == b->sums.steps && a->sums.weight == b->sums.weight &&
           a->sums.loss == b->sums.loss &&
           a->sums.mutual_information == b->sums.mutual_information &&
           a->sums.floored == b->sums.floored && a->sums.seconds == b->sums.seconds;
    return same && memcmp(a->parameters.value, b->parameters.value, bytes) == 0 &&
           memcmp(a->parameters.m, b->parameters.m, bytes) == 0 &&
           memcmp(a->parameters.v, b->parameters.v, bytes) == 0;
}

static void round_trips(void)
{
    for (int activation = 0; activation < 4; activation++)
        for (int64_t layers = 1; layers <= 8; layers += 3) {
            struct graco_model *model = make_model(activation, layers);
            struct graco_model *back = NULL;
            CHECK_OK(checkpoint_write(model, path));
            CHECK_OK(checkpoint_read(&back, path));
            CHECK(same_models(model, back));
            CHECK(back->config.lr == model->config.lr);
            graco_model_free(back);
            back = NULL;
            CHECK_OK(graco_model_load(&back, folder));
            CHECK(same_models(model, back) && back->config.hidden == 6);
            unlink(path);
            CHECK_OK(graco_model_save(back, folder));
            graco_model_free(back);
            back = NULL;
            CHECK_OK(graco_model_load(&back, folder));
            CHECK(same_models(model, back));
            graco_model_free(back);
            graco_model_free(model);
        }
    graco_model_free(NULL);
}

/* Reading must fail, and say which file. */
static void refused(const char *part)
{
    struct graco_model *model = NULL;
    graco_status status = checkpoint_read(&model, path);
    if (status != GRACO_ERROR_FORMAT || !strstr(graco_message(), part))
        fprintf(stderr, "expected '%s', got %d '%s'\n", part, (int)status, graco_message());
    CHECK(status == GRACO_ERROR_FORMAT && model == NULL);
    CHECK(strstr(graco_message(), part) && strstr(graco_message(), "model.safetensors"));
    graco_model_free(model);
}

/* Writes without syncing: thousands of files are to follow. */
static void put_file(const uint8_t *bytes, int64_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, (size_t)length, file) == (size_t)length);
    CHECK(file && fclose(file) == 0);
}

static void truncated(void)
{
    struct graco_model *model = make_model(ACTIVATION_PRELU, 2);
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(checkpoint_write(model, path));
    CHECK_OK(file_read(&bytes, &length, path, 1 << 24));
    for (int64_t cut = 0; cut < length; cut += cut < 64 || cut > length - 8 ? 1 : 97) {
        put_file(bytes, cut);
        refused("");
    }
    /* A byte changed anywhere is refused or gives a model; it never crashes. */
    for (int64_t at = 0; at < length; at += at < 3000 ? 1 : 53) {
        struct graco_model *back = NULL;
        bytes[at] ^= 0x41;
        put_file(bytes, length);
        graco_status status = checkpoint_read(&back, path);
        CHECK(status == GRACO_OK || status == GRACO_ERROR_FORMAT || status == GRACO_ERROR_MEMORY);
        CHECK((status == GRACO_OK) == (back != NULL));
        graco_model_free(back);
        bytes[at] ^= 0x41;
    }
    memory_free(bytes);
    graco_model_free(model);
}

/* ---- Files whose parts are chosen ------------------------------------------------------------ */

struct forgery {
    const char *key, *value; /* metadata to replace; value NULL: leave it out */
    const char *tensor;      /* tensor to change */
    enum array_type type;    /* its type */
    int ndim;                /* its dimensions; -1: leave the tensor out */
    int64_t shape[2];
    bool infinite;
    const char *fewer; /* keys that it says to hold */
};

/* Copies the good checkpoint with one thing changed. */
static void forge(const struct safetensors *good, const struct forgery *f)
{
    static const char *const own[] = {"format",        "epoch",         "step",
                                      "input",         "method",        "keys",
                                      "epoch_steps",   "epoch_loss",    "epoch_weight",
                                      "epoch_floored", "epoch_seconds", "epoch_mutual_information",
                                      "fingerprint"};
    enum { OWN = sizeof own / sizeof *own };
    struct graco_config settings;
    struct safetensors_entry entries[PAIRS_MAX];
    struct safetensors_pair pairs[PAIRS_MAX];
    struct array changed;
    static double zeros[4096];
    int64_t count = 0, pair_count = 0;
    const char *key;
    memset(zeros, 0, sizeof zeros);
    preset_config(&settings, NULL);
    if (f->infinite) {
        float infinity = INFINITY;
        memcpy((char *)zeros + 8, &infinity, sizeof infinity);
    }
    for (int64_t i = 0; i < safetensors_count(good); i++) {
        const char *name = safetensors_name(good, i);
        const struct array *array = safetensors_at(good, i);
        if (f->tensor && strcmp(name, f->tensor) == 0) {
            if (f->ndim < 0)
                continue;
            CHECK_OK(array_borrow(&changed, f->type, zeros, f->ndim, f->shape));
            array = &changed;
        }
        entries[count++] = (struct safetensors_entry){name, array};
    }
    for (int i = 0;; i++) {
        key = i < OWN ? own[i] : graco_config_key(&settings, i - OWN, NULL);
        if (!key)
            break;
        bool mine = f->key && strcmp(f->key, key) == 0;
        if (mine && !f->value)
            continue;
        const char *value = mine ? f->value : safetensors_metadata(good, key);
        if (!value)
            continue;
        if (f->fewer && strcmp(key, "keys") == 0)
            value = f->fewer;
        pairs[pair_count++] = (struct safetensors_pair){key, value};
    }
    CHECK_OK(safetensors_write(path, entries, count, pairs, pair_count));
}

static void forged(void)
{
    static const struct {
        struct forgery forgery;
        const char *part;
    } cases[] = {
        {{.key = "format"}, "format"},
        {{.key = "format", .value = "graco model 3"}, "graco model 3"},
        {{.key = "format", .value = "graco model 1"}, "graco model 1"},
        {{.key = "fingerprint"}, "fingerprint"},
        {{.key = "fingerprint", .value = "12-0"}, "fingerprint"},
        {{.key = "method"}, "method"},
        {{.key = "method", .value = "race"}, "race"},
        {{.key = "keys"}, "keys"},
        {{.key = "keys", .value = "25"}, "32 of its 25"},
        {{.key = "keys", .value = " 26"}, "keys"},
        {{.key = "epoch"}, "epoch"},
        {{.key = "epoch", .value = "-1"}, "epoch"},
        {{.key = "epoch", .value = "4294967296"}, "epoch"},
        {{.key = "epoch", .value = "12x"}, "epoch"},
        {{.key = "epoch", .value = ""}, "epoch"},
        {{.key = "epoch_steps", .value = "0"}, "epoch_steps"},
        {{.key = "epoch_steps", .value = "101"}, "epoch_steps"}, /* of 100 in all */
        {{.key = "epoch_weight"}, "epoch_weight"},
        {{.key = "epoch_weight", .value = "0"}, "epoch_weight"},
        {{.key = "epoch_weight", .value = "9223372036854775807"}, "epoch_weight"},
        {{.key = "epoch_floored", .value = "9223372036854775807"}, "epoch_floored"},
        {{.key = "epoch_floored", .value = "-1"}, "epoch_floored"},
        {{.key = "epoch_loss"}, "epoch_loss"},
        {{.key = "epoch_loss", .value = "nan"}, "epoch_loss"},
        {{.key = "epoch_loss", .value = "1e999"}, "epoch_loss"},
        {{.key = "epoch_loss", .value = ""}, "epoch_loss"},
        {{.key = "epoch_seconds", .value = "1 s"}, "epoch_seconds"},
        {{.key = "epoch_mutual_information", .value = "inf"}, "epoch_mutual_information"},
        {{.key = "input", .value = "0"}, "input"},
        {{.key = "input", .value = "99999999999"}, "input"},
        {{.key = "input", .value = "12"}, "W1"},
        {{.key = "input", .value = "14"}, "W1"},
        {{.key = "tau"}, "31 of its 32"},
        {{.key = "tau", .value = "0"}, "tau"},
        {{.key = "hidden", .value = "many"}, "hidden"},
        {{.key = "hidden", .value = "7"}, "W1"},
        {{.key = "hidden", .value = "65536"}, "W1"}, /* gigabytes, if it were believed */
        {{.key = "input", .value = "2147483647"}, "W1"},
        {{.key = "projection", .value = "4"}, "P1"},
        {{.key = "layers", .value = "3"}, "W"},
        {{.key = "layers", .value = "1"}, "W1"},
        {{.key = "activation", .value = "selu"}, "activation"},
        {{.tensor = "W1", .ndim = -1}, "W1"},
        {{.tensor = "prelu", .ndim = -1}, "prelu"},
        {{.tensor = "adam_m.P2", .ndim = -1}, "adam_m.P2"},
        {{.tensor = "adam_v.b2", .ndim = -1}, "adam_v.b2"},
        {{.tensor = "W2", .type = ARRAY_F32, .ndim = 2, .shape = {6, 12}}, "W2"},
        {{.tensor = "W2", .type = ARRAY_F64, .ndim = 2, .shape = {12, 6}}, "W2"},
        {{.tensor = "W2", .type = ARRAY_F32, .ndim = 1, .shape = {72}}, "W2"},
        {{.tensor = "W1", .type = ARRAY_F32, .ndim = 0}, "W1"},
        {{.tensor = "b1", .type = ARRAY_F32, .ndim = 2, .shape = {0, 12}}, "b1"},
        {{.tensor = "b1", .type = ARRAY_F32, .ndim = 2, .shape = {1, 12}, .infinite = true}, "b1"},
        {{.tensor = "adam_v.c1", .type = ARRAY_F32, .ndim = 2, .shape = {1, 5}, .infinite = true},
         "adam_v.c1"},
    };
    struct graco_model *model = make_model(ACTIVATION_PRELU, 2), *back = NULL;
    struct safetensors *good = NULL;
    CHECK_OK(checkpoint_write(model, path));
    CHECK_OK(safetensors_read(&good, path));
    forge(good, &(struct forgery){0});
    CHECK_OK(checkpoint_read(&back, path));
    CHECK(same_models(model, back));
    graco_model_free(back);
    back = NULL;
    /* A key that came later has its start value, whatever the method's general one. */
    back = NULL;
    forge(good, &(struct forgery){.key = "drop_edge_2", .fewer = "31"});
    CHECK_OK(checkpoint_read(&back, path));
    CHECK(back->config.drop_edge_2 == 0);
    graco_model_free(back);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge(good, &cases[i].forgery);
        refused(cases[i].part);
    }
    safetensors_free(good);
    graco_model_free(model);
}

static void missing_files(void)
{
    struct graco_model *model = NULL;
    unlink(path);
    CHECK_FAILS(checkpoint_read(&model, path), GRACO_ERROR_IO, "model.safetensors");
    CHECK_FAILS(graco_model_load(&model, "/nowhere/at/all"), GRACO_ERROR_IO, "/nowhere/at/all");
    CHECK(model == NULL);
    model = make_model(0, 1);
    CHECK_FAILS(graco_model_save(model, "/proc/nowhere"), GRACO_ERROR_IO, "/proc/nowhere");
    graco_model_free(model);
}

int main(void)
{
    folder = fixture_folder();
    path = strdup(fixture_path("model.safetensors"));
    round_trips();
    truncated();
    forged();
    missing_files();
    free((char *)path);
    return check_result();
}
