/* A point is a number from 0 to 1 for each axis, and settings are read off it as text: so drawing, moving
 * and comparing know neither types nor units, and a setting is checked where every other one is. */
#include "tune/space.h"

#include "base/number.h"
#include "base/random.h"
#include "data/preprocess.h"
#include "methods/method.h"
#include "methods/preset_file.h"
#include "train/allowed.h"
#include "train/made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Axes from text -------------------------------------------------------------------------- */

static graco_status check_value(const struct axis *axis, const struct space *space,
                                const char *value)
{
    struct graco_config scratch = space->base;
    graco_status status = graco_config_set(&scratch, axis->key, value);
    return status == GRACO_OK ? status
                              : status_context(status, "search %s=%s", axis->key, axis->text);
}

static bool has_word(const struct axis *axis, const char *word)
{
    for (int i = 0; i < axis->words; i++)
        if (strcmp(axis->word[i], word) == 0)
            return true;
    return false;
}

/* A comma parts values here, so the words of one value are joined by a plus. */
static void part_words(char *value)
{
    for (char *plus = value; (plus = strchr(plus, '+'));)
        *plus = ',';
}

static graco_status read_words(struct axis *axis, const struct space *space)
{
    const char *at = axis->text;
    while (at) {
        size_t length = strcspn(at, ",");
        if (axis->words == SPACE_WORDS || length >= CONFIG_TEXT)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "search %s=%s; expected at most %d values, of less than %d "
                               "characters",
                               axis->key, axis->text, SPACE_WORDS, CONFIG_TEXT);
        memcpy(axis->word[axis->words], at, length);
        axis->word[axis->words][length] = '\0';
        if (config_is_set(axis->key))
            part_words(axis->word[axis->words]);
        PASS(check_value(axis, space, axis->word[axis->words]));
        axis->words += !has_word(axis, axis->word[axis->words]);
        at = at[length] ? at + length + 1 : NULL;
    }
    return GRACO_OK;
}

enum { DIGITS_LEAST = 2, DIGITS_MOST = 17 };

/* Digits that tell twenty places of a range apart. */
static int count_digits(double low, double high)
{
    double place = pow(10, floor(log10(fmax(fabs(low), fabs(high))))); /* of the first digit */
    int digits = 1;
    while (digits < DIGITS_MOST && place > (high - low) / 20) {
        place /= 10;
        digits++;
    }
    return digits < DIGITS_LEAST ? DIGITS_LEAST : digits;
}

/* Both ends of "low..high"; a range of choices does not pass the check of its ends. */
static graco_status read_range(struct axis *axis, const struct space *space, const char *dots)
{
    char low[CONFIG_TEXT], *end;
    const char *high = dots + 2;
    if (dots - axis->text >= CONFIG_TEXT)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "search %s=%s; expected numbers of less than %d characters", axis->key,
                           axis->text, CONFIG_TEXT);
    snprintf(low, sizeof low, "%.*s", (int)(dots - axis->text), axis->text);
    PASS(check_value(axis, space, low));
    PASS(check_value(axis, space, high));
    axis->low = number_parse(low, &end);
    axis->high = *end ? (double)NAN : number_parse(high, &end);
    if (*end || !(axis->low < axis->high))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "search %s=%s; expected numbers, the first below the second", axis->key,
                           axis->text);
    axis->whole = config_is_whole(axis->key);
    axis->logarithmic = axis->low > 0 && axis->high >= 10 * axis->low;
    axis->digits = axis->logarithmic ? DIGITS_LEAST : count_digits(axis->low, axis->high);
    return GRACO_OK;
}

