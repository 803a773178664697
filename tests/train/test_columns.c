/* What a training learned of a table's columns goes with its model: the same features come out of other tables by
 * the names of their columns. */
#include "data/preparation.h"
#include "run/checkpoint.h"

#include "data/small_files.h"
#include "train/made.h"

enum { NODES = 24 };

/* A ring, and a table with its columns in one of two orders, rows from the last to the first. `first`: what stands as
 * the first node's country. */
static graco_dataset *load(bool turned, const char *first, bool gap)
{
    static char edges[1024], table[4096];
    char file[256];
    graco_dataset *data = NULL;
    int e = 0, t = 0;
    t += snprintf(table, sizeof table, turned ? "amount,id,country\n" : "id,country,amount\n");
    for (int i = 0; i < NODES; i++) {
        const char *country = i == 0 ? first : i % 3 ? "CH" : "DE";
        int row = turned ? NODES - 1 - i : i;
        const char *of_row = row == 0 ? first : row % 3 ? "CH" : "DE";
        e += snprintf(edges + e, sizeof edges - (size_t)e, "%d %d\n", i, (i + 1) % NODES);
        if (turned)
            t += snprintf(table + t, sizeof table - (size_t)t, "%d,%d,%s\n", 1000 * row * row, row,
                          of_row);
        else if (gap && i == 3)
            t += snprintf(table + t, sizeof table - (size_t)t, "%d,%s,\n", i, country);
        else
            t += snprintf(table + t, sizeof table - (size_t)t, "%d,%s,%d\n", i, country,
                          1000 * i * i);
    }
    fixture_text("e.txt", edges);
    fixture_text("x.csv", table);
    snprintf(file, sizeof file, "%s", fixture_path("x.csv"));
    CHECK_OK(graco_dataset_load(&data, fixture_path("e.txt"),
                                &(graco_load_options){.features_path = file}));
    return data;
}

static graco_model *train(const graco_dataset *data, const char *scaling, const char *run)
{
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, "grace", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "8"));
    CHECK_OK(graco_config_set(config, "epochs", "2"));
    CHECK_OK(graco_config_set(config, "threads", "1"));
    CHECK_OK(graco_config_set(config, "scaling", scaling));
    CHECK_OK(graco_train(&model, NULL, data, config, &(graco_train_options){.run = run}));
    graco_config_free(config);
    return model;
}

static bool same(const graco_matrix *a, const graco_matrix *b)
{
    return a->rows == b->rows && a->cols == b->cols &&
           memcmp(a->data, b->data, (size_t)(a->rows * a->cols) * sizeof *a->data) == 0;
}

static void by_name(const char *scaling)
{
    graco_dataset *data = load(false, "CH", false), *turned = load(true, "CH", false),
                  *unknown = load(false, "XX", false), *gap = load(false, "CH", true);
    graco_model *model = train(data, scaling, fixture_path(scaling)), *read = NULL;
    graco_matrix Z = {0}, other = {0};
    char name[32];
    graco_dataset_feature(name, sizeof name, data, 1);
    CHECK(strcmp(name, "country=DE") == 0);
    graco_dataset_feature(name, sizeof name, data, 3);
    CHECK(*name == '\0');
    CHECK(data->features.cols == 3 && turned->features.cols == 3 && unknown->features.cols == 4 &&
          gap->features.cols == 4);
    CHECK(memcmp(data->features.dense, turned->features.dense, 12) != 0);
    CHECK_OK(graco_model_load(&read, fixture_path(scaling)));
    CHECK(read->preparation && strcmp(read->preparation, model->preparation) == 0);
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    CHECK_OK(graco_model_embed(&other, read, data, NULL));
    CHECK(same(&Z, &other));
    graco_matrix_clear(&other);
    CHECK_OK(graco_model_embed(&other, read, turned, NULL)); /* by name, in any order */
    CHECK(same(&Z, &other));
    graco_matrix_clear(&other);
    /* An unknown word is none of the known: as features, (0, 0) in place of (1, 0). */
    struct made made = {0};
    CHECK_OK(made_open(&made, unknown, read, 1));
    CHECK(made.data->features.cols == 3 && made.data->features.dense[0] == 0 &&
          made.data->features.dense[1] == 0 && made.data->features.dense[3] == 1);
    made_clear(&made);
    CHECK_OK(graco_model_embed(&other, read, gap, NULL)); /* the median, and no feature for gaps */
    CHECK(other.rows == NODES && !same(&Z, &other));
    graco_matrix_clear(&other);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_model_free(read);
    graco_dataset_free(data);
    graco_dataset_free(turned);
    graco_dataset_free(unknown);
    graco_dataset_free(gap);
}

