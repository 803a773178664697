/* What is learned of columns. Means are summed in double, row after row; quantiles are those of at most SAMPLE rows,
 * evenly spaced. */
#include "data/preparation.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/tables/table_ends.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 65536,
    HEAVY = 20,       /* a tail so many times as long as the middle half of the numbers is heavy */
    IDS_LEAST = 8,    /* fewer rows may all differ by chance */
    COUNTS_LEAST = 64 /* columns of a table that may be one of counts */
};

/* A 0/1 column has at most this deviation. */
static const double BINARY_SPREAD = 0.5;

/* What the numbers of a column are like. */
struct look {
    int64_t rows, gaps, zeros, below; /* below 0 */
    double mean, deviation, least, most;
    double quarter, median, three_quarters;
    bool binary, whole, distinct;
    float *sorted; /* (sampled) */
    int64_t sampled;
};

static float number_at(const struct column *column, int64_t row)
{
    return column->number[row * column->stride];
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A quantile of sorted numbers, the share `at` of them below it. */
static float quantile(const float *sorted, int64_t count, double at)
{
    double place = at * (double)(count - 1);
    int64_t low = (int64_t)place;
    double part = place - (double)low;
    return part == 0 ? sorted[low]
                     : (float)((1 - part) * (double)sorted[low] + part * (double)sorted[low + 1]);
}

static graco_status take_sample(struct look *look, const struct column *column, const uint8_t *seen,
                                int64_t rows)
{
    int64_t found = look->rows - look->gaps, step = (found + SAMPLE - 1) / SAMPLE, next = 0;
    if (found == 0)
        return GRACO_OK;
    PASS(memory_alloc(&look->sorted, found / step + 1, sizeof *look->sorted));
    for (int64_t r = 0; r < rows; r++) {
        float value = number_at(column, r);
        if ((!seen || seen[r]) && !isnan(value) && next++ % step == 0)
            look->sorted[look->sampled++] = value;
    }
    qsort(look->sorted, (size_t)look->sampled, sizeof *look->sorted, compare_floats);
    look->quarter = (double)quantile(look->sorted, look->sampled, 0.25);
    look->median = (double)quantile(look->sorted, look->sampled, 0.5);
    look->three_quarters = (double)quantile(look->sorted, look->sampled, 0.75);
    look->distinct = true;
    for (int64_t i = 1; i < look->sampled; i++)
        look->distinct = look->distinct && look->sorted[i] > look->sorted[i - 1];
    return GRACO_OK;
}

static void measure(struct look *look, const struct column *column, const uint8_t *seen,
                    int64_t rows)
{
    double sum = 0, squares = 0;
    *look = (struct look){.least = INFINITY, .most = -INFINITY, .binary = true, .whole = true};
    for (int64_t r = 0; r < rows; r++) {
        double value = (double)number_at(column, r);
        if (seen && !seen[r])
            continue;
        look->rows++;
        if (isnan(value)) {
            look->gaps++;
            continue;
        }
        sum += value;
        look->zeros += value == 0;
        look->below += value < 0;
        look->least = fmin(look->least, value);
        look->most = fmax(look->most, value);
        look->binary = look->binary && (value == 0 || value == 1);
        look->whole = look->whole && value == floor(value);
    }
    int64_t found = look->rows - look->gaps;
    look->mean = found > 0 ? sum / (double)found : 0;
    for (int64_t r = 0; r < rows; r++) {
        double away = (double)number_at(column, r) - look->mean;
        if ((!seen || seen[r]) && !isnan(away))
            squares += away * away;
    }
    look->deviation = found > 0 ? sqrt(squares / (double)found) : 0;
}

static graco_status look_at(struct look *look, const struct column *column, const uint8_t *seen,
                            int64_t rows)
{
    measure(look, column, seen, rows);
    return take_sample(look, column, seen, rows);
}

/* A column of 0 and 1 counts as one of the largest spread that it can have; 0: a constant one. */
static double spread_of(const struct look *look)
{
    return look->binary && look->deviation > 0 ? BINARY_SPREAD : look->deviation;
}

/* ---- Deciding -------------------------------------------------------------------------------- */

/* Whether all columns may stay as they are. */
static bool stays(const struct columns *columns, const struct look *looks)
{
    double least = INFINITY, most = 0, zeros = 0, cells = 0;
    int64_t below = 0;
    for (int64_t c = 0; c < columns->count; c++) {
        const struct look *look = &looks[c];
        enum column_kind kind = columns->list[c].kind;
        if (kind == COLUMN_WORDS || kind == COLUMN_DATES || look->gaps > 0)
            return false;
        zeros += (double)look->zeros;
        cells += (double)look->rows;
        below += look->below;
        double spread = spread_of(look);
        if (spread == 0)
            continue;
        least = fmin(least, spread);
        most = fmax(most, spread);
    }
    bool counts = columns->count >= COUNTS_LEAST && below == 0 && zeros >= cells / 2;
    return counts || most <= PREPARATION_SPREADS * least;
}

static graco_status take_knots(struct recipe *recipe, const struct look *look)
{
    PASS(memory_alloc(&recipe->knots, PREPARATION_KNOTS, sizeof *recipe->knots));
    for (int i = 0; i < PREPARATION_KNOTS; i++)
        recipe->knots[i] =
            quantile(look->sorted, look->sampled, i / (double)(PREPARATION_KNOTS - 1));
    recipe->knots[0] = (float)look->least;
    recipe->knots[PREPARATION_KNOTS - 1] = (float)look->most;
    return GRACO_OK;
}

static graco_status learn_numbers(struct recipe *recipe, const struct look *look,
                                  enum preparation_how how, bool stay)
{
    double middle = look->three_quarters - look->quarter;
    double tail = fmax(look->most - look->median, look->median - look->least);
    recipe->median = look->median;
    recipe->gaps = look->gaps > 0;
    recipe->scale = 1;
    if (stay && how == PREPARATION_LOOK)
        recipe->how = PREPARATION_PLAIN;
    else if (look->rows == look->gaps || look->least == look->most)
        recipe->how = PREPARATION_CONSTANT;
    else if (how == PREPARATION_LOOK && recipe->kind == COLUMN_NUMBERS && look->whole &&
             look->distinct && look->rows - look->gaps >= IDS_LEAST && table_ends_id(recipe->name))
        recipe->how = PREPARATION_IDS;
    else if (look->binary)
        recipe->how = PREPARATION_PLAIN;
    else if (how == PREPARATION_QUANTILE || (how == PREPARATION_LOOK && tail > HEAVY * middle))
        recipe->how = PREPARATION_QUANTILE;
    else
        recipe->how = PREPARATION_STANDARD;
    if (recipe->how == PREPARATION_STANDARD) {
        recipe->mean = look->mean;
        recipe->scale = look->deviation;
    }
    return recipe->how == PREPARATION_QUANTILE ? take_knots(recipe, look) : GRACO_OK;
}

struct counted {
    const char *word;
    int64_t count;
};

/* The more frequent first, then in the order of bytes. */
static int compare_counted(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->word, y->word);
}

