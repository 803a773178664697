#include "data/splits.h"

#include "base/memory.h"
#include "fixture.h"

#include <unistd.h>

enum { NODES = 103 };

static uint8_t usable[NODES];

/* The first training and validation ids for seed 7, computed once: every machine must find them. */
static void known_answers(void)
{
    static const int32_t train[2][5] = {{2, 7, 24, 26, 42}, {13, 14, 17, 24, 25}};
    static const int32_t validation[2][5] = {{11, 19, 27, 39, 41}, {2, 4, 21, 22, 32}};
    struct splits splits = {0};
    int32_t rows[NODES];
    CHECK_OK(splits_draw(&splits, usable, NODES, 0, 2, true, 7));
    for (int64_t s = 0; s < 2; s++) {
        CHECK(splits_nodes(rows, &splits, s, SPLITS_TRAIN) == 10);
        CHECK(memcmp(rows, train[s], sizeof train[s]) == 0);
        CHECK(splits_nodes(rows, &splits, s, SPLITS_VALIDATION) == 10);
        CHECK(memcmp(rows, validation[s], sizeof validation[s]) == 0);
        CHECK(splits_nodes(rows, &splits, s, SPLITS_TEST) == 81);
        CHECK(splits_nodes(rows, &splits, s, SPLITS_NONE) == 2);
        CHECK(rows[0] == 20 && rows[1] == 77);
    }
    splits_clear(&splits);
}

/* A split depends neither on how many are drawn nor on whether validation is wanted. */
static void independent(void)
{
    struct splits few = {0}, many = {0}, folds = {0}, other = {0};
    CHECK_OK(splits_draw(&few, usable, NODES, 0, 2, true, 7));
    CHECK_OK(splits_draw(&many, usable, NODES, 0, 9, true, 7));
    CHECK_OK(splits_draw(&folds, usable, NODES, 0, 2, false, 7));
    CHECK_OK(splits_draw(&other, usable, NODES, 0, 2, true, 8));
    CHECK(memcmp(few.part, many.part, 2 * NODES) == 0);
    CHECK(memcmp(few.part, other.part, 2 * NODES) != 0);
    CHECK(memcmp(many.part, many.part + NODES, NODES) != 0);
    for (int64_t i = 0; i < 2 * NODES; i++) {
        CHECK((few.part[i] == SPLITS_TRAIN) == (folds.part[i] == SPLITS_TRAIN));
        CHECK(folds.part[i] != SPLITS_VALIDATION);
    }
    splits_clear(&few);
    splits_clear(&many);
    splits_clear(&folds);
    splits_clear(&other);
}

static void folds_are_even(void)
{
    uint8_t fold[NODES], again[NODES];
    int32_t work[NODES];
    int64_t sizes[5] = {0};
    splits_folds(fold, work, NODES, 5, 7, 3);
    splits_folds(again, work, NODES, 5, 7, 3);
    CHECK(memcmp(fold, again, NODES) == 0);
    splits_folds(again, work, NODES, 5, 7, 4);
    CHECK(memcmp(fold, again, NODES) != 0);
    for (int64_t i = 0; i < NODES; i++)
        sizes[fold[i]]++;
    for (int f = 0; f < 5; f++)
        CHECK(sizes[f] == NODES / 5 || sizes[f] == NODES / 5 + 1);
}

/* A split that is asked for by its number is the one that a list of splits has at that place; a data set
 * that is inductive has its own one under `paper`. */