/* Fills an axis from "a,b" or "low..high". */
static graco_status read_axis(struct axis *axis, const struct space *space, const char *key,
                              const char *text)
{
    const char *dots = strstr(text, "..");
    *axis = (struct axis){0};
    if (strlen(key) >= sizeof axis->key || strlen(text) >= sizeof axis->text || !*text)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "search %.64s=%.64s; expected KEY=a,b,c or KEY=low..high", key, text);
    snprintf(axis->key, sizeof axis->key, "%s", key);
    snprintf(axis->text, sizeof axis->text, "%s", text);
    return dots ? read_range(axis, space, axis->text + (dots - text)) : read_words(axis, space);
}

static struct axis *find_axis(struct space *space, const char *key)
{
    for (int i = 0; i < space->count; i++)
        if (strcmp(space->axes[i].key, key) == 0)
            return &space->axes[i];
    return NULL;
}

static int compare_epochs(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Doublings from the first to the last of a range, or larger steps, each of the same factor, where rungs are too
 * few for that. */
static void put_rungs(struct space *space, double low, double high)
{
    double from = low > 0 ? low : 1;
    int most = SPACE_RUNGS - (low == 0);
    double factor = fmax(2, pow(high / from, 1.0 / (most - 1)));
    if (low == 0)
        space->epochs[space->rungs++] = 0;
    for (double e = from; e < high && space->rungs < SPACE_RUNGS - 1; e *= factor)
        space->epochs[space->rungs++] = (int64_t)round(e);
    space->epochs[space->rungs++] = (int64_t)high;
}

/* Rungs: the values that are listed, or those of a range. */
static graco_status read_epochs(struct space *space, const struct axis *axis)
{
    space->rungs = 0;
    for (int i = 0; i < axis->words; i++) {
        if (space->rungs == SPACE_RUNGS)
            return status_fail(GRACO_ERROR_ARGUMENT, "search epochs=%s; expected at most %d values",
                               axis->text, SPACE_RUNGS);
        space->epochs[space->rungs++] = strtoll(axis->word[i], NULL, 10);
    }
    if (axis->words == 0)
        put_rungs(space, axis->low, axis->high);
    qsort(space->epochs, (size_t)space->rungs, sizeof *space->epochs, compare_epochs);
    int kept = 0;
    for (int i = 0; i < space->rungs; i++)
        if (kept == 0 || space->epochs[i] != space->epochs[kept - 1])
            space->epochs[kept++] = space->epochs[i];
    space->rungs = kept;
    return GRACO_OK;
}

/* Puts an axis in place of the one of its key, or behind the others. */
static graco_status put(struct space *space, const char *key, const char *text)
{
    struct axis axis;
    PASS(read_axis(&axis, space, key, text));
    if (strcmp(key, "epochs") == 0)
        return read_epochs(space, &axis);
    struct axis *place = find_axis(space, key);
    if (!place && space->count == SPACE_AXES)
        return status_fail(GRACO_ERROR_ARGUMENT, "search %s: expected at most %d settings", key,
                           SPACE_AXES);
    *(place ? place : &space->axes[space->count++]) = axis;
    return GRACO_OK;
}

/* ---- The space for a method and a data set --------------------------------------------------- */

/* Past so many nodes the objective of all pairs takes most of the time, and `moment` learns as much. */
enum { EXACT_NODES = 8192 };

/* Axes whose middle is the method's general setting: from a share of it to a multiple. */
static graco_status put_around(struct space *space, const char *key, const char *form, double value)
{
    char text[SPACE_TEXT];
    if (!(value > 0))
        return GRACO_OK;
    if (strcmp(form, "doublings") == 0)
        snprintf(text, sizeof text, "%lld,%lld,%lld", (long long)(value / 2), (long long)value,
                 (long long)(2 * value));
    else if (strcmp(form, "narrow") == 0)
        number_print(text, sizeof text, "%.3g..%.3g", value / 5, 2 * value);
    else
        number_print(text, sizeof text, "%.3g..%.3g", value / 10, 10 * value);
    return put(space, key, text);
}

static bool reads(const struct space *space, const char *key)
{
    const char *own;
    for (int i = 0; (own = graco_config_key(&space->base, i, NULL)); i++)
        if (strcmp(own, key) == 0)
            return true;
    return false;
}

/* Axes of the settings that have the same range wherever a method reads them. */
static graco_status put_shares(struct space *space)
{
    static const char *const axes[][2] = {
        {"activation", "relu,prelu,elu,rrelu"},
        {"drop_edge_1", "0..0.6"},
        {"drop_edge_2", "0.1..0.8"},
        {"drop_feature_1", "0..0.7"},
        {"drop_feature_2", "0..0.7"},
        {"tau", "0.3..0.9"},
        {"window", "3..10"},
        {"p", "0.25..4"},
        {"q", "0.25..4"},
    };
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (reads(space, axes[i][0]))
            PASS(put(space, axes[i][0], axes[i][1]));
    return GRACO_OK;
}

/* Trainings are measured after a quarter, a half and all of their epochs, unless these are few, a cost
 * ends them, or steps of SGD become smaller towards the last: then they cannot be made longer. */
static graco_status put_epochs(struct space *space, const struct method *method, bool grace)
{
    int64_t epochs = space->base.epochs;
    char text[SPACE_TEXT];
    if (grace)
        return put(space, "epochs", "250,500,1000");
    if (epochs < 100 || space->base.patience > 0 || method->step)
        snprintf(text, sizeof text, "%lld", (long long)epochs);
    else
        snprintf(text, sizeof text, "%lld,%lld,%lld", (long long)epochs / 4, (long long)epochs / 2,
                 (long long)epochs);
    return put(space, "epochs", text);
}

/* Refuses what a search says itself of each training, which is nothing of memory, and more than one value of what a preset leaves out: the
 * better one would be lost. */
static graco_status check_own(struct space *space, const char *key)
{
    const struct axis *axis = find_axis(space, key);
    bool own = graco_config_kind(key) & (GRACO_KEY_EACH | GRACO_KEY_FREE | GRACO_KEY_HOST);
    if (own && strcmp(key, "memory") != 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "search %s=%s: a search has one %s for all trainings; expected "
                           "another setting",
                           key, axis->text, key);
    if (axis && preset_leaves_out(key) && axis->words != 1)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "search %s=%s: a preset has no %s; expected one value, for all trainings", key,
            axis->text, key);
    return GRACO_OK;
}