static graco_status learn_words(struct recipe *recipe, const struct column *column,
                                const uint8_t *seen, int64_t rows)
{
    graco_status status = GRACO_OK;
    struct counted *counted = NULL;
    int64_t words = names_count(column->words), found = 0, gaps = 0, all = 0;
    int32_t number;
    TRY(memory_alloc(&counted, words, sizeof *counted));
    for (int64_t w = 0; w < words; w++)
        counted[w] = (struct counted){names_text(column->words, w), 0};
    for (int64_t r = 0; r < rows; r++) {
        if (seen && !seen[r])
            continue;
        all++;
        if (column->code[r] < 0)
            gaps++;
        else
            found += counted[column->code[r]].count++ == 0;
    }
    qsort(counted, (size_t)words, sizeof *counted, compare_counted);
    recipe->gaps = gaps > 0;
    recipe->how = found < 2                                   ? PREPARATION_CONSTANT
                  : found == all - gaps && found >= IDS_LEAST ? PREPARATION_IDS
                                                              : PREPARATION_WORDS;
    if (recipe->how == PREPARATION_IDS)
        recipe->gaps = false;
    if (recipe->how != PREPARATION_WORDS)
        goto done;
    TRY(names_create(&recipe->words));
    for (int64_t w = 0; w < found && w < PREPARATION_ONE_HOT; w++)
        TRY(names_add(&number, recipe->words, counted[w].word, (int64_t)strlen(counted[w].word)));
    recipe->hashed = found > PREPARATION_ONE_HOT;
done:
    memory_free(counted);
    return status;
}

void preparation_free(struct preparation *preparation)
{
    if (!preparation)
        return;
    for (int64_t c = 0; preparation->recipes && c < preparation->count; c++) {
        memory_free(preparation->recipes[c].name);
        memory_free(preparation->recipes[c].knots);
        names_free(preparation->recipes[c].words);
    }
    memory_free(preparation->recipes);
    memory_free(preparation);
}

int64_t preparation_values(const struct recipe *recipe)
{
    if (recipe->how == PREPARATION_WORDS)
        return names_count(recipe->words) + (recipe->hashed ? PREPARATION_BUCKETS : 0);
    return recipe->how != PREPARATION_CONSTANT && recipe->how != PREPARATION_IDS;
}

void preparation_count(struct preparation *preparation)
{
    preparation->cols = 0;
    preparation->plain = true;
    for (int64_t c = 0; c < preparation->count; c++) {
        const struct recipe *recipe = &preparation->recipes[c];
        preparation->cols += preparation_values(recipe) + recipe->gaps;
        preparation->plain = preparation->plain && recipe->how == PREPARATION_PLAIN &&
                             !recipe->gaps && recipe->kind == COLUMN_NUMBERS;
    }
}

graco_status preparation_seen(uint8_t **seen, const uint8_t *split, int64_t nodes)
{
    PASS(memory_alloc(seen, nodes, sizeof **seen));
    for (int64_t i = 0; i < nodes; i++)
        (*seen)[i] = split[i] == 0;
    return GRACO_OK;
}

