/* The search: generations of trials, each halved from rung to rung.
 *
 *     generation    0 .. 1     random settings
 *                   2 ..       three of four near one of the best so far, the fourth random
 *     in each       all trials after the first rung's epochs; the better half goes on to the next
 *     at the end    the best few again, with other seeds: the mean decides
 *
 * Every decision is a function of measurements that stand in trials.csv. So going on after a kill means
 * to decide everything again, and to train what has no row yet. */
#include "tune/search.h"

#include "base/memory.h"
#include "base/threads.h"
#include "compute/backend.h"
#include "eval/structure.h"
#include "io/files/file.h"
#include "io/files/lock.h"
#include "io/json/json.h"
#include "methods/preset_file.h"

#include <math.h>
#include <string.h>

enum {
    GENERATION = 20, /* trials */
    RANDOM_GENERATIONS = 2,
    PARENTS = 5,         /* trials that others are moved from */
    ATTEMPTS = 8,        /* to draw settings that no trial has */
    CONFIRMED = 6,       /* that are trained with other seeds at the end */
    CONFIRMED_SHARE = 8, /* or one of so many trials, where these are few */
    SEEDS = 3,           /* of a choice that was confirmed */
    TRIALS_MAX = 100000,
    AT_ONCE_MAX = 64,
};

const char *graco_criterion_name(int index)
{
    static const char *const names[] = {
        [GRACO_CRITERION_STRUCTURE] = "structure", [GRACO_CRITERION_VALIDATION] = "validation"};
    int count = sizeof names / sizeof *names;
    return index >= 0 && index < count ? names[index] : NULL;
}

