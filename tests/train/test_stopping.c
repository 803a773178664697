/* A training that is stopped anywhere, within an epoch or within a step, and resumed leaves the bytes of
 * one that was not: mini-batches, many graphs, a whole graph. And what on_progress is told on the way. */
#include "fixture.h"

#include "base/memory.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "io/files/file.h"
#include "run/checkpoint.h"

#include <time.h>
#include <unistd.h>

enum { LOSSES_MAX = 4096, STOPS_MAX = 400 };

static graco_config configured(int64_t epochs)
{
    graco_config config = fixture_config("grace", "hidden=32 lr=0.01 checkpoint_every=1000");
    config.epochs = epochs;
    return config;
}

static graco_dataset *generated(int64_t nodes)
{
    return fixture_data(.nodes = nodes, .feature_count = 40);
}

/* Rings of 5 to 24 nodes. */
static graco_dataset *rings(int64_t graphs)
{
    graco_dataset *data = NULL;
    int64_t room = 24 * graphs, nodes = 0;
    struct dataset_parts parts = {.name = "rings", .undirected = true};
    CHECK_OK(memory_alloc(&parts.source, room, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, room, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.graph_id, room, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.features.dense, 3 * room, sizeof(float)));
    for (int64_t g = 0; g < graphs; g++) {
        int64_t size = 5 + g % 20, first = nodes;
        for (; nodes < first + size; nodes++) {
            parts.source[nodes] = (int32_t)nodes;
            parts.target[nodes] = (int32_t)(first + (nodes - first + 1) % size);
            parts.graph_id[nodes] = (int32_t)g;
            for (int j = 0; j < 3; j++)
                parts.features.dense[3 * nodes + j] = (float)((nodes * (j + 3)) % 7);
        }
    }
    parts.nodes = parts.edges = parts.features.rows = nodes;
    parts.features.cols = 3;
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* What on_progress saw, and when it says no. */
struct seen {
    int64_t calls, stop_at; /* the call that says no; 0: none */
    bool inside;            /* or the first one after that call which stands within an epoch */
    int64_t step_at;        /* or the first one past so many steps of the training; 0: none */
    double share_at;        /* or the first one past this share of a step; 0: none */
    double slow_until;      /* calls take their time until one was past this share */
    double most_share, first_left;
    int64_t last_step; /* epoch * steps + step */
    bool sound, stopped;
};

static bool on_progress(void *user, const graco_progress *p)
{
    struct seen *seen = user;
    int64_t step = p->epoch * p->steps + p->step;
    seen->calls++;
    seen->sound = seen->sound && !seen->stopped && p->epoch >= 1 && p->epoch <= p->epochs &&
                  p->step >= 0 && p->step < p->steps && p->share >= 0 && p->share <= 1 &&
                  p->seconds >= 0 && !(p->seconds_left < 0) && step >= seen->last_step &&
                  isnan(p->step_seconds) == isnan(p->seconds_left) &&
                  isfinite(p->loss) == (p->step > 0);
    seen->last_step = step;
    seen->most_share = fmax(seen->most_share, p->share);
    if (isnan(seen->first_left))
        seen->first_left = p->seconds_left;
    seen->stopped =
        seen->inside ? seen->calls > seen->stop_at && p->step > 0 : seen->calls == seen->stop_at;
    seen->stopped = seen->stopped || (seen->share_at > 0 && p->share > seen->share_at) ||
                    (seen->step_at > 0 && step - p->steps > seen->step_at);
    bool slow = seen->inside || seen->most_share < seen->slow_until;
    if (slow && !seen->stopped) /* so long that the next step or tile asks again, however fast */
        nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    return !seen->stopped;
}

static struct seen nothing_seen(void)
{
    return (struct seen){.sound = true, .first_left = (double)NAN};
}

/* The lines of metrics.jsonl up to their seconds, one after the other. */
static char *read_metrics(const char *run)
{
    char path[512], line[512], *all = NULL;
    size_t used = 0;
    snprintf(path, sizeof path, "%s/metrics.jsonl", run);
    FILE *file = fopen(path, "r");
    CHECK_OK(memory_zalloc(&all, LOSSES_MAX * 128, 1));
    while (file && fgets(line, sizeof line, file)) {
        char *end = strstr(line, "\"seconds\"");
        CHECK(end && used + sizeof line < LOSSES_MAX * 128);
        used += (size_t)snprintf(all + used, sizeof line, "%.*s", (int)(end - line), line);
    }
    if (file)
        fclose(file);
    return all;
}

static void compare(const char *whole, const char *broken)
{
    char *a = read_metrics(whole), *b = read_metrics(broken);
    CHECK(strlen(a) > 0 && strcmp(a, b) == 0);
    CHECK(fixture_same_file(whole, broken, "model.safetensors"));
    CHECK(fixture_same_file(whole, broken, "embeddings.npy"));
    memory_free(a);
    memory_free(b);
}

/* Stops at the second call of on_progress, a tenth of a second after the first, again and again;
 * every other time within an epoch, where epochs have steps. Returns how many stops stood there. */
static int64_t stop_often(const graco_dataset *data, const graco_config *config, int64_t stops,
                          bool steps)
{
    const char *whole = fixture_path("whole"), *broken = fixture_path("broken");
    int64_t within = 0, done = 0;
    graco_status status = GRACO_STOPPED;
    CHECK_OK(graco_train(NULL, NULL, data, config, &(graco_train_options){.run = whole}));
    while (status == GRACO_STOPPED && done < STOPS_MAX) {
        struct seen seen = nothing_seen();
        graco_train_result result = {0};
        graco_train_options options = {
            .run = broken, .resume = done > 0, .on_progress = on_progress, .user = &seen};
        seen.stop_at = done < stops ? 1 + (done > 0) : 0;
        seen.inside = steps && done < stops && done % 2 == 0;
        status = graco_train(NULL, &result, data, config, &options);
        CHECK(seen.sound && seen.stopped == (status == GRACO_STOPPED));
        CHECK(status == GRACO_OK || strstr(graco_message(), "stopped "));
        CHECK(result.step >= 0 && result.step < result.steps);
        within += result.step > 0;
        done++;
    }
    CHECK_OK(status);
    compare(whole, broken);
    fixture_remove(whole);
    fixture_remove(broken);
    return within;
}

static void stops_between_steps(void)
{
    graco_dataset *data = generated(2001), *many = rings(3000);
    graco_config config = configured(4);
    config.batch = 100;
    for (int objective = 0; objective < 3; objective++) {
        config.objective = (enum objective_kind)objective;
        CHECK(stop_often(data, &config, 3, true) > 0);
    }
    config.threads = 1; /* samples are drawn by the caller then */
    CHECK(stop_often(data, &config, 3, true) > 0);
    config = configured(3);
    CHECK(stop_often(many, &config, 4, true) > 0);
    config = configured(30);
    graco_dataset *small = generated(500);
    CHECK(stop_often(small, &config, 3, false) == 0);
    graco_dataset_free(data);
    graco_dataset_free(many);
    graco_dataset_free(small);
}

#if defined(__SANITIZE_ADDRESS__)
enum { SECONDS_NODES = 3000 };
#else
enum { SECONDS_NODES = 8000 };
#endif

/* A step of many tiles: told of them, stopped among them, repeated by a resume. */
static void stops_within_step(void)
{
    graco_dataset *data = generated(SECONDS_NODES);
    graco_config config = configured(2);
    const char *whole = fixture_path("whole"), *broken = fixture_path("broken");
    graco_train_options options = {.run = whole, .on_progress = on_progress};
    graco_train_result result = {0};
    struct seen seen = nothing_seen();
    config.hidden = 64;
    config.memory = 64 << 20; /* some tiles are kept, others not */
    seen.slow_until = 0.3;
    options.user = &seen;
    CHECK_OK(graco_train(NULL, &result, data, &config, &options));
    CHECK(seen.sound && seen.most_share >= 0.3 && seen.first_left > 0);
    CHECK((double)seen.calls <= result.seconds * 10 + 2);
    for (int i = 0; i < 2; i++) {
        seen = nothing_seen();
        seen.share_at = i == 0 ? 0.05 : 0.6; /* in the forward sweep, in the backward one */
        seen.slow_until = seen.share_at;
        options.run = broken;
        options.resume = i > 0;
        double begin = threads_seconds();
        CHECK_FAILS(graco_train(NULL, &result, data, &config, &options), GRACO_STOPPED,
                    "stopped after epoch 0 of 2");
        printf("stopped at %.2f of a step, %.1f s after the call\n", seen.most_share,
               threads_seconds() - begin);
        CHECK(seen.sound && seen.stopped && result.epochs == 0 && result.step == 0);
    }
    options = (graco_train_options){.run = broken, .resume = true};
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    compare(whole, broken);
    fixture_remove(whole);
    fixture_remove(broken);
    graco_dataset_free(data);
}

/* A checkpoint within an epoch that is resumed with data whose epochs have no such step. */
static void refuses_other_steps(void)
{
    graco_dataset *data = generated(3001), *less = generated(300);
    graco_config config = configured(1);
    const char *run = fixture_path("other"), *model_path = fixture_path("other/model.safetensors");
    graco_model *model = NULL;
    struct seen seen = nothing_seen();
    graco_train_result result = {0};
    graco_train_options options = {.run = run, .on_progress = on_progress, .user = &seen};
    config.batch = 20;
    config.epochs = 100;
    seen.step_at = 15; /* as many as an epoch of the other data has */
    CHECK(graco_train(NULL, &result, data, &config, &options) == GRACO_STOPPED);
    options = (graco_train_options){.run = run, .resume = true};
    CHECK_FAILS(graco_train(NULL, NULL, less, &config, &options), GRACO_ERROR_ARGUMENT,
                "was trained on other data than 'generated', which differs in: number of nodes");
    CHECK_OK(graco_model_load(&model, run)); /* one that claims to be of these data */
    CHECK_OK(graco_dataset_fingerprint(model->fingerprint, less));
    CHECK_OK(checkpoint_write(model, model_path));
    CHECK_FAILS(graco_train(NULL, NULL, less, &config, &options), GRACO_ERROR_ARGUMENT,
                "an epoch of data set");
    graco_model_free(model);
    fixture_remove(run);
    graco_dataset_free(data);
    graco_dataset_free(less);
}

/* The first step takes at least SLOW seconds more than its work, and so it ends after `first`. */
struct warming {
    int64_t compared;
    double first;
    bool without_first; /* no later step is told to have begun before */
};
static const double SLOW = 0.2;

static bool on_warming(void *user, const graco_progress *p)
{
    struct warming *seen = user;
    int64_t done = (p->epoch - 1) * p->steps + p->step;
    if (done == 0) {
        seen->first = p->seconds + SLOW;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * SLOW)}, NULL);
    }
    seen->compared += done > 2;
    if (done > 2 && p->step_seconds * (double)(done - 1) > p->seconds - seen->first)
        seen->without_first = false;
    return seen->compared < 3;
}

