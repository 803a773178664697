/* graco plan: what a training would take. First the memory on host and device, by a dry run; where it does
 * not fit, which settings would make it fit, each with its own plan. The data set is read as the training
 * would read it, so the peak of reading is measured, not planned. Then, where it fits, the time: the
 * training runs, in memory alone, until its own estimate is good. With --ranks, what each rank of
 * graco-mpi would take and send. */
#include "graco_command.h"
#include "commands.h"
#include "loading.h"
#include "output.h"
#include "settings.h"
#include "stop.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    graco_load_options load;
    struct settings settings;
    const char *source;    /* NULL: the generated graph */
    const char *available; /* memory of the machine to plan for; NULL: this one's */
    int64_t ranks;         /* 0: graco train, in one process */
    double link, latency;  /* Gbit/s and microseconds */
    bool json;
};

/* A plan with the settings that were asked for, or with one of them changed. */
struct planned {
    char setting[64]; /* "objective=moment"; "" where nothing is changed */
    graco_plan plan;
    bool fits;
};

/* Settings that take less memory, in the order in which they are tried. A number is a lower bound that
 * must lie below the present value; 0 for batch means whole graphs. Without a value the number is halved
 * until the training fits. */
static const struct remedy {
    const char *key, *value;
} REMEDIES[] = {{"objective", "moment"}, {"memory", "67108864"}, {"hidden", NULL},
                {"width", NULL},         {"batch", "1024"},      {"batch", "256"}};

enum { REMEDIES_COUNT = sizeof REMEDIES / sizeof *REMEDIES };

/* Numbers that are halved stay at least this; a setting is worth showing that saves at least this share,
 * because two plans of the same training differ by some pages. */
enum { HALVED_LEAST = 16 };
static const double SAVING_LEAST = 0.02;

/* Steps after which their mean counts: the first one pays for memory that is new. */
enum { STEPS_TIMED = 3 };

/* Seconds of steps: enough once an epoch has ended, with all that follows it; else enough once anything is known; and
 * the most, whatever is known then. */
static const double TIMED_WELL = 2, TIMED_FAIRLY = 5, TIMED_MOST = 60;

/* Times of the training; NaN: not known. */
struct timed {
    graco_progress last;
    double prepare; /* before the first step */
    double passed;  /* in steps */
    int64_t steps;  /* that ended */
    bool judged;    /* an epoch has ended, with its validation */
    bool quiet, warned;
    double epoch, whole;
};

struct planning {
    const struct line *line;
    graco_dataset *data;
    graco_dataset_info info;
    graco_config *config;
    const char *preset;
    int64_t epochs;
    int64_t available;  /* bytes */
    int64_t here;       /* the same of this machine */
    int64_t load_bytes; /* the peak of reading the data set */
    double load_seconds;
    struct timed timed;
    struct planned asked, others[REMEDIES_COUNT];
    int count; /* of others */
};

static bool fits(const struct planning *p, const graco_plan *plan)
{
    return plan->host_bytes <= p->available &&
           (plan->device_total == 0 || plan->device_bytes <= plan->device_free);
}

static graco_status plan_with(struct planned *out, struct planning *p, const graco_config *config)
{
    graco_status status = graco_plan_train(&out->plan, p->data, config);
    if (status != GRACO_OK)
        return status;
    if (out->plan.host_bytes < p->load_bytes)
        out->plan.host_bytes = p->load_bytes;
    out->fits = fits(p, &out->plan);
    return GRACO_OK;
}

/* Makes `setting` and *config of a remedy, with a number halved so often; false if the method does not read
 * the key, or if it would change nothing. */
