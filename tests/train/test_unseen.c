/* What a training may not see decides nothing: features, edges and labels of every such node change, and
 * model.safetensors keeps its bytes, but for the fingerprint of the data. For every method, with the split of the
 * data set and with drawn ones. */
#include "fixture.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/splits.h"
#include "graph/weigh.h"

enum { NODES = 150, COLS = 12, CLASSES = 3, EDGES = 5, GRAPHS = 3 };

/* What a case trains on. */
struct unseen {
    bool inductive; /* features and edges are hidden too */
    bool flagged;   /* the data set says so, else the setting */
    bool many;      /* graphs */
    bool weighted, bare;
    const char *protocol, *settings;
};

/* A draw that differs between the two variants where it is about a hidden node. */
static struct random_key key_of(bool hidden, int variant)
{
    return (struct random_key){.seed = hidden ? 1 + (uint64_t)variant : 0,
                               .stream = RANDOM_GENERATE};
}

/* Words of 0 and 1; hidden rows of the second variant have entries below 0, which no counts have. */
static graco_status fill_features(struct dataset_parts *parts, const uint8_t *hidden, int variant)
{
    parts->features = (struct features){.rows = NODES, .cols = COLS};
    PASS(memory_alloc(&parts->features.dense, NODES * COLS, sizeof(float)));
    for (int64_t i = 0; i < NODES * COLS; i++) {
        struct random_key key = key_of(hidden[i / COLS], variant);
        bool word = random_u32(&key, (uint64_t)i) < UINT32_MAX / 4;
        parts->features.dense[i] = hidden[i / COLS] && variant ? -1.5f * word : (float)word;
    }
    return GRACO_OK;
}

/* Edges between nodes that are not hidden are the same; others have other ends and weights. */
static graco_status fill_edges(struct dataset_parts *parts, const struct unseen *what,
                               const uint8_t *hidden, int variant)
{
    const int32_t per = what->many ? NODES / GRAPHS : NODES;
    parts->undirected = true;
    parts->edges = NODES * EDGES;
    PASS(memory_alloc(&parts->source, parts->edges, sizeof *parts->source));
    PASS(memory_alloc(&parts->target, parts->edges, sizeof *parts->target));
    if (what->weighted)
        PASS(memory_alloc(&parts->weights, parts->edges, sizeof *parts->weights));
    for (int32_t e = 0; e < parts->edges; e++) {
        struct random_key key = key_of(false, 0);
        int32_t node = e / EDGES, first = node / per * per;
        int32_t other = first + (int32_t)random_below(&key, 100000u + (uint64_t)e, per);
        bool touched = hidden[node] || hidden[other];
        for (uint64_t draw = 0; touched; draw++) { /* until it meets a hidden node again */
            key = key_of(true, variant);
            other = first + (int32_t)random_below(&key, 200000u + 1000u * (uint64_t)e + draw, per);
            if (hidden[node] || hidden[other])
                break;
        }
        parts->source[e] = node;
        parts->target[e] = other;
        key = key_of(touched, variant);
        if (what->weighted)
            parts->weights[e] = 0.5f + random_float(&key, 900000u + (uint64_t)e);
    }
    return GRACO_OK;
}

static graco_status fill_labels(struct dataset_parts *parts, const uint8_t *hidden, int variant)
{
    parts->classes = CLASSES;
    PASS(memory_alloc(&parts->label, NODES, sizeof *parts->label));
    for (int32_t i = 0; i < NODES; i++)
        parts->label[i] = (i * 7 / 3 + (hidden[i] ? variant : 0)) % CLASSES;
    return GRACO_OK;
}

