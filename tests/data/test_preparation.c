/* How columns become features: what is learned of them, what comes out, and how it is kept. */
#include "data/preparation.h"

#include "base/memory.h"
#include "check.h"

#include <math.h>

enum { ROWS = 40 };

/* One column of numbers, or of words, in a table of its own. */
static struct columns *numbers_of(const char *name, const float *values, int64_t rows)
{
    struct columns *columns = NULL;
    CHECK_OK(columns_create(&columns, rows, 1));
    CHECK_OK(memory_string(&columns->list[0].name, name));
    CHECK_OK(memory_alloc(&columns->list[0].owned, rows, sizeof *values));
    memcpy(columns->list[0].owned, values, (size_t)rows * sizeof *values);
    columns->list[0].number = columns->list[0].owned;
    columns->list[0].stride = 1;
    return columns;
}

static struct columns *words_of(const char *name, const char *const *words, int64_t rows)
{
    struct columns *columns = NULL;
    struct column *column;
    CHECK_OK(columns_create(&columns, rows, 1));
    column = &columns->list[0];
    CHECK_OK(memory_string(&column->name, name));
    CHECK_OK(memory_alloc(&column->code, rows, sizeof *column->code));
    CHECK_OK(names_create(&column->words));
    column->kind = COLUMN_WORDS;
    for (int64_t r = 0; r < rows; r++) {
        column->code[r] = -1;
        if (words[r])
            CHECK_OK(
                names_add(&column->code[r], column->words, words[r], (int64_t)strlen(words[r])));
    }
    return columns;
}

/* Learns, keeps as text, reads it back and applies that. */
static struct features prepared(struct preparation **out, const struct columns *columns,
                                const uint8_t *seen, enum preparation_how how)
{
    struct preparation *learned = NULL;
    struct features X = {0}, again = {0};
    char *text = NULL;
    CHECK_OK(preparation_learn(&learned, columns, seen, how));
    CHECK_OK(preparation_apply(&again, learned, columns));
    CHECK_OK(preparation_text(&text, learned));
    CHECK_OK(preparation_read(out, text, (int64_t)strlen(text)));
    CHECK_OK(preparation_apply(&X, *out, columns));
    CHECK(X.cols == again.cols && X.rows == columns->rows && (*out)->plain == learned->plain);
    CHECK(memcmp(X.dense, again.dense, (size_t)(X.rows * X.cols) * sizeof *X.dense) == 0);
    memory_free(text);
    features_clear(&again);
    preparation_free(learned);
    return X;
}

static bool near(float a, double b)
{
    return fabs((double)a - b) < 1e-5 * fmax(1, fabs(b));
}

static void test_standard(void)
{
    const float values[] = {1, 2, NAN, 3, 6};
    struct columns *columns = numbers_of("age", values, 5);
    struct preparation *p = NULL;
    struct features X = prepared(&p, columns, NULL, PREPARATION_LOOK);
    /* Of 1, 2, 3, 6: mean 3, deviation sqrt(14 / 4), median 2.5. */
    CHECK(p->recipes[0].how == PREPARATION_STANDARD && p->recipes[0].gaps && X.cols == 2);
    CHECK(near(X.dense[0], -2 / sqrt(3.5)) && near(X.dense[8], 3 / sqrt(3.5)));
    CHECK(near(X.dense[4], -0.5 / sqrt(3.5)) && X.dense[5] == 1 && X.dense[7] == 0);
    preparation_free(p);
    features_clear(&X);
    /* Of the first two alone, as an inductive training sees them. */
    const uint8_t seen[] = {1, 1, 0, 0, 0};
    p = NULL;
    X = prepared(&p, columns, seen, PREPARATION_STANDARD);
    CHECK(X.cols == 1 && near(X.dense[0], -1) && near(X.dense[4], 9) && X.dense[2] == 0);
    preparation_free(p);
    features_clear(&X);
    columns_free(columns);
}

