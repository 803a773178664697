/* A preparation used on a table. Row after row would jump between columns; so each column fills its features of all
 * rows. */
#include "data/preparation.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* The place of a rank between the knots, from -sqrt(3) to sqrt(3): of mean 0 and deviation 1 where ranks are
 * spread evenly. Knots that are alike are a tie, whose place is their middle. */
static float rank_of(const float *knots, float value)
{
    int low = 0, high = 0; /* knots below the value; knots not above it */
    for (int step = 64; step > 0; step /= 2) {
        if (low + step <= PREPARATION_KNOTS && knots[low + step - 1] < value)
            low += step;
        if (high + step <= PREPARATION_KNOTS && knots[high + step - 1] <= value)
            high += step;
    }
    double last = PREPARATION_KNOTS - 1, place;
    if (high > low)
        place = (low + high - 1) / 2.0;
    else if (low == 0 || low == PREPARATION_KNOTS)
        place = low == 0 ? 0 : last;
    else
        place = low - 1 + (double)(value - knots[low - 1]) / (double)(knots[low] - knots[low - 1]);
    return (float)(sqrt(12) * (place / last - 0.5));
}

/* How the features of one column are filled. */
struct filling {
    const struct recipe *recipe;
    const struct column *column;
    float *X; /* (rows, cols), where this column's features begin */
    int64_t cols, values;
    int32_t *place; /* (words) feature of each word of a column; -1: none */
};

static float value_of(const struct recipe *recipe, float number)
{
    if (recipe->how == PREPARATION_STANDARD)
        return (float)(((double)number - recipe->mean) / recipe->scale);
    return recipe->how == PREPARATION_QUANTILE ? rank_of(recipe->knots, number) : number;
}

static void fill_rows(void *job, int64_t begin, int64_t end)
{
    const struct filling *f = job;
    const struct recipe *recipe = f->recipe;
    for (int64_t r = begin; r < end; r++) {
        float *x = f->X + r * f->cols;
        bool gap;
        if (f->place) {
            int32_t code = f->column->code[r], at = code < 0 ? -1 : f->place[code];
            gap = code < 0;
            if (at >= 0)
                x[at] = 1;
        } else {
            float number = f->column->number[r * f->column->stride];
            gap = isnan(number);
            if (f->values > 0)
                x[0] = value_of(recipe, gap ? (float)recipe->median : number);
        }
        if (recipe->gaps)
            x[f->values] = gap;
    }
}

/* The feature of each word of the table. */
static graco_status place_words(int32_t **out, const struct recipe *recipe,
                                const struct names *words)
{
    static const uint64_t key[2] = {0x6772616f63, 0x636f6c756d6e73};
    int64_t known = recipe->words ? names_count(recipe->words) : 0;
    PASS(memory_alloc(out, names_count(words), sizeof **out));
    for (int64_t w = 0; w < names_count(words); w++) {
        const char *text = names_text(words, w);
        int64_t length = (int64_t)strlen(text);
        int32_t at = recipe->words ? names_find(recipe->words, text, length) : -1;
        if (at < 0 && recipe->hashed)
            at = (int32_t)(known + (int64_t)(names_hash(key, text, length) % PREPARATION_BUCKETS));
        (*out)[w] = at;
    }
    return GRACO_OK;
}

/* Numbers as the words that write them: for a column of codes that are all numbers in this table. */
static graco_status write_words(struct column *out, const struct column *column, int64_t rows)
{
    char text[NUMBER_TEXT];
    PASS(names_create(&out->words));
    PASS(memory_alloc(&out->code, rows, sizeof *out->code));
    for (int64_t r = 0; r < rows; r++) {
        float number = column->number[r * column->stride];
        out->code[r] = -1;
        if (!isnan(number))
            PASS(names_add(&out->code[r], out->words, text, number_shortest_float(text, number)));
    }
    return GRACO_OK;
}

/* The column of a name, likely at the place that it had; NULL: there is none, or two elsewhere. */
static const struct column *find_column(const struct columns *columns, const char *name,
                                        int64_t likely)
{
    const struct column *found = NULL;
    if (likely < columns->count && strcmp(columns->list[likely].name, name) == 0)
        return &columns->list[likely];
    for (int64_t c = 0; c < columns->count; c++) {
        if (strcmp(columns->list[c].name, name) != 0)
            continue;
        if (found)
            return NULL;
        found = &columns->list[c];
    }
    return found;
}

enum { ROWS_PER_PIECE = 1024 };

static graco_status fill_column(float *X, int64_t cols, int64_t values, const struct recipe *recipe,
                                const struct column *column, int64_t rows)
{
    graco_status status = GRACO_OK;
    struct column written = {0};
    struct filling f = {recipe, column, X, cols, values, NULL};
    if (recipe->kind == COLUMN_WORDS && column->kind != COLUMN_WORDS) {
        TRY(write_words(&written, column, rows));
        f.column = &written;
    } else if (recipe->kind != COLUMN_WORDS && column->kind == COLUMN_WORDS) {
        FAIL(GRACO_ERROR_ARGUMENT,
             "column `%.80s` has words, such as \"%.40s\": expected %s, as the model was trained "
             "with",
             recipe->name, names_text(column->words, 0),
             recipe->kind == COLUMN_DATES ? "dates" : "numbers");
    }
    if (f.column->code)
        TRY(place_words(&f.place, recipe, f.column->words));
    for (int64_t r = 0; r < rows; r += ROWS_PER_PIECE)
        fill_rows(&f, r, r + ROWS_PER_PIECE < rows ? r + ROWS_PER_PIECE : rows);
done:
    memory_free(f.place);
    memory_free(written.code);
    names_free(written.words);
    return status;
}

graco_status preparation_apply(struct features *out, const struct preparation *preparation,
                               const struct columns *columns)
{
    graco_status status = GRACO_OK;
    struct features X = {.rows = columns->rows, .cols = preparation->cols};
    bool by_place =
        (preparation->unnamed || columns->unnamed) && preparation->count == columns->count;
    int64_t at = 0;
    TRY(memory_zalloc(&X.dense, X.rows, (size_t)X.cols * sizeof *X.dense));
    for (int64_t c = 0; c < preparation->count; c++) {
        const struct recipe *recipe = &preparation->recipes[c];
        int64_t values = preparation_values(recipe);
        const struct column *column =
            by_place ? &columns->list[c] : find_column(columns, recipe->name, c);
        if (values + recipe->gaps == 0)
            continue;
        if (!column)
            FAIL(GRACO_ERROR_ARGUMENT,
                 "the features have no column `%.80s`, or two, and the model was trained with one",
                 recipe->name);
        TRY(fill_column(X.dense + at, X.cols, values, recipe, column, X.rows));
        at += values + recipe->gaps;
    }
    *out = X;
    X = (struct features){0};
done:
    features_clear(&X);
    return status;
}