static graco_status put_search(struct space *space, const char *pair)
{
    char key[CONFIG_TEXT];
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair || equals - pair >= CONFIG_TEXT)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "search '%.64s'; expected KEY=a,b,c or KEY=low..high", pair);
    memcpy(key, pair, (size_t)(equals - pair));
    key[equals - pair] = '\0';
    PASS(put(space, key, equals + 1));
    return check_own(space, key);
}

/* Each value, or the ends of a range, beside the first ones of all other settings: what the method or the data set
 * refuses is better known now than when a trial draws it. */
static graco_status check_values(const struct space *space, const struct graco_dataset *data)
{
    struct graco_config first, config;
    const struct point lowest = {0};
    char text[CONFIG_TEXT];
    PASS(space_configure(&first, space, &lowest));
    PASS(allowed_check(&first, data)); /* no axis is to blame for what the data set lacks */
    for (int i = 0; i < space->count; i++) {
        const struct axis *axis = &space->axes[i];
        int last = axis->words > 0 ? axis->words - 1 : 1;
        for (int k = 0; k <= last; k++) {
            config = first;
            space_value(text, axis, last > 0 ? (double)k / last : 0);
            PASS(graco_config_set(&config, axis->key, text));
            graco_status status = allowed_check(&config, data);
            if (status != GRACO_OK)
                return status_context(status, "search %s=%s", axis->key, axis->text);
        }
    }
    return GRACO_OK;
}