graco_status preparation_learn(struct preparation **out, const struct columns *columns,
                               const uint8_t *seen, enum preparation_how how)
{
    graco_status status = GRACO_OK;
    struct preparation *made = NULL;
    struct look *looks = NULL;
    TRY(memory_zalloc(&made, 1, sizeof *made));
    TRY(memory_zalloc(&made->recipes, columns->count, sizeof *made->recipes));
    TRY(memory_zalloc(&looks, columns->count, sizeof *looks));
    made->count = columns->count;
    made->unnamed = columns->unnamed;
    for (int64_t c = 0; c < columns->count; c++)
        if (columns->list[c].kind != COLUMN_WORDS)
            TRY(look_at(&looks[c], &columns->list[c], seen, columns->rows));
    bool stay = stays(columns, looks);
    for (int64_t c = 0; c < columns->count; c++) {
        struct recipe *recipe = &made->recipes[c];
        TRY(memory_string(&recipe->name, columns->list[c].name));
        recipe->kind = columns->list[c].kind;
        if (recipe->kind == COLUMN_WORDS)
            TRY(learn_words(recipe, &columns->list[c], seen, columns->rows));
        else
            TRY(learn_numbers(recipe, &looks[c], how, stay));
    }
    preparation_count(made);
    if (made->cols == 0)
        FAIL(GRACO_ERROR_FORMAT,
             "all %lld columns of features are constant or ids: expected one that is neither",
             (long long)columns->count);
    *out = made;
    made = NULL;
done:
    for (int64_t c = 0; looks && c < columns->count; c++)
        memory_free(looks[c].sorted);
    memory_free(looks);
    preparation_free(made);
    return status;
}

void preparation_warn(char *text, size_t size, const struct features *X)
{
    struct look look = {0};
    double least = INFINITY, most = 0, zeros = 0;
    int64_t rows = X->rows < PREPARATION_LOOKED ? X->rows : PREPARATION_LOOKED, below = 0;
    int64_t low = 0, high = 0;
    *text = '\0';
    for (int64_t c = 0; X->dense && c < X->cols; c++) {
        const struct column column = {.number = X->dense + c, .stride = X->cols};
        measure(&look, &column, NULL, rows);
        double spread = spread_of(&look);
        below += look.below;
        zeros += (double)look.zeros;
        if (spread > most)
            high = c;
        if (spread > 0 && spread < least)
            low = c;
        most = fmax(most, spread);
        least = spread > 0 ? fmin(least, spread) : least;
    }
    bool counts = X->cols >= COUNTS_LEAST && below == 0 && zeros >= (double)(rows * X->cols) / 2;
    if (!counts && most > PREPARATION_SPREADS * least)
        snprintf(text, size,
                 "features %" PRId64 " and %" PRId64
                 " (from 1) have spreads that differ by %.0f times: --set scaling=standard or "
                 "scaling=quantile makes them alike",
                 high + 1, low + 1, most / least);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *const HOWS[] = {"",      "as it is",           "standardised", "by rank",
                                   "words", "constant, left out", "ids, left out"};

void preparation_say(char *text, size_t size, const struct preparation *preparation)
{
    struct text say = {0};
    int shown = 0;
    for (int64_t c = 0; c < preparation->count; c++) {
        const struct recipe *recipe = &preparation->recipes[c];
        bool left_out = recipe->how >= PREPARATION_CONSTANT;
        if (!left_out &&
            shown++ >= 8) /* what is left out is named always, as far as there is room */
            continue;
        text_print(&say, "%s`%.40s` ", say.length > 0 ? ", " : "", recipe->name);
        if (recipe->how == PREPARATION_WORDS)
            text_print(&say, "%" PRId64 " words%s", names_count(recipe->words),
                       recipe->hashed ? ", others hashed" : "");
        else
            text_add(&say, HOWS[recipe->how]);
        if (recipe->gaps)
            text_add(&say, " with gaps");
    }
    if (shown > 8)
        text_print(&say, ", ... (%d)", shown);
    snprintf(text, size, "%s", text_words(&say));
    text_clear(&say);
}

void preparation_feature(char *text, size_t size, const struct preparation *preparation,
                         int64_t feature)
{
    *text = '\0';
    for (int64_t c = 0; c < preparation->count && feature >= 0; c++) {
        const struct recipe *recipe = &preparation->recipes[c];
        int64_t values = preparation_values(recipe),
                words = recipe->words ? names_count(recipe->words) : 0;
        if (feature < values && feature < words)
            snprintf(text, size, "%s=%s", recipe->name, names_text(recipe->words, feature));
        else if (feature < values && words > 0)
            snprintf(text, size, "%s=others %d", recipe->name, (int)(feature - words + 1));
        else if (feature < values)
            snprintf(text, size, "%s", recipe->name);
        else if (feature == values && recipe->gaps)
            snprintf(text, size, "%s is missing", recipe->name);
        feature -= values + recipe->gaps;
    }
}