/* A rank is the place among 101 quantiles; ties have their middle, and what is beyond has the ends. */
static void test_quantile(void)
{
    float values[401];
    for (int i = 0; i < 401; i++)
        values[i] = i < 201 ? 5 : (float)(i - 200 + 5) * (i > 390 ? 1e6f : 1);
    struct columns *columns = numbers_of("amount", values, 401);
    struct preparation *p = NULL;
    struct features X = prepared(&p, columns, NULL, PREPARATION_QUANTILE);
    const double end = sqrt(3);
    CHECK(p->recipes[0].how == PREPARATION_QUANTILE && X.cols == 1);
    /* The first 201 of 401 are alike: knots 0 to 50, whose middle is 25. */
    CHECK(near(X.dense[0], sqrt(12) * (0.25 - 0.5)) && X.dense[200] == X.dense[0]);
    CHECK(near(X.dense[204], sqrt(12) * (0.51 - 0.5)) && near(X.dense[400], end));
    CHECK(near(X.dense[206], sqrt(12) * (0.515 - 0.5))); /* half way between two knots */
    preparation_free(p);
    features_clear(&X);
    p = NULL;
    X = prepared(&p, columns, NULL, PREPARATION_LOOK); /* one column alone keeps its scale */
    CHECK(p->plain && X.dense[400] == values[400]);
    float more[] = {-7, 1e30f};
    struct columns *beyond = numbers_of("amount", more, 2);
    features_clear(&X);
    preparation_free(p);
    p = NULL;
    X = prepared(&p, columns, NULL, PREPARATION_QUANTILE);
    struct features Y = {0};
    CHECK_OK(preparation_apply(&Y, p, beyond));
    CHECK(near(Y.dense[0], -end) && near(Y.dense[1], end));
    features_clear(&X);
    features_clear(&Y);
    preparation_free(p);
    columns_free(columns);
    columns_free(beyond);
}

static void test_words(void)
{
    const char *const words[] = {"b", "a", "b", NULL, "c", "c", "b"};
    const char *const others[] = {"zebra", "c", NULL};
    struct columns *columns = words_of("kind", words, 7), *fresh = words_of("kind", others, 3);
    struct preparation *p = NULL;
    struct features X = prepared(&p, columns, NULL, PREPARATION_LOOK), Y = {0};
    char name[64];
    CHECK(X.cols == 4 && p->recipes[0].gaps); /* b, c, a and the gaps */
    const float wanted[] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0,
                            0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    CHECK(memcmp(X.dense, wanted, sizeof wanted) == 0);
    preparation_feature(name, sizeof name, p, 1);
    CHECK(strcmp(name, "kind=c") == 0);
    preparation_feature(name, sizeof name, p, 3);
    CHECK(strcmp(name, "kind is missing") == 0);
    preparation_feature(name, sizeof name, p, 4);
    CHECK(*name == '\0');
    CHECK_OK(preparation_apply(&Y, p, fresh)); /* an unknown word is none of them */
    const float fresh_wanted[] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    CHECK(memcmp(Y.dense, fresh_wanted, sizeof fresh_wanted) == 0);
    features_clear(&X);
    features_clear(&Y);
    preparation_free(p);
    columns_free(columns);
    columns_free(fresh);
}

