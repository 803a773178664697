#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"
#include "eval/protocol.h"

#include "check.h"

#include <unistd.h>

enum { NODES = 300, CLASSES = 3, DIM = 8 };

struct change {
    bool multi, unlabelled, all_masked, mask, no_split;
    int32_t graphs;
};

/* A ring with labels i % 3; multi-label adds neighbouring labels. Masked nodes are those with
 * i % 10 == 9, and nodes with i % 50 == 0 have no class. */
static graco_dataset *make_data(struct change change)
{
    struct dataset_parts parts = {.name = "ring", .nodes = NODES, .edges = NODES};
    graco_dataset *data = NULL;
    CHECK_OK(memory_alloc(&parts.source, NODES, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, NODES, sizeof *parts.target));
    parts.features.rows = NODES;
    parts.features.cols = 1;
    CHECK_OK(memory_zalloc(&parts.features.dense, NODES, sizeof(float)));
    int64_t size = NODES / (change.graphs > 0 ? change.graphs : 1);
    for (int32_t i = 0; i < NODES; i++) {
        parts.source[i] = i;
        parts.target[i] = (int32_t)((i + 1) % size + i / size * size);
    }
    if (!change.unlabelled) {
        parts.classes = CLASSES;
        if (change.multi)
            CHECK_OK(memory_zalloc(&parts.multi, NODES * CLASSES, 1));
        else
            CHECK_OK(memory_alloc(&parts.label, NODES, sizeof *parts.label));
    }
    if (!change.no_split)
        CHECK_OK(memory_alloc(&parts.split, NODES, 1));
    if (change.mask || change.all_masked)
        CHECK_OK(memory_alloc(&parts.label_known, NODES, 1));
    if (change.graphs > 0)
        CHECK_OK(memory_alloc(&parts.graph_id, NODES, sizeof *parts.graph_id));
    for (int32_t i = 0; i < NODES; i++) {
        if (parts.label)
            parts.label[i] = i % 50 == 0 ? -1 : i % CLASSES;
        if (parts.multi)
            parts.multi[i * CLASSES + i % CLASSES] = parts.multi[i * CLASSES + i / 7 % CLASSES] = 1;
        if (parts.split)
            parts.split[i] = (uint8_t)(i % 4 < 2 ? 0 : i % 4 - 1);
        if (parts.label_known)
            parts.label_known[i] = !change.all_masked && i % 10 != 9;
        if (parts.graph_id)
            parts.graph_id[i] = (int32_t)(i / size);
    }
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* Class centres on the axes, with noise of the given size. */
static graco_matrix make_embeddings(double noise)
{
    struct random_key key = {.seed = 5, .stream = RANDOM_GENERATE};
    graco_matrix Z = {.rows = NODES, .cols = DIM};
    CHECK_OK(memory_alloc(&Z.data, NODES * DIM, sizeof *Z.data));
    for (int64_t i = 0; i < NODES * DIM; i++) {
        bool centre = i % DIM == i / DIM % CLASSES || i % DIM == 3 + i / DIM / 7 % CLASSES;
        Z.data[i] = (float)(centre + noise * random_normal(&key, (uint64_t)i));
    }
    return Z;
}

static int64_t sum(const int64_t *values, int64_t n)
{
    int64_t total = 0;
    for (int64_t i = 0; i < n; i++)
        total += values[i];
    return total;
}

static bool has_note(const graco_eval_result *result, const char *part)
{
    for (int64_t i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], part))
            return true;
    return false;
}