graco_status space_init(struct space *out, const char *method, const struct graco_dataset *data,
                        const char *const *search)
{
    const struct method *found = NULL;
    PASS(method_find(&found, method));
    if (found->needs & METHOD_NEEDS_LABELS)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s learns from labels; a search is for methods that do not",
                           found->name);
    memset(out, 0, sizeof *out);
    method_configure(&out->base, found, NULL);
    bool grace = strcmp(found->name, "grace") == 0;
    if (grace && data->graph->nodes > EXACT_NODES && data->graphs == 1)
        PASS(graco_config_set(&out->base, "objective", "moment"));
    if (preprocess_counts(&data->features, data->inductive ? data->split : NULL))
        PASS(graco_config_set(&out->base, "scaling", "rowsum"));
    else if (out->base.scaling == SCALING_AUTO)
        out->base.scaling = SCALING_NONE;
    if (data->inductive)
        PASS(graco_config_set(&out->base, "inductive", "1"));
    made_resolve(&out->base, data, false, NULL);
    if (grace) {
        PASS(put(out, "encoder", "gcn,sage,sage_skip"));
        PASS(put(out, "layers", "1,2"));
        if (data->features.cols > 0)
            PASS(put(out, "parts", "learned,learned+own+smooth"));
    }
    if (reads(out, "hidden"))
        PASS(put_around(out, "hidden", "doublings", (double)out->base.hidden));
    PASS(put_shares(out));
    if (reads(out, "lr"))
        PASS(grace ? put(out, "lr", "0.0002..0.002")
                   : put_around(out, "lr", "narrow", out->base.lr));
    if (reads(out, "weight_decay"))
        PASS(grace ? put(out, "weight_decay", "1e-06..0.0001")
                   : put_around(out, "weight_decay", "wide", out->base.weight_decay));
    PASS(put_epochs(out, found, grace));
    for (; search && *search; search++)
        PASS(put_search(out, *search));
    PASS(check_values(out, data));
    bool open = out->rungs > 1;
    for (int i = 0; i < out->count; i++)
        open |= out->axes[i].words != 1;
    return open ? GRACO_OK
                : status_fail(GRACO_ERROR_ARGUMENT,
                              "there is one value for every setting of the method %s; expected "
                              "KEY=a,b,c or KEY=low..high for one",
                              found->name);
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* What the numbers of a trial are drawn for. */
enum { VIEW_PLACE, VIEW_WHETHER, VIEW_HOW, VIEWS };

static struct random_key key_of(uint64_t seed, int64_t trial, int attempt, uint32_t view)
{
    return (struct random_key){.seed = seed,
                               .stream = RANDOM_TUNE,
                               .view = (uint32_t)attempt * VIEWS + view,
                               .step = (uint32_t)trial};
}

void space_draw(struct point *out, const struct space *space, uint64_t seed, int64_t trial,
                int attempt)
{
    struct random_key place = key_of(seed, trial, attempt, VIEW_PLACE);
    *out = (struct point){0};
    for (int i = 0; i < space->count; i++)
        out->at[i] = (double)random_float(&place, (uint64_t)i);
}

/* Another word, or a step whose deviation is a share of the range, reflected at its ends. */
static double move_along(const struct axis *axis, double at, const struct random_key *how,
                         uint64_t element)
{
    const double share = 0.15;
    if (axis->words > 1) {
        int word = (int)(at * axis->words);
        word += 1 + (int)random_below(how, element, axis->words - 1);
        return (word % axis->words + 0.5) / axis->words;
    }
    double moved = fabs(at + share * random_normal(how, element));
    moved = moved > 1 ? 2 - moved : moved;
    return fmax(0, fmin(1, moved));
}