/* The most frequent words have their own features; the others share some, and so do unknown ones. */
static void test_hashed(void)
{
    static char texts[ROWS][16];
    const char *words[2 * ROWS], *const unknown[] = {"never seen"};
    for (int i = 0; i < ROWS; i++) {
        snprintf(texts[i], sizeof texts[i], "w%02d", i);
        words[i] = texts[i];
        words[ROWS + i] = texts[i < 35 ? i : 34]; /* the last ones once, w34 often */
    }
    struct columns *columns = words_of("city", words, 2 * ROWS),
                   *fresh = words_of("city", unknown, 1);
    struct preparation *p = NULL;
    struct features X = prepared(&p, columns, NULL, PREPARATION_LOOK), Y = {0};
    CHECK(X.cols == PREPARATION_ONE_HOT + PREPARATION_BUCKETS && p->recipes[0].hashed);
    CHECK(X.dense[34 * X.cols] == 1);    /* the most frequent is the first */
    CHECK(X.dense[0 * X.cols + 1] == 1); /* then in the order of bytes */
    CHECK(X.dense[30 * X.cols + 31] == 1);
    for (int r = 0; r < 2 * ROWS; r++) {
        double sum = 0, own = 0;
        for (int64_t c = 0; c < X.cols; c++) {
            sum += (double)X.dense[r * X.cols + c];
            own += c < PREPARATION_ONE_HOT ? (double)X.dense[r * X.cols + c] : 0;
        }
        bool rare = r < ROWS && (r > 34 || (r >= 31 && r < 34));
        rare = rare || (r >= ROWS + 31 && r < ROWS + 34);
        CHECK(sum == 1 && own == !rare);
    }
    CHECK_OK(preparation_apply(&Y, p, fresh));
    double buckets = 0;
    for (int64_t c = PREPARATION_ONE_HOT; c < Y.cols; c++)
        buckets += (double)Y.dense[c];
    CHECK(buckets == 1);
    features_clear(&X);
    features_clear(&Y);
    preparation_free(p);
    columns_free(columns);
    columns_free(fresh);
}

/* What is left out, and what stays as it is. */
static void test_choices(void)
{
    struct preparation *p = NULL;
    float values[ROWS][4], X[ROWS][4];
    static const char *const names[] = {"flag", "small", "same", "row_id"};
    for (int r = 0; r < ROWS; r++) {
        const float row[] = {(float)(r % 2), (float)(r % 7) / 7, 3, (float)(ROWS - r)};
        memcpy(values[r], row, sizeof row);
    }
    memcpy(X, values, sizeof X);
    struct columns *columns = NULL;
    CHECK_OK(columns_of_matrix(&columns, X[0], true, ROWS, 4, names));
    struct features out = prepared(&p, columns, NULL, PREPARATION_LOOK);
    CHECK(p->plain && out.cols == 4 && memcmp(out.dense, values, sizeof values) == 0);
    features_clear(&out);
    preparation_free(p);
    p = NULL;
    for (int r = 0; r < ROWS; r++)
        X[r][1] *= 1000; /* spreads that differ by more than 100 times */
    out = prepared(&p, columns, NULL, PREPARATION_LOOK);
    CHECK(!p->plain && out.cols == 2);
    CHECK(p->recipes[0].how == PREPARATION_PLAIN && p->recipes[1].how == PREPARATION_STANDARD);
    CHECK(p->recipes[2].how == PREPARATION_CONSTANT && p->recipes[3].how == PREPARATION_IDS);
    char said[256];
    preparation_say(said, sizeof said, p);
    CHECK(strcmp(said, "`flag` as it is, `small` standardised, `same` constant, left out, `row_id` "
                       "ids, left out") == 0);
    features_clear(&out);
    preparation_free(p);
    p = NULL;
    for (int r = 0; r < ROWS; r++) /* a tail of more than 20 times the middle half */
        X[r][1] = r == 7 ? 1e6f : (float)r;
    out = prepared(&p, columns, NULL, PREPARATION_LOOK);
    CHECK(p->recipes[1].how == PREPARATION_QUANTILE);
    features_clear(&out);
    preparation_free(p);
    columns_free(columns);
}