static void by_number(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES);
    data->label[4] = -1;
    memory_free(data->split);
    data->split = NULL;
    uint8_t *known = NULL;
    CHECK_OK(splits_usable(&known, data));
    CHECK(!known[4] && known[5]);
    for (int p = GRACO_PROTOCOL_PAPER; p <= GRACO_PROTOCOL_AUTHORS; p++) {
        struct splits all = {0}, one = {0};
        CHECK_OK(splits_draw(&all, known, NODES, 0, 5, p == GRACO_PROTOCOL_PAPER, 7));
        CHECK_OK(
            splits_find(&one, data, known,
                        &(struct splits_wanted){
                            .protocol = (graco_protocol)p, .first = 3, .count = 1, .seed = 7}));
        CHECK(one.count == 1 && memcmp(one.part, all.part + 3 * NODES, NODES) == 0);
        splits_clear(&all);
        splits_clear(&one);
    }
    struct splits own = {0};
    struct splits_wanted wanted = {.protocol = GRACO_PROTOCOL_PUBLIC, .count = 20};
    CHECK_FAILS(splits_find(&own, data, known, &wanted), GRACO_ERROR_ARGUMENT,
                "no split of its own");
    uint8_t codes[NODES];
    for (int i = 0; i < NODES; i++)
        codes[i] = (uint8_t)(i % 4);
    data->split = codes;
    data->inductive = true;
    wanted.protocol = GRACO_PROTOCOL_PAPER;
    CHECK_OK(splits_find(&own, data, known, &wanted));
    CHECK(own.count == 1 && own.part[4] == SPLITS_NONE && own.part[8] == SPLITS_TRAIN);
    splits_clear(&own);
    wanted.first = 1;
    CHECK_FAILS(splits_find(&own, data, known, &wanted), GRACO_ERROR_ARGUMENT, "one of its own");
    data->split = NULL;
    data->inductive = false;
    memset(data->label, -1, NODES * sizeof *data->label);
    uint8_t *none = NULL;
    CHECK_FAILS(splits_usable(&none, data), GRACO_ERROR_ARGUMENT, "known label");
    CHECK(!none);
    memory_free(known);
    graco_dataset_free(data);
}

static void files(void)
{
    char path[] = "/tmp/graco_splits_XXXXXX";
    struct splits splits = {0}, back = {0};
    close(mkstemp(path));
    CHECK_OK(splits_draw(&splits, usable, NODES, 0, 3, true, 1));
    CHECK_OK(splits_write(&splits, path));
    CHECK_OK(splits_read(&back, path, usable, NODES));
    CHECK(back.count == 3 && memcmp(splits.part, back.part, 3 * NODES) == 0);
    splits_clear(&back);
    CHECK_FAILS(splits_read(&back, path, usable, NODES + 1), GRACO_ERROR_ARGUMENT, "103 nodes");

    float codes[NODES] = {0};
    graco_matrix matrix = {1, NODES, codes};
    codes[5] = 4;
    CHECK_OK(graco_matrix_save(&matrix, path));
    CHECK_FAILS(splits_read(&back, path, usable, NODES), GRACO_ERROR_FORMAT, "node 5: code 4");
    codes[5] = 0.5f;
    CHECK_OK(graco_matrix_save(&matrix, path));
    CHECK_FAILS(splits_read(&back, path, usable, NODES), GRACO_ERROR_FORMAT, "expected 0");
    /* Nodes without a known label are left out, whatever the file says. */
    codes[5] = 0;
    CHECK_OK(graco_matrix_save(&matrix, path));
    CHECK_OK(splits_read(&back, path, usable, NODES));
    CHECK(back.part[20] == SPLITS_NONE && back.part[21] == SPLITS_TRAIN);
    splits_clear(&back);
    splits_clear(&splits);
    unlink(path);
    CHECK(splits_read(&back, path, usable, NODES) == GRACO_ERROR_IO && !back.part);
}

static void refusals(void)
{
    struct splits splits = {0};
    uint8_t nine[NODES] = {0};
    memset(nine, 1, 9);
    CHECK_FAILS(splits_draw(&splits, nine, NODES, 0, 1, true, 0), GRACO_ERROR_ARGUMENT, "9 nodes");
    CHECK_FAILS(splits_draw(&splits, usable, NODES, 0, 0, true, 0), GRACO_ERROR_ARGUMENT,
                "0 splits");
    CHECK_FAILS(splits_draw(&splits, usable, NODES, 0, -1, true, 0), GRACO_ERROR_ARGUMENT,
                "splits");
    CHECK(!splits.part);
    splits_clear(NULL);
}

int main(void)
{
    memset(usable, 1, sizeof usable);
    usable[20] = usable[77] = 0;
    known_answers();
    independent();
    folds_are_even();
    by_number();
    files();
    refusals();
    return check_result();
}