/* What is told of steps leaves out the first one, which takes longer. */
static void first_step_warms_up(void)
{
    graco_dataset *data = generated(100);
    graco_config config = configured(1 << 20);
    struct warming seen = {.without_first = true};
    graco_train_options options = {.on_progress = on_warming, .user = &seen};
    CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
    CHECK(seen.compared == 3 && seen.without_first);
    graco_dataset_free(data);
}

static bool note_faster(void *user, const graco_progress *p)
{
    *(const char **)user = p->faster ? p->faster : "";
    return false;
}

/* Whatever looks at all pairs says which setting does not. */
static void names_what_is_faster(void)
{
    static const char *const rows[][3] = {
        {"gae", "objective=exact", "objective=sampled"},
        {"gae", "objective=sampled", ""},
        {"vgae", "objective=exact", "objective=sampled"},
        {"grace", "objective=moment", ""},
        {"grace", "objective=exact hidden=16", "objective=moment"},
        {"dgi", "hidden=8", ""},
    };
    graco_dataset *data = generated(4000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        graco_config config = fixture_config(rows[i][0], rows[i][1]);
        const char *faster = NULL;
        graco_train_options options = {.on_progress = note_faster, .user = &faster};
        CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
        CHECK(faster && strcmp(faster, rows[i][2]) == 0);
    }
    graco_dataset_free(data);
}

int main(void)
{
    names_what_is_faster();
    stops_between_steps();
    stops_within_step();
    refuses_other_steps();
    first_step_warms_up();
    return check_result();
}