static void paper_protocol(void)
{
    graco_dataset *data = make_data((struct change){0});
    graco_matrix Z = make_embeddings(0.01), noisy = make_embeddings(1);
    graco_eval_result easy = {0}, hard = {0}, again = {0}, scaled = {0};
    graco_eval_options options = graco_eval_defaults();
    CHECK_OK(graco_evaluate(&easy, &Z, data, NULL));
    CHECK(strcmp(easy.metric, "accuracy") == 0 && easy.splits == 20 && easy.classes == CLASSES);
    /* Equal on validation, the smallest C wins, which now and then misses a test row. */
    CHECK(easy.mean > 99 && easy.mean <= 100 && easy.note_count == 0 && easy.macro_f1 > 99);
    /* 294 labelled nodes: 29 train, 29 choose, 236 test, 20 times. */
    CHECK(sum(easy.confusion, CLASSES * CLASSES) == 20 * 236);
    int64_t right = easy.confusion[0] + easy.confusion[4] + easy.confusion[8];
    CHECK(fabs((double)right / (20 * 236) - easy.mean / 100) < 1e-9);
    CHECK(easy.converged && easy.unconverged == 0 && easy.worst_gap <= LOGISTIC_GAP);
    CHECK(easy.solves == 20 * 21 * CLASSES);

    options.threads = 1;
    CHECK_OK(graco_evaluate(&hard, &noisy, data, &options));
    CHECK(hard.mean > 40 && hard.mean < 95 && hard.deviation > 0);
    CHECK(fabs(hard.mean - hard.accuracy) < 1e-9);
    for (int threads = 2; threads < 5; threads++) {
        options.threads = threads;
        CHECK_OK(graco_evaluate(&again, &noisy, data, &options));
        CHECK(memcmp(hard.scores, again.scores, 20 * sizeof *hard.scores) == 0);
        CHECK(memcmp(hard.C, again.C, 20 * sizeof *hard.C) == 0);
        CHECK(hard.worst_gap == again.worst_gap && hard.mean == again.mean);
        graco_eval_result_clear(&again);
    }
    /* Rows count by their direction alone. */
    for (int64_t i = 0; i < NODES * DIM; i++)
        noisy.data[i] *= i / DIM % 2 ? 0x1p20f : 0x1p-20f;
    CHECK_OK(graco_evaluate(&scaled, &noisy, data, &options));
    CHECK(memcmp(hard.scores, scaled.scores, 20 * sizeof *hard.scores) == 0);

    graco_eval_comparison comparison;
    CHECK_OK(graco_eval_compare(&comparison, &easy, &hard));
    double square = 0;
    for (int i = 0; i < 20; i++)
        square += pow(easy.scores[i] - hard.scores[i] - comparison.difference, 2);
    CHECK(fabs(comparison.difference - (easy.mean - hard.mean)) < 1e-9);
    CHECK(fabs(comparison.error - sqrt(square / 19 / 20)) < 1e-9);
    options.splits = 1;
    CHECK_OK(graco_evaluate(&again, &Z, data, &options));
    CHECK_FAILS(graco_eval_compare(&comparison, &easy, &again), GRACO_ERROR_ARGUMENT, "20 splits");
    CHECK_OK(graco_eval_compare(&comparison, &again, &again));
    CHECK(comparison.difference == 0 && isnan(comparison.error));
    graco_eval_result_clear(&easy);
    graco_eval_result_clear(&hard);
    graco_eval_result_clear(&again);
    graco_eval_result_clear(&scaled);
    graco_matrix_clear(&Z);
    graco_matrix_clear(&noisy);
    graco_dataset_free(data);
}

static void other_protocols(void)
{
    graco_dataset *data = make_data((struct change){.mask = true});
    graco_dataset *graphs = make_data((struct change){.graphs = 3});
    graco_dataset *plain = make_data((struct change){.no_split = true});
    graco_matrix Z = make_embeddings(0.5);
    graco_eval_result result = {0};
    graco_eval_options options = graco_eval_defaults();
    options.splits = 3;
    options.protocol = GRACO_PROTOCOL_AUTHORS;
    CHECK_OK(graco_evaluate(&result, &Z, data, &options));
    CHECK(result.splits == 3 && result.mean > 45 && result.converged);
    /* 264 usable nodes: 26 train. 5 folds of 20 values, then one more. */
    CHECK(sum(result.confusion, CLASSES * CLASSES) == 3 * 238);
    CHECK(result.solves == 3 * (5 * 20 + 1) * CLASSES);
    for (int s = 0; s < 3; s++)
        CHECK(result.C[s] >= 0x1p-10 && result.C[s] <= 0x1p9);
    graco_eval_result_clear(&result);

    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_evaluate(&result, &Z, data, &options));
    int64_t test = 0;
    for (int i = 0; i < NODES; i++)
        test += i % 4 == 3 && i % 50 != 0 && i % 10 != 9;
    CHECK(result.splits == 1 && sum(result.confusion, CLASSES * CLASSES) == test);
    CHECK(result.deviation == 0);
    graco_eval_result_clear(&result);

    options.protocol = GRACO_PROTOCOL_PAPER;
    CHECK_OK(graco_evaluate(&result, &Z, graphs, &options));
    CHECK(result.splits == 1 && has_note(&result, "3 graphs"));
    graco_eval_result_clear(&result);

    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_FAILS(graco_evaluate(&result, &Z, plain, &options), GRACO_ERROR_ARGUMENT, "no split");
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    graco_dataset_free(graphs);
    graco_dataset_free(plain);
}