graco_tune_options graco_tune_defaults(void)
{
    return (graco_tune_options){.trials = 50};
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* The measurements of the first seed of trials below `before` that this search has asked for, and their
 * order, both new arrays. */
static graco_status order_first(struct measurement **list, int64_t **order, int64_t *count,
                                const struct search *search, int64_t before)
{
    const struct trials *trials = &search->trials;
    PASS(memory_alloc(list, trials->count, sizeof **list));
    PASS(memory_alloc(order, trials->count, sizeof **order));
    for (int64_t i = 0; i < trials->count; i++)
        if (trials->list[i].used && trials->list[i].seed == 0 && trials->list[i].trial < before)
            (*list)[(*count)++] = trials->list[i];
    return trials_order(*order, *list, *count, search->options->criterion);
}

/* How many of so many trials, at most, are confirmed: none where there is nothing to choose between. */
static int64_t most_confirmed(int64_t trials)
{
    int64_t count = trials / CONFIRMED_SHARE;
    count = count < CONFIRMED ? count : CONFIRMED;
    return count > 1 ? count : 0;
}

/* How many of the first in the order are confirmed: those that did not fail. */
static int64_t count_confirmed(const struct search *search, const struct measurement *list,
                               const int64_t *order, int64_t measured)
{
    int64_t most = most_confirmed(search->count), count = 0;
    while (count < most && count < measured && !list[order[count]].failed)
        count++;
    return count > 1 ? count : 0;
}

/* The mean of a measurement over the seeds that there are; their number. */
static int64_t mean_over_seeds(struct measurement *one, const struct search *search)
{
    struct measurement sum = *one;
    int64_t seeds = 1;
    for (int64_t seed = 1; seed < SEEDS; seed++) {
        const struct measurement *more =
            trials_find(&search->trials, one->trial, seed, one->epochs);
        if (!more || !more->used)
            continue;
        sum.structure.modularity += more->structure.modularity;
        sum.structure.columns += more->structure.columns;
        sum.structure.edges += more->structure.edges;
        sum.validation += more->validation;
        sum.failed |= more->failed;
        seeds++;
    }
    sum.structure.modularity /= (double)seeds;
    sum.structure.columns /= (double)seeds;
    sum.structure.edges /= (double)seeds;
    sum.validation /= (double)seeds;
    *one = sum;
    return seeds;
}

/* The best of the first seeds; once all of the best few are confirmed, that whose mean over seeds ranks
 * best among all. */
graco_status search_choose(struct choice *out, bool *found, const struct search *search)
{
    graco_status status = GRACO_OK;
    struct measurement *list = NULL;
    int64_t *order = NULL, *again = NULL, count = 0;
    bool confirmed = true;
    TRY(order_first(&list, &order, &count, search, INT64_MAX));
    *found = count > 0 && !list[order[0]].failed;
    if (!*found)
        goto done;
    *out = (struct choice){list[order[0]], 1};
    int64_t most = count_confirmed(search, list, order, count);
    for (int64_t i = 0; i < most; i++)
        confirmed &= mean_over_seeds(&list[order[i]], search) == SEEDS;
    if (most == 0 || !confirmed)
        goto done;
    TRY(memory_alloc(&again, count, sizeof *again));
    TRY(trials_order(again, list, count, search->options->criterion));
    for (int64_t i = count - 1; i >= 0; i--) /* the first of them in the new order comes last */
        for (int64_t k = 0; k < most; k++)
            if (again[i] == order[k])
                *out = (struct choice){list[again[i]], SEEDS};
done:
    memory_free(again);
    memory_free(order);
    memory_free(list);
    return status;
}

graco_status search_configure(struct graco_config *config, const struct search *search,
                              const struct choice *choice)
{
    PASS(space_configure(config, &search->space, &search->point[choice->mean.trial]));
    config->epochs = choice->mean.epochs;
    return GRACO_OK;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

/* The best trials before `before`, each once. */
static graco_status find_parents(int64_t parents[PARENTS], int *count, const struct search *search,
                                 int64_t before)
{
    graco_status status = GRACO_OK;
    struct measurement *list = NULL;
    int64_t *order = NULL, measured = 0;
    *count = 0;
    TRY(order_first(&list, &order, &measured, search, before));
    for (int64_t i = 0; i < measured && *count < PARENTS; i++) {
        const struct measurement *one = &list[order[i]];
        bool known = one->failed;
        for (int k = 0; k < *count; k++)
            known |= parents[k] == one->trial;
        if (!known)
            parents[(*count)++] = one->trial;
    }
done:
    memory_free(order);
    memory_free(list);
    return status;
}

static bool is_new(const struct search *search, const struct point *point)
{
    for (int64_t i = 0; i < search->count; i++)
        if (space_same(&search->space, &search->point[i], point))
            return false;
    return true;
}

/* Draws trial number search->count. Where attempts find no new settings and all can be counted, the next that are new. */
static void draw_trial(struct search *search, const int64_t *parents, int parent_count)
{
    int64_t trial = search->count, place = trial % GENERATION;
    bool local = parent_count > 0 && trial >= RANDOM_GENERATIONS * GENERATION && place % 4 != 3;
    uint64_t seed = search->options->seed;
    struct point point;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (local) /* the places that are not random go round the parents */
            space_move(&point, &search->space,
                       &search->point[parents[(place - place / 4) % parent_count]], seed, trial,
                       attempt);
        else
            space_draw(&point, &search->space, seed, trial, attempt);
        if (is_new(search, &point))
            break;
    }
    int64_t size = space_size(&search->space, TRIALS_MAX + 1);
    for (int64_t i = 0; size <= TRIALS_MAX && i < size && !is_new(search, &point); i++)
        space_next(&point, &search->space);
    search->point[trial] = point;
    search->local[trial] = local;
    search->count++;
}

static graco_status draw_generation(struct search *search, int64_t count)
{
    int64_t parents[PARENTS], room = search->count + count;
    int parent_count = 0;
    PASS(memory_grow(&search->point, search->room, room, sizeof *search->point));
    PASS(memory_grow(&search->local, search->room, room, sizeof *search->local));
    search->room = room;
    PASS(find_parents(parents, &parent_count, search, search->count));
    for (int64_t i = 0; i < count; i++)
        draw_trial(search, parents, parent_count);
    return GRACO_OK;
}

/* ---- Rungs ----------------------------------------------------------------------------------- */

/* Orders the trials of a rung, keeps the better half in front, and forgets the others' folders. */
static graco_status halve(struct search *search, struct wanted *wanted, int64_t *count)
{
    graco_status status = GRACO_OK;
    struct measurement *list = NULL;
    struct wanted *kept = NULL;
    int64_t *order = NULL, half = (*count + 1) / 2;
    TRY(memory_alloc(&list, *count, sizeof *list));
    TRY(memory_alloc(&order, *count, sizeof *order));
    TRY(memory_alloc(&kept, *count, sizeof *kept));
    for (int64_t i = 0; i < *count; i++)
        list[i] = *trials_find(&search->trials, wanted[i].trial, 0, wanted[i].epochs);
    TRY(trials_order(order, list, *count, search->options->criterion));
    int64_t left = 0;
    for (int64_t i = 0; i < *count; i++) {
        if (i < half && !list[order[i]].failed)
            kept[left++] = wanted[order[i]];
        else
            TRY(search_forget(search, &wanted[order[i]]));
    }
    memcpy(wanted, kept, (size_t)left * sizeof *wanted);
    *count = left;
done:
    memory_free(kept);
    memory_free(order);
    memory_free(list);
    return status;
}

static graco_status run_generation(struct search *search, int64_t count)
{
    graco_status status = GRACO_OK;
    struct wanted *wanted = NULL;
    int64_t first = search->count;
    TRY(draw_generation(search, count));
    TRY(memory_alloc(&wanted, count, sizeof *wanted));
    for (int64_t i = 0; i < count; i++)
        wanted[i].trial = first + i;
    for (int rung = 0; rung < search->space.rungs && count > 0; rung++) {
        for (int64_t i = 0; i < count; i++)
            wanted[i] = (struct wanted){wanted[i].trial, 0, search->space.epochs[rung]};
        TRY(search_measure(search, wanted, count));
        if (rung + 1 < search->space.rungs)
            TRY(halve(search, wanted, &count));
    }
    for (int64_t i = 0; i < count; i++)
        TRY(search_forget(search, &wanted[i]));
done:
    memory_free(wanted);
    return status;
}

/* Trains the best few with other seeds. */
static graco_status confirm(struct search *search)
{
    graco_status status = GRACO_OK;
    struct measurement *list = NULL;
    int64_t *order = NULL, count = 0, left = 0;
    struct wanted wanted[CONFIRMED * SEEDS];
    TRY(order_first(&list, &order, &count, search, INT64_MAX));
    int64_t most = count_confirmed(search, list, order, count);
    for (int64_t i = 0; i < most; i++)
        for (int64_t seed = 1; seed < SEEDS; seed++)
            wanted[left++] = (struct wanted){list[order[i]].trial, seed, list[order[i]].epochs};
    TRY(search_measure(search, wanted, left));
    for (int64_t i = 0; i < left; i++)
        TRY(search_forget(search, &wanted[i]));
done:
    memory_free(order);
    memory_free(list);
    return status;
}

double search_epochs(const struct search *search)
{
    const struct space *space = &search->space;
    double sum = 0;
    for (int64_t left = search->most; left > 0; left -= GENERATION) {
        int64_t count = left < GENERATION ? left : GENERATION, before = 0;
        for (int rung = 0; rung < space->rungs; rung++) {
            int64_t more = space->epochs[rung] - before;
            sum += (double)(count * (more > 0 ? more : 1));
            before = space->epochs[rung];
            count = (count + 1) / 2;
        }
    }
    return sum +
           (double)(most_confirmed(search->most) * (SEEDS - 1) * space->epochs[space->rungs - 1]);
}

int64_t search_measured(const struct search *search)
{
    const struct trials *trials = &search->trials;
    int64_t count = 0;
    for (int64_t i = 0; i < trials->count; i++)
        count += i == 0 || trials->list[i].trial != trials->list[i - 1].trial;
    return count;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static graco_status check(const struct search *search)
{
    const struct graco_dataset *data = search->data;
    const graco_tune_options *options = search->options;
    if (!graco_criterion_name((int)options->criterion))
        return status_fail(GRACO_ERROR_ARGUMENT, "criterion %d; expected structure or validation",
                           (int)options->criterion);
    if (options->trials < 0 || options->trials > TRIALS_MAX || !(options->seconds >= 0))
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld trials, %g seconds; expected at most %d",
                           (long long)options->trials, options->seconds, TRIALS_MAX);
    if (options->trials == 0 && options->seconds == 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "a search needs a number of trials or a time");
    if (options->criterion == GRACO_CRITERION_VALIDATION && data->classes == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set %s has no labels; the criterion structure needs none",
                           data->name);
    if (data->graph->edges == 0 && data->features.cols == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set %s has neither edges nor features: there is nothing to "
                           "measure embeddings by",
                           data->name);
    return GRACO_OK;
}

/* The host's memory, or a GPU's where that is less and trainings run there. A device that cannot be asked has its say
 * when it trains. */
static double bytes_free(const struct search *search)
{
    const char *device = search->options->device ? search->options->device : "auto";
    const struct backend *backend = NULL;
    int64_t host = memory_available(), left = host, all = 0;
    if (backend_find(&backend, device) != GRACO_OK || !backend->memory ||
        backend->memory(&left, &all) != GRACO_OK)
        left = host;
    return (double)(left < host ? left : host);
}

/* As many trainings at a time as there are threads, and as fit into half of the memory. */
static int count_at_once(const struct search *search)
{
    const double column_bytes = 80; /* of a node and a column of the widest encoder, about */
    double row_bytes = column_bytes * fmax(512, space_widest(&search->space));
    const struct features *X = &search->data->features;
    double bytes =
        (double)search->data->graph->nodes * (row_bytes + (X->dense ? 8.0 * (double)X->cols : 0));
    double room = bytes_free(search) / 2 / bytes;
    int64_t count = search->options->at_once > 0 ? search->options->at_once : search->threads;
    count = search->options->at_once > 0 || (double)count < room ? count : (int64_t)room;
    count = count < AT_ONCE_MAX ? count : AT_ONCE_MAX;
    return count > 1 ? (int)count : 1;
}

static graco_status open_search(struct search *search)
{
    const graco_tune_options *options = search->options;
    char *lock = NULL;
    graco_status status = GRACO_OK;
    PASS(check(search));
    search->threads = threads_count(options->threads);
    PASS(space_init(&search->space, options->method, search->data, options->search));
    search->most = space_size(&search->space, options->trials > 0 ? options->trials : TRIALS_MAX);
    if (search->data->graph->edges == 0) /* it may be that nothing can be measured */
        PASS(search_prepare(search));
    if (options->criterion == GRACO_CRITERION_VALIDATION)
        PASS(search_check_labels(search));
    TRY(file_make_folder(options->folder));
    TRY(memory_path(&search->table, options->folder, "trials.csv"));
    TRY(memory_path(&search->best, options->folder, "best.json"));
    TRY(memory_path(&search->page, options->folder, "report.html"));
    TRY(memory_path(&search->about, options->folder, "tune.json"));
    TRY(memory_path(&search->runs, options->folder, "trainings"));
    TRY(memory_path(&lock, options->folder, "lock"));
    TRY(lock_take(&search->lock, lock, options->folder));
    TRY(search_claim(search));
    TRY(file_make_folder(search->runs));
    TRY(trials_read(&search->trials, search->table));
    int64_t last =
        search->trials.count > 0 ? search->trials.list[search->trials.count - 1].trial : -1;
    if (options->trials > 0 && last >= options->trials)
        FAIL(GRACO_ERROR_ARGUMENT,
             "%s has %lld trials already, and %lld are asked for; expected at least as many",
             options->folder, (long long)last + 1, (long long)options->trials);
    search->at_once = count_at_once(search);
done:
    memory_free(lock);
    return status;
}

static void close_search(struct search *search)
{
    pthread_mutex_destroy(&search->hold);
    trials_clear(&search->trials);
    hidden_clear(&search->hidden);
    lock_free(search->lock);
    memory_free(search->point);
    memory_free(search->local);
    memory_free(search->table);
    memory_free(search->best);
    memory_free(search->page);
    memory_free(search->about);
    memory_free(search->runs);
}

/* best.json: the preset, and what it was chosen by. */
static graco_status write_best(const struct search *search, const struct graco_config *config,
                               const struct choice *choice)
{
    graco_status status = GRACO_OK;
    struct writer json = {.style = WRITER_PRETTY};
    writer_open(&json, NULL, '{');
    TRY(preset_put_all(&json, config));
    writer_open(&json, "chosen", '{');
    writer_string(&json, "dataset", search->data->name);
    writer_string(&json, "criterion", graco_criterion_name((int)search->options->criterion));
    writer_integer(&json, "trial", choice->mean.trial);
    writer_integer(&json, "trials", search_measured(search));
    writer_integer(&json, "seeds", choice->seeds);
    writer_real(&json, "modularity", choice->mean.structure.modularity);
    writer_real(&json, "columns", choice->mean.structure.columns);
    writer_real(&json, "edges", choice->mean.structure.edges);
    writer_real(&json, "score", structure_score(&choice->mean.structure));
    writer_real(&json, "validation", choice->mean.validation);
    writer_close(&json);
    writer_close(&json);
    TRY(writer_finish(&json));
    TRY(file_write_text(search->best, &json.text));
done:
    writer_clear(&json);
    return status;
}

/* Writes what the search has come to; *config and *result as graco_tune says. */
static graco_status conclude(graco_config **config, graco_tune_result *result,
                             const struct search *search)
{
    struct graco_config best;
    graco_config *copy = NULL;
    struct choice choice;
    bool found = false;
    PASS(search_choose(&choice, &found, search));
    if (!found && search->out_of_time)
        return status_fail(
            GRACO_STOPPED,
            "no trial was measured within %g s; expected more time, or fewer epochs or "
            "columns to search",
            search->options->seconds);
    if (!found)
        return search->stop ? GRACO_OK
                            : status_fail(GRACO_ERROR_NUMBER,
                                          "the numbers of every trial went wrong; expected smaller "
                                          "features or learning rates");
    PASS(search_configure(&best, search, &choice));
    PASS(write_best(search, &best, &choice));
    PASS(search_write_page(search, &choice));
    if (config)
        PASS(graco_config_copy(&copy, &best));
    if (config)
        *config = copy;
    if (result)
        *result = (graco_tune_result){
            .trials = search_measured(search),
            .measured = search->trials.count,
            .trial = choice.mean.trial,
            .epochs = choice.mean.epochs,
            .structure = choice.mean.structure,
            .score = structure_score(&choice.mean.structure),
            .raw = search->raw,
            .validation = choice.mean.validation,
            .seeds = choice.seeds,
            .seconds = threads_seconds() - search->begun,
            .out_of_time = search->out_of_time,
        };
    return GRACO_OK;
}

graco_status graco_tune(graco_config **config, graco_tune_result *result, const graco_dataset *data,
                        const graco_tune_options *options)
{
    struct search search = {.data = data,
                            .options = options,
                            .begun = threads_seconds(),
                            .hold = PTHREAD_MUTEX_INITIALIZER};
    graco_status status = GRACO_OK;
    TRY(open_search(&search));
    while (status == GRACO_OK && search.count < search.most) {
        int64_t left = search.most - search.count;
        status = run_generation(&search, left < GENERATION ? left : GENERATION);
        if (status == GRACO_OK && search.fresh > 0)
            status = conclude(NULL, NULL, &search); /* for whoever looks on, and for a kill */
    }
    if (status == GRACO_OK)
        status = confirm(&search);
    if (status == GRACO_OK)
        status = search_prepare(&search); /* also where nothing was left to measure */
    if (status == GRACO_OK || status == GRACO_STOPPED) {
        graco_status concluded = conclude(config, result, &search);
        status = concluded != GRACO_OK || search.out_of_time ? concluded : status;
    }
done:
    close_search(&search);
    return status;
}
