/* Every C of the grid is scored on nodes that were not trained on: on the validation part, or on
 * each fold of the training part in turn. The best C's regressions are then scored on the test part,
 * once. */
#include "eval/protocol.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The values of C, ascending. */
struct grid {
    double C[PROTOCOL_GRID_MAX];
    int64_t count;
};

static struct grid make_grid(bool folds)
{
    struct grid grid = {.count = folds ? PROTOCOL_GRID_MAX - 1 : PROTOCOL_GRID_MAX};
    for (int64_t c = 0; c < grid.count; c++)
        grid.C[c] = ldexp(1, (int)c - 10);
    return grid;
}

/* The first of the largest. */
static int64_t best_of(const double *score, int64_t count)
{
    int64_t best = 0;
    for (int64_t c = 1; c < count; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

/* Adds to score[c] the micro-F1 on the nodes. */
static graco_status add_scores(double *score, const struct probe *probe,
                               const struct probe_input *input, struct node_list nodes)
{
    struct metrics_counts counts[PROTOCOL_GRID_MAX];
    PASS(probe_score(counts, NULL, probe, input, nodes));
    for (int64_t c = 0; c < probe->count; c++)
        score[c] += metrics_f1(&counts[c]);
    return GRACO_OK;
}

/* Sums score[c] over the folds of the training nodes: each fold is held back once. */
static graco_status score_folds(double *score, struct logistic_report *report,
                                const struct probe_input *input, struct node_list train,
                                const struct grid *grid, uint64_t seed, int64_t number)
{
    graco_status status = GRACO_OK;
    struct probe probe = {0};
    uint8_t *fold = NULL;
    int32_t *order = NULL; /* the nodes to fit on, from the front; those held back, from the end */
    TRY(memory_alloc(&fold, train.count, sizeof *fold));
    TRY(memory_alloc(&order, train.count, sizeof *order));
    splits_folds(fold, order, train.count, PROTOCOL_FOLDS, seed, number);
    for (int f = 0; f < PROTOCOL_FOLDS; f++) {
        int64_t fits = 0, held = 0;
        for (int64_t i = 0; i < train.count; i++)
            order[fold[i] == f ? train.count - ++held : fits++] = train.node[i];
        probe_clear(&probe);
        TRY(probe_fit(&probe, input, (struct node_list){order, fits}, grid->C, grid->count));
        logistic_report_add(report, &probe.report);
        TRY(add_scores(score, &probe, input, (struct node_list){order + fits, held}));
    }
done:
    probe_clear(&probe);
    memory_free(order);
    memory_free(fold);
    return status;
}

/* The nodes of one part, into `room` (nodes); fewer than `least` are an error that names the part. */
static graco_status part_nodes(struct node_list *out, int32_t *room, const struct splits *splits,
                               int64_t number, enum splits_part part, int64_t least)
{
    static const char *const names[] = {"training", "validation", "test"};
    *out = (struct node_list){room, splits_nodes(room, splits, number, part)};
    if (out->count < least)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "split %lld has %lld labelled %s nodes; the protocol needs at least %lld",
            (long long)number, (long long)out->count, names[part], (long long)least);
    return GRACO_OK;
}

graco_status protocol_fit(struct probe *out, double *C, struct logistic_report *report,
                          const struct probe_input *input, struct node_list nodes, uint64_t seed,
                          int64_t number)
{
    const struct grid grid = make_grid(true);
    double score[PROTOCOL_GRID_MAX] = {0};
    PASS(score_folds(score, report, input, nodes, &grid, seed, number));
    *C = grid.C[best_of(score, grid.count)];
    return probe_fit(out, input, nodes, C, 1);
}

graco_status protocol_run(struct protocol_result *result, const struct probe_input *input,
                          const struct splits *splits, int64_t number, enum protocol_way way,
                          uint64_t seed)
{
    graco_status status = GRACO_OK;
    struct probe probe = {0};
    struct node_list train, other;
    int32_t *train_room = NULL, *other_room = NULL;
    bool folds = way == PROTOCOL_FOLDED;
    struct grid grid = make_grid(folds);
    double score[PROTOCOL_GRID_MAX] = {0};
    int64_t best = 0;
    struct metrics_counts scored;
    TRY(memory_alloc(&train_room, input->nodes, sizeof *train_room));
    TRY(memory_alloc(&other_room, input->nodes, sizeof *other_room));
    TRY(part_nodes(&train, train_room, splits, number, SPLITS_TRAIN, folds ? PROTOCOL_FOLDS : 1));
    /* A split without a test part shall fail before the work, not after it. */
    if (way != PROTOCOL_VALIDATED)
        TRY(part_nodes(&other, other_room, splits, number, SPLITS_TEST, 1));
    if (folds) {
        grid.count = 1;
        TRY(protocol_fit(&probe, grid.C, &result->report, input, train, seed, number));
    } else {
        TRY(part_nodes(&other, other_room, splits, number, SPLITS_VALIDATION, 1));
        TRY(probe_fit(&probe, input, train, grid.C, grid.count));
        TRY(add_scores(score, &probe, input, other));
        best = best_of(score, grid.count);
        if (way != PROTOCOL_VALIDATED)
            TRY(part_nodes(&other, other_room, splits, number, SPLITS_TEST, 1));
    }
    logistic_report_add(&result->report, &probe.report);
    memset(result->missing, 1, (size_t)input->classes);
    for (int64_t k = 0; k < probe.outputs; k++)
        result->missing[probe.class_of[k]] = 0;
    result->C = grid.C[best];
    result->training_rows = train.count;
    struct probe chosen = probe; /* with that C alone; borrows the weights */
    chosen.count = 1;
    chosen.W += best * probe.outputs * (input->dim + 1);
    TRY(probe_score(&scored, result->table, &chosen, input, other));
done:
    probe_clear(&probe);
    memory_free(other_room);
    memory_free(train_room);
    return status;
}

graco_status protocol_check_rows(const graco_matrix *Z, const graco_dataset *data)
{
    if (Z->rows != data->graph->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the embeddings have %lld rows; the data set %s has %lld nodes",
                           (long long)Z->rows, data->name, (long long)data->graph->nodes);
    if (Z->cols < 1)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the embeddings have no columns; expected at least one");
    for (int64_t i = 0; i < Z->rows * Z->cols; i++)
        if (!isfinite(Z->data[i]))
            return status_fail(GRACO_ERROR_NUMBER,
                               "the embedding of node %lld has the value %g in column %lld; "
                               "expected finite numbers",
                               (long long)(i / Z->cols), (double)Z->data[i],
                               (long long)(i % Z->cols));
    return GRACO_OK;
}