/* Scores of the validation parts: their rows are counted, and what the labels of the test parts are
 * changes nothing. */
static void validation_scores(void)
{
    for (int multi = 0; multi < 2; multi++) {
        graco_dataset *data = make_data((struct change){.multi = multi});
        graco_matrix Z = make_embeddings(1);
        graco_eval_result result = {0}, again = {0}, tested = {0};
        graco_eval_options options = graco_eval_defaults();
        options.protocol = GRACO_PROTOCOL_PUBLIC;
        CHECK_OK(graco_evaluate(&tested, &Z, data, &options));
        options.validation = true;
        CHECK_OK(graco_evaluate(&result, &Z, data, &options));
        if (!multi)
            CHECK(sum(result.confusion, CLASSES * CLASSES) == NODES / 4 - 3);
        CHECK(result.mean != tested.mean && result.C[0] == tested.C[0]);
        for (int64_t i = 0; i < NODES; i++) {
            if (data->split[i] == SPLITS_TEST && data->label)
                data->label[i] = (int32_t)((i + 1) % CLASSES);
            for (int k = 0; data->split[i] == SPLITS_TEST && data->multi && k < CLASSES; k++)
                data->multi[i * CLASSES + k] ^= 1;
        }
        CHECK_OK(graco_evaluate(&again, &Z, data, &options));
        CHECK(again.mean == result.mean && again.C[0] == result.C[0]);
        graco_eval_result_clear(&again);
        options.validation = false;
        CHECK_OK(graco_evaluate(&again, &Z, data, &options));
        CHECK(again.mean != tested.mean);
        options.validation = true;
        options.protocol = GRACO_PROTOCOL_AUTHORS;
        CHECK_FAILS(graco_evaluate(&again, &Z, data, &options), GRACO_ERROR_ARGUMENT,
                    "no validation part");
        graco_eval_result_clear(&again);
        graco_eval_result_clear(&result);
        graco_eval_result_clear(&tested);
        graco_matrix_clear(&Z);
        graco_dataset_free(data);
    }
}

static void multi_label(void)
{
    graco_dataset *data = make_data((struct change){.multi = true, .mask = true});
    graco_matrix Z = make_embeddings(0.3);
    graco_eval_result result = {0}, moved = {0};
    graco_eval_options options = graco_eval_defaults();
    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_evaluate(&result, &Z, data, &options));
    CHECK(strcmp(result.metric, "micro_f1") == 0 && result.multi_label && result.mean > 85);
    CHECK(result.mean == result.micro_f1 && result.converged);
    int64_t test = 0;
    for (int i = 0; i < NODES; i++)
        test += i % 4 == 3 && i % 10 != 9;
    CHECK(sum(result.confusion, CLASSES * 4) == CLASSES * test);
    /* Columns are standardised, and a constant one changes nothing. */
    for (int64_t i = 0; i < NODES * DIM; i++)
        Z.data[i] = i % DIM == 7 ? 5 : Z.data[i] * (float)(1 << i % DIM);
    CHECK_OK(graco_evaluate(&moved, &Z, data, &options));
    CHECK(fabs(moved.mean - result.mean) < 4);
    graco_eval_result_clear(&result);
    graco_eval_result_clear(&moved);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