/* Columns of arrays, in the words of a program; a table that lacks one is refused. */
static void from_arrays(void)
{
    static double amount[NODES], seconds[NODES];
    static const char *country[NODES], *const words[] = {"CH", "DE"};
    static int32_t code[NODES], source[NODES], target[NODES];
    static char texts[NODES][16];
    static const char *written[NODES];
    for (int i = 0; i < NODES; i++) {
        amount[i] = i == 5 ? (double)NAN : 1000.0 * i * i;
        seconds[i] = 86400.0 * (19000 + i * i);
        code[i] = i == 7 ? -1 : i % 3 == 0;
        country[i] = i == 7 ? NULL : words[i % 3 == 0];
        snprintf(texts[i], sizeof texts[i], i == 5 ? "NA" : "%d", 1000 * i * i);
        written[i] = texts[i];
        source[i] = i;
        target[i] = (i + 1) % NODES;
    }
    graco_feature a[] = {{.name = "amount", .values = GRACO_VECTOR(amount, NODES)},
                         {.name = "country", .values = GRACO_VECTOR(country, NODES)},
                         {.name = "day", .values = GRACO_VECTOR(seconds, NODES), .times = true}},
                  b[] = {{.name = "amount", .values = GRACO_VECTOR(written, NODES)},
                         {.name = "country",
                          .values = GRACO_VECTOR(code, NODES),
                          .words = GRACO_VECTOR(words, 2)},
                         {.name = "day", .values = GRACO_VECTOR(seconds, NODES), .times = true}};
    graco_arrays arrays = {.source = GRACO_VECTOR(source, NODES),
                           .target = GRACO_VECTOR(target, NODES),
                           .undirected = true,
                           .columns = a,
                           .column_count = 3};
    graco_dataset *first = NULL, *second = NULL, *less = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_dataset_create(&first, &arrays));
    arrays.columns = b;
    CHECK_OK(graco_dataset_create(&second, &arrays));
    CHECK(first->features.cols == 6 && second->features.cols == 6);
    CHECK(memcmp(first->features.dense, second->features.dense, 6 * NODES * sizeof(float)) == 0);
    CHECK(first->columns->list[2].kind == COLUMN_DATES &&
          first->columns->list[2].number[1] == 19001);
    arrays.column_count = 2;
    CHECK_OK(graco_dataset_create(&less, &arrays));
    graco_model *model = train(first, "none", fixture_path("arrays"));
    CHECK_FAILS(graco_model_embed(&Z, model, less, NULL), GRACO_ERROR_ARGUMENT,
                "no column `day`, or two");
    graco_dataset_free(less);
    less = NULL;
    code[2] = 2;
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT,
                "column `country`: row 2 has the word 2: expected -1 to 1");
    code[2] = 0;
    b[1].name = "amount";
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT, "two columns are called");
    b[1].name = NULL;
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT, "column 1 has no name");
    b[1].name = "country";
    b[1].values.rows--;
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT, "23 rows");
    arrays.columns = a;
    amount[3] = INFINITY;
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT,
                "column `amount`: row 3 is inf");
    float x[NODES] = {0};
    arrays.x = GRACO_MATRIX(x, NODES, 1);
    CHECK_FAILS(graco_dataset_create(&less, &arrays), GRACO_ERROR_FORMAT, "both x and columns");
    graco_model_free(model);
    graco_dataset_free(first);
    graco_dataset_free(second);
}