/* hide: whose features and edges, and whose labels, are hidden (NODES each). */
static graco_dataset *variant_of(const struct unseen *what, const uint8_t *split,
                                 uint8_t *const hide[2], int variant)
{
    struct dataset_parts parts = {
        .name = "unseen", .nodes = NODES, .inductive = what->inductive && what->flagged};
    graco_dataset *data = NULL;
    if (!what->bare)
        CHECK_OK(fill_features(&parts, hide[0], variant));
    CHECK_OK(fill_edges(&parts, what, hide[0], variant));
    CHECK_OK(fill_labels(&parts, hide[1], variant));
    CHECK_OK(memory_alloc(&parts.split, NODES, 1));
    memcpy(parts.split, split, NODES);
    if (what->many)
        CHECK_OK(memory_alloc(&parts.graph_id, NODES, sizeof *parts.graph_id));
    for (int32_t i = 0; what->many && i < NODES; i++)
        parts.graph_id[i] = i / (NODES / GRAPHS);
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* All four parts; of many graphs the last is for tests alone. */
static void choose_split(uint8_t split[NODES], bool many)
{
    static const uint8_t parts[] = {0, 2, 0, 1, 0, 3, 0, 2, 1, 0};
    for (int i = 0; i < NODES; i++)
        split[i] = many && i >= NODES / GRAPHS * (GRAPHS - 1) ? 2 : parts[i % 10];
}

/* The splits that trainings draw depend on which labels are known, and these are all of them. */
static void choose_hidden(uint8_t *const hide[2], const struct unseen *what, const uint8_t *split,
                          bool supervised)
{
    struct splits drawn = {0};
    uint8_t usable[NODES];
    memset(usable, 1, sizeof usable);
    if (supervised && strcmp(what->protocol, "public") != 0 && !what->flagged && !what->many)
        CHECK_OK(splits_draw(&drawn, usable, NODES, 0, 1, strcmp(what->protocol, "paper") == 0, 0));
    const uint8_t *labelled = drawn.part ? drawn.part : split;
    for (int i = 0; i < NODES; i++) {
        hide[0][i] = what->inductive && split[i] > (supervised ? 1 : 0);
        hide[1][i] = hide[0][i] || !supervised || labelled[i] > 1;
    }
    splits_clear(&drawn);
}

/* The fingerprint of the data becomes blanks. */
static char *model_bytes(size_t *length, const char *run)
{
    char path[256];
    snprintf(path, sizeof path, "%s/model.safetensors", run);
    char *bytes = fixture_read(path, length);
    for (size_t i = 0; bytes && i + 15 < *length; i++)
        if (memcmp(bytes + i, "\"fingerprint\":\"", 15) == 0)
            for (char *at = bytes + i + 15; *at != '"'; at++)
                *at = ' ';
    return bytes;
}

static bool reads(const graco_config *config, const char *key)
{
    const char *name = NULL;
    for (int i = 0; (name = graco_config_key(config, i, NULL)); i++)
        if (strcmp(name, key) == 0)
            return true;
    return false;
}

/* Small settings, of which a method takes those that it reads, then those of the case. */
static graco_config config_for(const struct method *method, const struct unseen *what)
{
    static const char *const small[][2] = {
        {"hidden", "8"},     {"units", "4"},    {"epochs", "8"}, {"walks", "1"}, {"length", "6"},
        {"steps", "3"},      {"value", "4"},    {"query", "4"},  {"gate", "4"},  {"first", "8"},
        {"rows", "32"},      {"samples", "20"}, {"lr", "0.05"},  {"inner", "8"}, {"heads", "2"},
        {"scaling", "auto"}, {"fanout", "4,3"}};
    graco_config config = fixture_config(method->name, "");
    char value[64];
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (!reads(&config, small[i][0]))
            continue;
        CHECK_OK(graco_config_get(&config, small[i][0], value, sizeof value));
        if (strcmp(small[i][0], "epochs") != 0 || strcmp(value, "0") != 0)
            CHECK_OK(graco_config_set(&config, small[i][0], small[i][1]));
    }
    if (method->needs & METHOD_NEEDS_LABELS)
        CHECK_OK(graco_config_set(&config, "protocol", what->protocol));
    if (what->inductive)
        CHECK_OK(graco_config_set(&config, "inductive", "1"));
    char key[32] = "";
    if (what->settings)
        snprintf(key, strcspn(what->settings, "=") + 1, "%s", what->settings);
    if (*key && reads(&config, key))
        CHECK_OK(config_apply(&config, what->settings));
    return config;
}