static bool apply_remedy(char setting[64], graco_config **config, const struct planning *p,
                         const struct remedy *remedy, int halvings)
{
    char now[SETTINGS_TEXT], value[SETTINGS_TEXT];
    settings_get(now, p->config, remedy->key);
    int64_t number = strtoll(now, NULL, 10);
    if (*now == '?' || (number > 0 && remedy->value && strtoll(remedy->value, NULL, 10) >= number))
        return false;
    snprintf(value, sizeof value, "%s", remedy->value ? remedy->value : now);
    if (!remedy->value)
        snprintf(value, sizeof value, "%" PRId64, number >> halvings);
    if (strcmp(value, now) == 0 || (!remedy->value && number >> halvings < HALVED_LEAST) ||
        graco_config_copy(config, p->config) != GRACO_OK)
        return false;
    bool good = graco_config_set(*config, remedy->key, value) == GRACO_OK;
    char shown[SETTINGS_TEXT];
    if (good)
        snprintf(setting, 64, "%.20s=%.40s", remedy->key,
                 settings_show(shown, *config, remedy->key));
    return good;
}

static bool saves(int64_t bytes, int64_t asked)
{
    return asked > 0 && (double)bytes <= (1 - SAVING_LEAST) * (double)asked;
}

/* Plans with each setting that could help. One that the data or the method refuses is left out. */
static void find_remedies(struct planning *p)
{
    const graco_plan *asked = &p->asked.plan;
    for (int i = 0; i < REMEDIES_COUNT; i++) {
        struct planned *out = &p->others[p->count], found = {.fits = false};
        bool good = true;
        for (int halvings = 1; good && !found.fits && halvings <= (REMEDIES[i].value ? 1 : 62);
             halvings++) {
            graco_config *config = NULL;
            good = apply_remedy(found.setting, &config, p, &REMEDIES[i], halvings) &&
                   plan_with(&found, p, config) == GRACO_OK;
            graco_config_free(config);
            if (good && (saves(found.plan.host_bytes, asked->host_bytes) ||
                         saves(found.plan.device_bytes, asked->device_bytes)))
                *out = found;
        }
        p->count += *out->setting != 0;
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    struct timed *t = user;
    t->judged = t->judged || !isnan(epoch->cost);
    return !stop_wanted;
}

static bool on_progress(void *user, const graco_progress *now)
{
    struct timed *t = user;
    if (isnan(t->prepare))
        t->prepare = now->seconds;
    t->last = *now;
    t->passed = now->seconds - t->prepare;
    t->steps = (now->epoch - 1) * now->steps + now->step;
    bool known = t->steps >= STEPS_TIMED || (t->steps == 0 && now->step_seconds > 0);
    if (known && t->passed >= (t->judged ? TIMED_WELL : TIMED_FAIRLY))
        return false;
    if (t->passed >= TIMED_FAIRLY && !t->quiet && !t->warned) {
        output_note("measuring steps of the training, for %.0f s at most; Ctrl-C ends that",
                    TIMED_MOST);
        t->warned = true;
    }
    return t->passed < TIMED_MOST && !stop_wanted;
}

/* Trains until its time is known, or to its end if that comes first. */
static graco_status measure(struct planning *p)
{
    struct timed *t = &p->timed;
    graco_train_options options = {.on_epoch = on_epoch, .on_progress = on_progress, .user = t};
    graco_train_result result = {0};
    stop_on_signals(SA_RESTART, NULL);
    graco_status status = graco_train(NULL, &result, p->data, p->config, &options);
    if (status == GRACO_OK) {
        t->passed = result.seconds - t->prepare;
        t->steps = result.epochs * result.steps;
        t->epoch = t->passed / (double)result.epochs;
        t->whole = p->load_seconds + result.seconds;
    } else if (status == GRACO_STOPPED) {
        t->epoch = t->last.step_seconds * (double)t->last.steps;
        t->whole = p->load_seconds + t->last.seconds + t->last.seconds_left;
        status = GRACO_OK;
    }
    return status;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *show_short_time(char text[32], double seconds)
{
    if (seconds >= 10 || !(seconds >= 0))
        return output_time(text, seconds);
    snprintf(text, 32, seconds < 1 ? "%.*f ms" : "%.*f s",
             seconds < 0.01  ? 2
             : seconds < 0.1 ? 1
             : seconds < 1   ? 0
                             : 1,
             seconds < 1 ? 1e3 * seconds : seconds);
    return text;
}

#define PLANNED(member, kind) FIELD_AS(#member, struct planned, plan.member, kind)
static const struct field PLANNED_FIELDS[] = {
    PLANNED(host_bytes, INT), PLANNED(device_bytes, INT), FIELD(struct planned, fits, BOOL), {0}};

#define ASKED(member, kind) FIELD_AS(#member, struct planning, asked.plan.member, kind)
#define OWN(name, member, kind) FIELD_AS(name, struct planning, member, kind)
static const struct field PLANNING_FIELDS[] = {
    ASKED(device, STRING),
    ASKED(parameters, INT),
    OWN("epochs", epochs, INT),
    ASKED(steps, INT),
    OWN("available_bytes", available, INT),
    OWN("loading_bytes", load_bytes, INT),
    OWN("data_bytes", asked.plan.now_bytes, INT),
    OWN("device_free_bytes", asked.plan.device_free, INT),
    OWN("load_seconds", load_seconds, REAL),
    OWN("prepare_seconds", timed.prepare, REAL),
    OWN("timed_steps", timed.steps, INT),
    OWN("timed_seconds", timed.passed, REAL),
    OWN("epoch_seconds", timed.epoch, REAL),
    OWN("seconds", timed.whole, REAL),
    {0}};

static void begin_json(struct writer *json, const struct planning *p)
{
    writer_open(json, NULL, '{');
    writer_string(json, "dataset", p->info.name);
    writer_string(json, "method", graco_config_method(p->config));
    writer_string(json, "preset", p->preset);
}

static int print_json(const struct planning *p)
{
    struct writer json = {0};
    begin_json(&json, p);
    writer_fields(&json, PLANNING_FIELDS, p);
    writer_fields(&json, PLANNED_FIELDS, &p->asked);
    writer_open(&json, "instead", '[');
    for (int i = 0; i < p->count; i++) {
        writer_open(&json, NULL, '{');
        writer_string(&json, "setting", p->others[i].setting);
        writer_fields(&json, PLANNED_FIELDS, &p->others[i]);
        writer_close(&json);
    }
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

/* What other settings would take, where the ones asked for do not fit. */
static void print_remedies(const struct planning *p)
{
    char host[32], device[32];
    printf("\nit does not fit%s\n", p->count ? "; with one setting changed:" : "");
    for (int i = 0; i < p->count; i++) {
        const graco_plan *plan = &p->others[i].plan;
        bool beside = plan->device_total > 0;
        printf("  %-18s %s%s%s: %s\n", p->others[i].setting, number_bytes(host, plan->host_bytes),
               beside ? ", device " : "", beside ? number_bytes(device, plan->device_bytes) : "",
               p->others[i].fits ? "fits" : "does not fit");
    }
}

static void print_times(const struct planning *p)
{
    const struct timed *t = &p->timed;
    const int64_t epochs = p->epochs, steps = p->asked.plan.steps;
    char a[32], b[32];
    if (isnan(t->prepare)) {
        output_row("time", "not measured: %s",
                   !p->asked.fits ? "it does not fit"
                   : epochs == 0  ? "there is no epoch"
                                  : "this machine has too little memory");
        return;
    }
    output_row("before epoch 1", "%s to read the data set, %s to prepare",
               show_short_time(a, p->load_seconds), show_short_time(b, t->prepare));
    if (isnan(t->epoch)) { /* at least what was seen, for each step */
        output_row("an epoch", "more than %s: no step ended in %s",
                   output_time(a, t->passed * (double)steps), show_short_time(b, t->passed));
        output_row("in all", "more than %s for %" PRId64 " epochs",
                   output_time(a, t->passed * (double)steps * (double)epochs), epochs);
        return;
    }
    output_row("an epoch", "%s in %" PRId64 " step%s", show_short_time(a, t->epoch), steps,
               steps == 1 ? "" : "s");
    output_row("in all", "%s for %" PRId64 " epochs, before the embeddings",
               output_time(a, t->whole), epochs);
}

static int print_table(const struct planning *p)
{
    const graco_plan *plan = &p->asked.plan;
    char a[32], b[32], c[32];

    output_row("method", "%s, preset %s, on %s", graco_config_method(p->config), p->preset,
               plan->device);
    output_row("parameters", "%" PRId64, plan->parameters);
    output_row("host memory", "%s at most, of %s available; the data set has %s",
               number_bytes(a, plan->host_bytes), number_bytes(b, p->available),
               number_bytes(c, plan->now_bytes));
    if (plan->device_total > 0)
        output_row("device memory", "%s of buffers, of %s free; %s in all",
                   number_bytes(a, plan->device_bytes), number_bytes(b, plan->device_free),
                   number_bytes(c, plan->device_total));
    print_times(p);
    if (!p->asked.fits)
        print_remedies(p);
    return output_finish();
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* What is told of ranks: the largest one's number, and the mean. A rank waits for its messages one after another
 * and then for their bytes: nothing is taken to overlap, so sending takes this long or less. What a rank computes
 * follows its nodes: a part of an epoch of one process. */
enum { HOST_COLUMN = 3, COLUMNS = 8 };
static const struct rank_column {
    const char *name, *label; /* the latter NULL: in JSON alone */
    const char *what;
} RANK_COLUMNS[COLUMNS] = {{"nodes", "nodes", ""},
                           {"boundary_rows", "boundary", "rows of others that it reads"},
                           {"sent_rows", NULL, NULL},
                           {"host_bytes", "host memory", "at most, with the whole data set"},
                           {"own_bytes", "beside it", "at most, beside the data set"},
                           {"sent_bytes", "sent", "in an epoch"},
                           {"sent_messages", "messages", "in an epoch"},
                           {"send_seconds", "sending", "in an epoch, if nothing overlaps"}};

struct rank_columns {
    double of[COLUMNS];
};

static struct rank_columns columns_of(const struct planning *p, const graco_rank_plan *rank)
{
    const double messages = (double)rank->sent_messages, bytes = (double)rank->sent_bytes;
    bool loads = !rank->by_rows && rank->host_bytes < p->load_bytes; /* and that takes more */
    return (struct rank_columns){
        {(double)rank->nodes, (double)rank->read_rows, (double)rank->sent_rows,
         (double)(loads ? p->load_bytes : rank->host_bytes), (double)rank->own_bytes, bytes,
         messages, 1e-6 * p->line->latency * messages + 8e-9 / p->line->link * bytes}};
}

static void write_columns(struct writer *json, const char *key, const struct rank_columns *columns)
{
    writer_open(json, key, '{');
    for (int k = 0; k < COLUMNS; k++)
        writer_real(json, RANK_COLUMNS[k].name, columns->of[k]);
    writer_close(json);
}

static int print_ranks_json(const struct planning *p, const graco_rank_plan *ranks,
                            const struct rank_columns *most, const struct rank_columns *mean)
{
    struct writer json = {0};
    begin_json(&json, p);
    writer_integer(&json, "ranks", p->line->ranks);
    writer_real(&json, "link_gbits", p->line->link);
    writer_real(&json, "latency_us", p->line->latency);
    writer_integer(&json, "available_bytes", p->available);
    writer_bool(&json, "by_rows", ranks[0].by_rows);
    writer_bool(&json, "fits", most->of[HOST_COLUMN] <= (double)p->available);
    write_columns(&json, "largest", most);
    write_columns(&json, "mean", mean);
    writer_open(&json, "each", '[');
    for (int64_t rank = 0; rank < p->line->ranks; rank++) {
        const struct rank_columns columns = columns_of(p, &ranks[rank]);
        write_columns(&json, NULL, &columns);
    }
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

static int print_ranks(const struct planning *p, bool by_rows, const struct rank_columns *most,
                       const struct rank_columns *mean)
{
    const struct line *line = p->line;
    char a[32], b[32];
    output_row("method", "%s, preset %s, over %" PRId64 " rank%s", graco_config_method(p->config),
               p->preset, line->ranks, line->ranks == 1 ? "" : "s");
    output_row("links", "%g Gbit/s and %g us for each rank", line->link, line->latency);
    output_row("of a rank", "%-12s %s", "largest", "mean");
    for (int k = 0; k < COLUMNS; k++) {
        const struct rank_column *column = &RANK_COLUMNS[k];
        double x = most->of[k], y = mean->of[k];
        if (!column->label)
            continue;
        if (strstr(column->name, "bytes")) {
            number_bytes(a, (int64_t)x);
            number_bytes(b, (int64_t)y);
        } else {
            bool time = strstr(column->name, "seconds");
            snprintf(a, sizeof a, time ? "%.4g s" : "%.0f", x);
            snprintf(b, sizeof b, time ? "%.4g s" : "%.1f", y);
        }
        output_row(column->label, "%-12s %-12s %s", a, b,
                   k == HOST_COLUMN && by_rows ? "about, where each reads its rows alone"
                                               : column->what);
    }
    output_row("computing", "about a rank's share of the nodes, of the epoch without --ranks");
    if (most->of[HOST_COLUMN] > (double)p->available)
        printf("\nit does not fit: %s available\n", number_bytes(a, p->available));
    return output_finish();
}

static int plan_ranks(const struct planning *p)
{
    const int64_t count = p->line->ranks;
    graco_rank_plan *ranks = calloc((size_t)count, sizeof *ranks);
    struct rank_columns most = {{0}}, mean = {{0}};
    if (!ranks)
        return output_failure(output_no_memory("the plans of all ranks"));
    graco_status status = graco_plan_ranks(ranks, count, p->data, p->config);
    for (int64_t i = 0; i < count * COLUMNS && status == GRACO_OK; i++) {
        const struct rank_columns one = columns_of(p, &ranks[i / COLUMNS]);
        most.of[i % COLUMNS] = fmax(most.of[i % COLUMNS], one.of[i % COLUMNS]);
        mean.of[i % COLUMNS] += one.of[i % COLUMNS] / (double)count;
    }
    int code = status != GRACO_OK ? output_failure(status)
               : p->line->json    ? print_ranks_json(p, ranks, &most, &mean)
                                  : print_ranks(p, ranks[0].by_rows, &most, &mean);
    free(ranks);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static graco_status load(struct planning *p)
{
    const struct line *line = p->line;
    graco_generate_options generate = graco_generate_defaults();
    double begin = output_now();
    graco_status status =
        line->source ? loading_dataset(&p->data, line->source, &line->load, NULL, line->json)
                     : graco_dataset_generate(&p->data, &generate);
    if (status != GRACO_OK)
        return status;
    p->info = graco_dataset_describe(p->data);
    p->load_seconds = output_now() - begin;
    p->load_bytes = graco_peak_memory();
    return GRACO_OK;
}

/* Reads --available as the setting `memory` is read: 8G. */
static bool read_available(struct planning *p, const graco_config *any)
{
    char value[SETTINGS_TEXT];
    graco_config *scratch = NULL;
    const char *wanted = p->line->available;
    p->available = p->here = graco_available_memory();
    if (!wanted)
        return true;
    bool good = graco_config_copy(&scratch, any) == GRACO_OK &&
                graco_config_set(scratch, "memory", wanted) == GRACO_OK;
    if (good)
        p->available = strtoll(settings_get(value, scratch, "memory"), NULL, 10);
    else
        output_error("plan: --available is '%s'; expected a size such as 512M or 8G", wanted);
    graco_config_free(scratch);
    return good;
}

static int make_plans(struct planning *p)
{
    char epochs[SETTINGS_TEXT];
    int code = settings_preset(&p->config, &p->preset, &p->line->settings, p->info.name);
    if (code != EXIT_FINE)
        return code;
    if (p->info.inductive) /* as in a training */
        graco_config_set(p->config, "inductive", "1");
    if (!settings_apply(p->config, &p->line->settings))
        return EXIT_USAGE;
    graco_status status = settings_resolve(p->config, p->data,
                                           p->line->ranks > 0 ? p->line->ranks : 1, p->line->json);
    if (status != GRACO_OK)
        return output_failure(status);
    p->epochs = strtoll(settings_get(epochs, p->config, "epochs"), NULL, 10);
    if (p->line->ranks > 0)
        return plan_ranks(p);
    status = plan_with(&p->asked, p, p->config);
    if (status == GRACO_OK && !p->asked.fits)
        find_remedies(p);
    else if (status == GRACO_OK && p->asked.plan.host_bytes <= p->here && p->epochs > 0)
        status = measure(p);
    if (status != GRACO_OK)
        return output_failure(status);
    return p->line->json ? print_json(p) : print_table(p);
}

static int run(const struct line *line)
{
    const double unknown = (double)NAN;
    struct planning p = {
        .line = line,
        .timed = {.prepare = unknown, .epoch = unknown, .whole = unknown, .quiet = line->json}};
    graco_config *trial = NULL;
    int code = settings_make(&trial, &p.preset, &line->settings, NULL);

    if (code == EXIT_FINE && !read_available(&p, trial))
        code = EXIT_USAGE;
    graco_config_free(trial);
    if (code != EXIT_FINE)
        return code;
    graco_status status = load(&p);
    code = status == GRACO_OK ? make_plans(&p) : output_failure(status);
    graco_config_free(p.config);
    graco_dataset_free(p.data);
    return code;
}

int cmd_plan(int argc, char **argv)
{
    struct line line = {.settings = {.command = "plan"}, .link = 10, .latency = 20};
    struct settings_choices choices;
    const struct option options[] = {
        SETTINGS_OPTIONS(line.settings, choices),
        SETTINGS_MACHINE_OPTIONS(line.settings, choices),
        OPTION_ROW_TEXT("available", 0, "SIZE", &line.available,
                        "plan for a machine with this much memory, such as 8G"),
        OPTION_ROW_INTEGER("ranks", "P", &line.ranks, 1, GRACO_RANKS_MOST,
                           "plan for this many ranks of graco-mpi"),
        OPTION_ROW_REAL("link", "GBIT/S", &line.link, 1e-3, 1e6,
                        "with --ranks: speed of its links"),
        OPTION_ROW_REAL("latency", "US", &line.latency, 0, 1e6,
                        "with --ranks: microseconds for each message"),
        OPTION_ROW_FLAG("json", 0, &line.json, "print one JSON object"),
        LOADING_OPTIONS(line.load),
        {0},
    };
    struct command command = {
        .name = "plan",
        .synopsis = "[DATASET] [options]",
        .summary =
            "Says what `graco train` with the same options would take: memory on host and\n"
            "device by a dry run, then time, by the first seconds of the training itself.\n"
            "Where it does not fit, says which settings would. With --ranks, says what each\n"
            "rank of graco-mpi would have and send. Writes nothing.",
        .options = options,
        .max_arguments = 1,
        .setting_like = settings_like,
    };

    if (!options_parse(&command, argc, argv))
        return EXIT_USAGE;
    if (command.help)
        return settings_command_help(&command, &line.settings);
    line.source = command.count ? command.arguments[0] : NULL;
    return run(&line);
}