/* `scaling` prepares the columns of a matrix too, and the model does the same to another one. */
static void matrices(void)
{
    static float x[NODES][3], more[NODES][3];
    static int32_t source[NODES], target[NODES];
    for (int i = 0; i < NODES; i++) {
        const float row[] = {(float)(i % 2), (float)(1000 * i), (float)(i % 5)};
        memcpy(x[i], row, sizeof row);
        memcpy(more[i], row, sizeof row);
        source[i] = i;
        target[i] = (i + 1) % NODES;
    }
    for (int i = 12; i < NODES; i++)
        more[i][1] += 1e6f;
    graco_arrays arrays = {.source = GRACO_VECTOR(source, NODES),
                           .target = GRACO_VECTOR(target, NODES),
                           .x = GRACO_MATRIX(x[0], NODES, 3),
                           .undirected = true};
    graco_dataset *data = NULL, *other = NULL;
    CHECK_OK(graco_dataset_create(&data, &arrays));
    CHECK(strstr(graco_dataset_note(data, 0), "--set scaling=standard"));
    arrays.x = GRACO_MATRIX(more[0], NODES, 3);
    CHECK_OK(graco_dataset_create(&other, &arrays));
    graco_model *model = train(data, "standard", fixture_path("matrix")),
                *plain = train(data, "none", fixture_path("plain"));
    CHECK(model->preparation && !plain->preparation);
    struct made made = {0};
    CHECK_OK(made_open(&made, other, model, 1));
    const float *X =
        made.data->features.dense; /* of 0 .. 23000: mean 11500, deviation sqrt(143.75 / 3) */
    double deviation = 1000 * sqrt(575.0 / 12);
    CHECK(X[0] == 0 && X[3] == 1 && fabs((double)X[4] - (1000 - 11500) / deviation) < 1e-5);
    CHECK(fabs((double)X[3 * 12 + 1] - (1012000 - 11500) / deviation) < 1e-3);
    made_clear(&made);
    graco_model_free(model);
    graco_model_free(plain);
    graco_dataset_free(data);
    graco_dataset_free(other);
}

/* An inductive training learns from the nodes that it may see. */
static void inductive(void)
{
    static float amount[NODES];
    static uint8_t split[NODES];
    static int32_t source[NODES], target[NODES];
    for (int i = 0; i < NODES; i++) {
        split[i] = i < 12 ? 0 : 2;
        amount[i] = i < 12 ? (float)i : (float)(100 * i);
        source[i] = i;
        target[i] = (i + 1) % NODES;
    }
    static const char *kind[NODES];
    for (int i = 0; i < NODES; i++)
        kind[i] = i % 2 ? "a" : "b";
    const graco_feature columns[] = {{.name = "amount", .values = GRACO_VECTOR(amount, NODES)},
                                     {.name = "kind", .values = GRACO_VECTOR(kind, NODES)}};
    graco_arrays arrays = {.source = GRACO_VECTOR(source, NODES),
                           .target = GRACO_VECTOR(target, NODES),
                           .split = GRACO_VECTOR(split, NODES),
                           .undirected = true,
                           .columns = columns,
                           .column_count = 2};
    graco_dataset *data = NULL, *marked = NULL;
    CHECK_OK(graco_dataset_create(&data, &arrays));
    arrays.inductive = true;
    CHECK_OK(graco_dataset_create(&marked, &arrays));
    CHECK(data->preparation->recipes[0].mean > 100 && marked->preparation->recipes[0].mean == 5.5);
    struct graco_config *config = NULL;
    struct made made = {0};
    CHECK_OK(graco_config_create(&config, "grace", NULL));
    CHECK_OK(graco_config_set(config, "inductive", "1"));
    made_resolve(config, data, false, NULL);
    CHECK_OK(made_create(&made, data, config));
    CHECK(made.own && made.own->recipes[0].mean == 5.5);
    CHECK(memcmp(made.data->features.dense, marked->features.dense,
                 (size_t)(NODES * marked->features.cols) * sizeof(float)) == 0);
    made_clear(&made);
    graco_config_free(config);
    graco_dataset_free(data);
    graco_dataset_free(marked);
}

int main(void)
{
    by_name("none");
    by_name("quantile");
    from_arrays();
    matrices();
    inductive();
    return check_result();
}