/* Trains both variants; whether their models are the same. */
static bool same_models(const struct method *method, const struct unseen *what,
                        uint8_t *const hide[2], const uint8_t *split)
{
    char *bytes[2] = {NULL};
    size_t length[2] = {0};
    graco_config config = config_for(method, what);
    for (int variant = 0; variant < 2; variant++) {
        const char *run = fixture_path("run");
        graco_dataset *data = variant_of(what, split, hide, variant);
        fixture_remove(run);
        CHECK_OK(graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = run}));
        bytes[variant] = model_bytes(&length[variant], run);
        graco_dataset_free(data);
    }
    bool same = bytes[0] && bytes[1] && length[0] == length[1] &&
                memcmp(bytes[0], bytes[1], length[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

static void unseen_decides_nothing(const struct method *method, const struct unseen *what)
{
    uint8_t split[NODES], features[NODES], labels[NODES];
    uint8_t *const hide[2] = {features, labels};
    bool supervised = method->needs & METHOD_NEEDS_LABELS;
    if ((what->inductive && method->needs & METHOD_PER_NODE) ||
        (what->weighted && method->needs & METHOD_NO_WEIGHTS))
        return;
    choose_split(split, what->many);
    choose_hidden(hide, what, split, supervised);
    bool same = same_models(method, what, hide, split);
    CHECK(same);
    if (!same)
        printf("  %s: inductive %d, flagged %d, many %d, weighted %d, %s, %s\n", method->name,
               what->inductive, what->flagged, what->many, what->weighted, what->protocol,
               what->settings ? what->settings : "");
}

/* The same changes of nodes that a training does see do matter: the test above could fail. */
static void seen_decides(const struct method *method)
{
    const struct unseen what = {.protocol = "public", .settings = "scaling=none"};
    uint8_t split[NODES], all[NODES];
    uint8_t *const hide[2] = {all, all};
    choose_split(split, false);
    memset(all, 1, sizeof all);
    if (config_for(method, &what).epochs > 0) /* else nothing is learnt */
        CHECK(!same_models(method, &what, hide, split));
}

/* A drawn part that has no node of the training part is refused, and not trained on without a label. */
static void nothing_seen_is_refused(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = COLS);
    graco_config config = fixture_config("gcn", "inductive=1 protocol=paper epochs=1");
    for (int64_t i = 0; i < NODES; i++)
        data->split[i] = i > 1 ? SPLITS_TEST : i == 1;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "has no labelled node in its");
    graco_dataset_free(data);
}

int main(void)
{
    static const struct unseen cases[] = {
        {.protocol = "public"},
        {.protocol = "paper", .weighted = true},
        {.protocol = "authors"},
        {.protocol = "paper", .many = true},
        {.inductive = true, .flagged = true, .protocol = "paper"},
        {.inductive = true, .protocol = "public", .weighted = true},
        {.inductive = true, .protocol = "paper"},
        {.inductive = true, .protocol = "authors"},
        {.inductive = true, .flagged = true, .many = true, .protocol = "public"},
        {.inductive = true, .flagged = true, .protocol = "public", .settings = "batch=40"},
        {.inductive = true, .protocol = "public", .settings = "parts=learned,own,smooth width=12"},
        {.inductive = true, .protocol = "public", .settings = "node_features=degree"},
        {.inductive = true, .protocol = "public", .bare = true, .settings = "node_features=degree"},
    };
    const struct method *method = NULL;
    for (int m = 0; graco_method(m); m++) {
        CHECK_OK(method_find(&method, graco_method(m)));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            unseen_decides_nothing(method, &cases[i]);
        seen_decides(method);
    }
    nothing_seen_is_refused();
    return check_result();
}