static void degenerate_input(void)
{
    graco_dataset *data = make_data((struct change){0});
    graco_dataset *unlabelled = make_data((struct change){.unlabelled = true});
    graco_dataset *masked = make_data((struct change){.all_masked = true});
    graco_matrix Z = make_embeddings(0.1), short_Z = {NODES - 1, DIM, Z.data}, none = {NODES, 0, 0};
    graco_eval_result result = {0};
    graco_eval_options options = graco_eval_defaults();
    CHECK_FAILS(graco_evaluate(&result, &Z, unlabelled, NULL), GRACO_ERROR_ARGUMENT, "no labels");
    CHECK_FAILS(graco_evaluate(&result, &Z, masked, NULL), GRACO_ERROR_ARGUMENT, "known label");
    CHECK_FAILS(graco_evaluate(&result, &short_Z, data, NULL), GRACO_ERROR_ARGUMENT, "299 rows");
    CHECK_FAILS(graco_evaluate(&result, &none, data, NULL), GRACO_ERROR_ARGUMENT, "no columns");
    options.splits = 0;
    CHECK_FAILS(graco_evaluate(&result, &Z, data, &options), GRACO_ERROR_ARGUMENT, "0 splits");
    options.splits = 2;
    options.splits_read = "/nowhere/splits.npy";
    CHECK(graco_evaluate(&result, &Z, data, &options) == GRACO_ERROR_IO);
    options.splits_read = NULL;
    options.splits_write = "/nowhere/splits.npy";
    CHECK(graco_evaluate(&result, &Z, data, &options) == GRACO_ERROR_IO);
    options.splits_write = NULL;
    Z.data[7 * DIM + 2] = NAN;
    CHECK_FAILS(graco_evaluate(&result, &Z, data, NULL), GRACO_ERROR_NUMBER, "node 7");
    Z.data[7 * DIM + 2] = INFINITY;
    CHECK_FAILS(graco_evaluate(&result, &Z, data, NULL), GRACO_ERROR_NUMBER, "column 2");
    CHECK(!result.scores);
    /* Constant embeddings, zero ones too: the most frequent class; all C are equal, so the least.
     */
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < NODES * DIM; i++)
            Z.data[i] = (float)(round * (i % DIM));
        CHECK_OK(graco_evaluate(&result, &Z, data, &options));
        CHECK(has_note(&result, "same embedding") && result.converged);
        CHECK(result.mean > 25 && result.mean < 40 && result.C[0] == 0x1p-10);
        graco_eval_result_clear(&result);
    }
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    graco_dataset_free(unlabelled);
    graco_dataset_free(masked);
    graco_eval_result_clear(NULL);
}

/* A note calls class 2, which does not train, by its name: cut between two characters where it is long, and of
 * characters alone. */
static void named_notes(graco_dataset *data, const graco_matrix *Z,
                        const graco_eval_options *options)
{
    char wide[160] = "x", rest[256];
    for (int i = 0; i < 70; i++)
        snprintf(wide + 1 + 2 * i, 3, "\xC3\xA9");
    const char *given[] = {"Neural Networks", "a\xFFz", wide};
    char name[sizeof wide] = "a", *names[CLASSES] = {name, name, name};
    for (int n = 0; n < 3; n++) {
        graco_eval_result result = {0};
        int most = n < 2 ? 100 : 99; /* bytes that are whole characters */
        snprintf(rest, sizeof rest, "class '%.*s%s' has no training rows in 1 of 2 splits", most,
                 n == 1 ? "a?z" : given[n], n < 2 ? "" : "\xE2\x80\xA6");
        snprintf(name, sizeof name, "%s", given[n]);
        data->class_names = names;
        CHECK_OK(graco_evaluate(&result, Z, data, options));
        CHECK(has_note(&result, rest));
        graco_eval_result_clear(&result);
        data->class_names = NULL;
    }
}