/* A wide table of counts stays, however its spreads differ; a narrow one does not. */
static void test_counts(void)
{
    enum { COLS = 64 };
    static float X[ROWS][COLS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            X[r][c] = (r + c) % 4 == 0 ? (c == 0 ? 1000 : 1) * (float)(1 + r % 3) : 0;
    for (int cols = COLS - 1; cols <= COLS; cols++) {
        struct columns *columns = NULL;
        struct preparation *p = NULL;
        static float part[ROWS * COLS];
        for (int r = 0; r < ROWS; r++)
            memcpy(part + r * cols, X[r], (size_t)cols * sizeof *part);
        CHECK_OK(columns_of_matrix(&columns, part, true, ROWS, cols, NULL));
        CHECK_OK(preparation_learn(&p, columns, NULL, PREPARATION_LOOK));
        CHECK(p->plain == (cols == COLS));
        preparation_free(p);
        columns_free(columns);
    }
}

/* Tables that do not have what was learned. */
static void test_others(void)
{
    const float numbers[] = {1, 200, NAN};
    const char *const words[] = {"1", "x", "1"};
    struct columns *as_numbers = numbers_of("c", numbers, 3), *as_words = words_of("c", words, 3),
                   *other = numbers_of("d", numbers, 3);
    struct preparation *p = NULL, *q = NULL;
    struct features X = {0};
    CHECK_OK(preparation_learn(&p, as_numbers, NULL, PREPARATION_LOOK));
    CHECK_OK(preparation_learn(&q, as_words, NULL, PREPARATION_LOOK));
    CHECK_FAILS(preparation_apply(&X, p, other), GRACO_ERROR_ARGUMENT, "no column `c`, or two");
    CHECK_FAILS(preparation_apply(&X, p, as_words), GRACO_ERROR_ARGUMENT,
                "column `c` has words, such as \"1\": expected numbers");
    CHECK_OK(preparation_apply(&X, q, as_numbers)); /* numbers are the words that write them */
    CHECK(X.dense[0] == 1 && X.dense[X.cols] == 0 && X.dense[X.cols + 1] == 0);
    features_clear(&X);
    preparation_free(p);
    preparation_free(q);
    columns_free(as_numbers);
    columns_free(as_words);
    columns_free(other);
    const float same[] = {2, 2};
    as_numbers = numbers_of("c", same, 2);
    CHECK_FAILS(preparation_learn(&p, as_numbers, NULL, PREPARATION_STANDARD), GRACO_ERROR_FORMAT,
                "constant or ids");
    columns_free(as_numbers);
}

/* Texts that no training wrote. */
static void test_hostile(void)
{
    static const char *const wrong[] = {
        "",
        "{}",
        "{\"columns\": 3}",
        "{\"columns\": []}",
        "{\"unnamed\":false,\"columns\": [{}]}",
        "{\"unnamed\":false,\"columns\": [{\"name\":\"a\",\"kind\":\"fruit\",\"how\":\"plain\"}]}",
        "{\"unnamed\":false,\"columns\": [{\"name\":\"a\",\"kind\":\"numbers\",\"how\":\"\"}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"numbers\",\"how\":\"plain\",\"gaps\":false,"
        "\"median\":null,\"mean\":0,\"scale\":1}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"numbers\",\"how\":\"standard\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":0}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"words\",\"how\":\"standard\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":1}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"numbers\",\"how\":\"words\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":1}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"numbers\",\"how\":\"quantile\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":1,\"knots\":[1]}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"words\",\"how\":\"words\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":1,\"hashed\":false,\"words\":[\"b\",\"b\"]}]}",
        "{\"unnamed\":false,\"columns\": "
        "[{\"name\":\"a\",\"kind\":\"words\",\"how\":\"words\",\"gaps\":false,"
        "\"median\":0,\"mean\":0,\"scale\":1,\"hashed\":false,\"words\":[1]}]}",
    };
    struct preparation *p = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(preparation_read(&p, wrong[i], (int64_t)strlen(wrong[i])), GRACO_ERROR_FORMAT,
                    "preparation");
    CHECK(!p);
}

int main(void)
{
    test_standard();
    test_quantile();
    test_words();
    test_hashed();
    test_choices();
    test_counts();
    test_others();
    test_hostile();
    return check_result();
}