void space_move(struct point *out, const struct space *space, const struct point *from,
                uint64_t seed, int64_t trial, int attempt)
{
    const float changed = 0.35f; /* of the axes, about, and one at least */
    struct random_key whether = key_of(seed, trial, attempt, VIEW_WHETHER);
    struct random_key how = key_of(seed, trial, attempt, VIEW_HOW);
    *out = *from;
    if (space->count == 0)
        return;
    int64_t one = random_below(&whether, SPACE_AXES, space->count);
    for (int i = 0; i < space->count; i++)
        if (i == one || random_float(&whether, (uint64_t)i) < changed)
            out->at[i] = move_along(&space->axes[i], from->at[i], &how, (uint64_t)i);
}

void space_value(char text[CONFIG_TEXT], const struct axis *axis, double at)
{
    if (axis->words > 0) {
        int word = (int)(at * axis->words);
        snprintf(text, CONFIG_TEXT, "%s", axis->word[word < axis->words ? word : axis->words - 1]);
        return;
    }
    double value = axis->logarithmic ? axis->low * pow(axis->high / axis->low, at)
                                     : axis->low + at * (axis->high - axis->low);
    if (axis->whole) {
        number_print(text, CONFIG_TEXT, "%.0f", fmin(axis->high, fmax(axis->low, round(value))));
        return;
    }
    /* Few digits say enough, and read better; rounding must not leave the range. */
    char *end;
    number_print(text, CONFIG_TEXT, "%.*g", axis->digits, value);
    double rounded = number_parse(text, &end);
    if (rounded < axis->low || rounded > axis->high)
        number_shortest(text, rounded < axis->low ? axis->low : axis->high);
}

graco_status space_configure(struct graco_config *config, const struct space *space,
                             const struct point *point)
{
    char text[CONFIG_TEXT];
    *config = space->base;
    for (int i = 0; i < space->count; i++) {
        space_value(text, &space->axes[i], point->at[i]);
        PASS(graco_config_set(config, space->axes[i].key, text));
    }
    return GRACO_OK;
}

double space_widest(const struct space *space)
{
    double widest = (double)space->base.hidden;
    for (int i = 0; i < space->count; i++) {
        const struct axis *axis = &space->axes[i];
        if (strcmp(axis->key, "hidden") != 0)
            continue;
        widest = axis->high; /* 0 where words say it */
        for (int k = 0; k < axis->words; k++)
            widest = fmax(widest, (double)strtoll(axis->word[k], NULL, 10));
    }
    return widest;
}

/* Settings along an axis, 0: too many to count. */
static int64_t count_values(const struct axis *axis)
{
    double values = axis->words > 0 ? axis->words : axis->whole ? axis->high - axis->low + 1 : 0;
    return values < 0x1p31 ? (int64_t)values : 0;
}

int64_t space_size(const struct space *space, int64_t most)
{
    int64_t size = 1;
    for (int i = 0; i < space->count; i++) {
        int64_t values = count_values(&space->axes[i]);
        if (values == 0 || size > most / values)
            return most;
        size *= values;
    }
    return size;
}

/* Moves to the next value of an axis; true if that is the first one again. */
static bool step_along(double *at, const struct axis *axis)
{
    int64_t values = count_values(axis), next;
    if (axis->words > 0) {
        next = ((int64_t)(*at * axis->words) + 1) % values;
        *at = ((double)next + 0.5) / axis->words;
        return next == 0;
    }
    char text[CONFIG_TEXT], *end;
    space_value(text, axis, *at);
    next = ((int64_t)(number_parse(text, &end) - axis->low) + 1) % values;
    double value = axis->low + (double)next;
    *at = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return next == 0;
}

void space_next(struct point *point, const struct space *space)
{
    for (int i = 0; i < space->count && step_along(&point->at[i], &space->axes[i]); i++)
        continue;
}

bool space_same(const struct space *space, const struct point *a, const struct point *b)
{
    char one[CONFIG_TEXT], other[CONFIG_TEXT];
    for (int i = 0; i < space->count; i++) {
        space_value(one, &space->axes[i], a->at[i]);
        space_value(other, &space->axes[i], b->at[i]);
        if (strcmp(one, other) != 0)
            return false;
    }
    return true;
}