/* Splits from a file: a class that never trains, fewer rows than classes, an empty part. */
static void unlucky_splits(void)
{
    char path[] = "/tmp/graco_unlucky_XXXXXX", copy[] = "/tmp/graco_copy_XXXXXX";
    graco_dataset *data = make_data((struct change){0});
    graco_matrix Z = make_embeddings(0.01), codes = {.rows = 2, .cols = NODES}, back = {0};
    graco_eval_result result = {0};
    graco_eval_options options = graco_eval_defaults();
    close(mkstemp(path));
    close(mkstemp(copy));
    options.splits_read = path;
    options.splits_write = copy;
    CHECK_OK(memory_alloc(&codes.data, 2 * NODES, sizeof *codes.data));
    for (int64_t i = 0; i < 2 * NODES; i++)
        codes.data[i] = i < 30 && i % CLASSES != 2 ? 0 : i % NODES < 60 ? (float)(i % 2) : 2;
    for (int64_t i = 0; i < 60; i++) /* split 0: class 2 does not train */
        codes.data[i] = i < 30 && i % CLASSES != 2 ? 0 : 1;
    CHECK_OK(graco_matrix_save(&codes, path));
    CHECK_OK(graco_evaluate(&result, &Z, data, &options));
    CHECK(has_note(&result, "class 2 has no training rows in 1 of 2 splits (first: split 0)"));
    CHECK(result.note_count == 1 && result.scores[0] < 70 && result.scores[1] == 100);
    graco_eval_result_clear(&result);
    named_notes(data, &Z, &options);
    CHECK_OK(graco_matrix_load(&back, copy));
    CHECK(back.rows == 2 && back.data[0] == 3); /* node 0 has no label */
    for (int64_t i = 1; i < 50; i++)
        CHECK(back.data[i] == codes.data[i]);
    graco_matrix_clear(&back);

    for (int64_t i = 0; i < 2 * NODES; i++) /* one training row */
        codes.data[i] = i % NODES == 1 ? 0 : i % NODES < 40 ? 1 : 2;
    CHECK_OK(graco_matrix_save(&codes, path));
    CHECK_OK(graco_evaluate(&result, &Z, data, &options));
    CHECK(has_note(&result, "only 1 rows for 3 classes") && result.note_count == 3);
    CHECK(result.mean > 25 && result.mean < 40);
    graco_eval_result_clear(&result);
    options.protocol = GRACO_PROTOCOL_AUTHORS;
    CHECK_FAILS(graco_evaluate(&result, &Z, data, &options), GRACO_ERROR_ARGUMENT,
                "1 labelled training nodes");
    options.protocol = GRACO_PROTOCOL_PAPER;

    const char *parts[] = {"0 labelled training", "0 labelled validation", "0 labelled test"};
    for (int part = 0; part < 3; part++) {
        for (int64_t i = 0; i < 2 * NODES; i++)
            codes.data[i] = (float)((part + 1 + i % 2) % 3);
        CHECK_OK(graco_matrix_save(&codes, path));
        CHECK_FAILS(graco_evaluate(&result, &Z, data, &options), GRACO_ERROR_ARGUMENT, parts[part]);
    }
    unlink(path);
    unlink(copy);
    graco_matrix_clear(&codes);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

/* Features beside embeddings score as the matrix that is joined by hand does. */
static void with_features(void)
{
    const struct random_key key = {.seed = 3};
    graco_generate_options how = graco_generate_defaults();
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result joined, alone, beside;
    graco_dataset *data = NULL;
    graco_matrix Z = {0}, X = {0}, both = {0};
    how.nodes = NODES;
    how.feature_count = 20;
    options.splits = 3;
    CHECK_OK(graco_dataset_generate(&data, &how));
    CHECK_OK(graco_dataset_features(&X, data, NULL));
    Z = (graco_matrix){NODES, DIM, NULL};
    both = (graco_matrix){NODES, DIM + X.cols, NULL};
    CHECK_OK(memory_alloc(&Z.data, NODES * DIM, sizeof(float)));
    CHECK_OK(memory_alloc(&both.data, NODES * both.cols, sizeof(float)));
    for (int64_t i = 0; i < NODES; i++) {
        double z = 0, x = 0;
        for (int64_t k = 0; k < DIM; k++) {
            Z.data[i * DIM + k] = 100 * (random_float(&key, (uint64_t)(i * DIM + k)) - 0.5f);
            z += pow((double)Z.data[i * DIM + k], 2);
        }
        for (int64_t k = 0; k < X.cols; k++)
            x += pow((double)X.data[i * X.cols + k], 2);
        for (int64_t k = 0; k < both.cols; k++)
            both.data[i * both.cols + k] =
                (float)(k < DIM ? (double)Z.data[i * DIM + k] / sqrt(z)
                                : (double)X.data[i * X.cols + k - DIM] / fmax(sqrt(x), 1e-30));
    }
    CHECK_OK(graco_evaluate(&joined, &both, data, &options));
    CHECK_OK(graco_evaluate(&alone, &Z, data, &options));
    options.with_features = true;
    CHECK_OK(graco_evaluate(&beside, &Z, data, &options));
    for (int64_t s = 0; s < options.splits; s++)
        CHECK(fabs(joined.scores[s] - beside.scores[s]) < 0.5); /* rounding may turn a node */
    CHECK(beside.mean > alone.mean + 5);                        /* Z alone is noise */
    graco_eval_result_clear(&joined);
    graco_eval_result_clear(&alone);
    graco_eval_result_clear(&beside);
    graco_matrix_clear(&X);
    graco_matrix_clear(&Z);
    graco_matrix_clear(&both);
    graco_dataset_free(data);
}

/* A GPU's scores are the CPU's, but for rows on the border between two classes. */
static void devices(void)
{
    graco_dataset *data = make_data((struct change){0});
    graco_matrix Z = make_embeddings(1);
    graco_eval_result cpu = {0}, cuda = {0};
    graco_eval_options options = graco_eval_defaults();
    options.device = "cpu";
    CHECK_OK(graco_evaluate(&cpu, &Z, data, &options));
    options.device = "abacus";
    CHECK_FAILS(graco_evaluate(&cuda, &Z, data, &options), GRACO_ERROR_ARGUMENT, "'abacus'");
    CHECK(!cuda.scores && !cuda.notes);
    options.device = "cuda";
    graco_status status = graco_evaluate(&cuda, &Z, data, &options);
    CHECK(status == GRACO_OK || status == GRACO_ERROR_DEVICE);
    if (status == GRACO_OK) {
        CHECK(cuda.converged && cuda.worst_gap <= LOGISTIC_GAP);
        for (int i = 0; i < 20; i++) /* a row of 236 is 0.42 points */
            CHECK(fabs(cuda.scores[i] - cpu.scores[i]) < 0.5);
    } else {
        printf("left out: the GPU (%s)\n", graco_message());
    }
    graco_eval_result_clear(&cpu);
    graco_eval_result_clear(&cuda);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

/* What on_progress was told, and after how many calls it says no; 0: never. */
struct told {
    int64_t calls, stop_at;
    double share;
    bool sound;
};

static bool on_progress(void *user, double share)
{
    struct told *told = user;
    told->calls++;
    told->sound = told->sound && share >= told->share && share <= 1;
    told->share = share;
    return told->calls != told->stop_at;
}

static void stopped_by_caller(void)
{
    graco_dataset *data = make_data((struct change){0});
    graco_matrix Z = make_embeddings(1);
    graco_eval_result plain = {0}, watched = {0}, stopped = {0};
    graco_eval_options options = graco_eval_defaults();
    struct told told = {.sound = true};
    CHECK_OK(graco_evaluate(&plain, &Z, data, &options));
    options.on_progress = on_progress;
    options.user = &told;
    for (options.threads = 1; options.threads < 4; options.threads++) {
        CHECK_OK(graco_evaluate(&watched, &Z, data, &options));
        CHECK(told.calls > 0 && told.sound);
        CHECK(memcmp(plain.scores, watched.scores, 20 * sizeof *plain.scores) == 0);
        graco_eval_result_clear(&watched);
        told = (struct told){.stop_at = 1, .sound = true};
        CHECK_FAILS(graco_evaluate(&stopped, &Z, data, &options), GRACO_STOPPED, "stopped");
        CHECK(told.calls == 1 && told.sound && !stopped.scores && !stopped.notes);
        told = (struct told){.sound = true};
    }
    graco_eval_result_clear(&plain);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

int main(void)
{
    devices();
    paper_protocol();
    other_protocols();
    validation_scores();
    multi_label();
    degenerate_input();
    unlucky_splits();
    with_features();
    stopped_by_caller();
    return check_result();
}
