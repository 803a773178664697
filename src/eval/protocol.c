#include "eval/protocol.h"

#include "base/memory.h"

#include <math.h>

static int64_t grid_fill(double C[PROTOCOL_GRID_MAX], bool folds)
{
    int64_t count = folds ? PROTOCOL_GRID_MAX - 1 : PROTOCOL_GRID_MAX;
    for (int64_t c = 0; c < count; c++)
        C[c] = ldexp(1, (int)c - 10);
    return count;
}

static void add_report(struct logistic_report *sum, const struct logistic_report *one)
{
    sum->solves += one->solves;
    sum->unconverged += one->unconverged;
    sum->newton += one->newton;
    sum->passes += one->passes;
    if (!(one->worst_gap <= sum->worst_gap))
        sum->worst_gap = one->worst_gap;
}

static int64_t best_of(const double *score, int64_t count)
{
    int64_t best = 0;
    for (int64_t c = 1; c < count; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

/* score[c] over the validation rows. */
static graco_status score_validation(double *score, const struct probe *probe,
                                     const struct probe_input *input, const int32_t *rows,
                                     int64_t n)
{
    struct metrics_counts counts[PROTOCOL_GRID_MAX];
    graco_status status = probe_score(counts, NULL, probe, input, rows, n, 0, probe->count);
    for (int64_t c = 0; status == GRACO_OK && c < probe->count; c++)
        score[c] += metrics_f1(&counts[c]);
    return status;
}

/* score[c] summed over the folds of the training rows. */
static graco_status score_folds(double *score, struct protocol_result *result,
                                const struct probe_input *input, const int32_t *rows, int64_t n,
                                const double *C, int64_t count, uint64_t seed, int64_t number)
{
    graco_status status = GRACO_OK;
    struct probe probe = {0};
    uint8_t *fold = NULL;
    int32_t *fit = NULL, *held = NULL;
    TRY(memory_alloc(&fold, n, sizeof *fold));
    TRY(memory_alloc(&fit, n, sizeof *fit));
    TRY(memory_alloc(&held, n, sizeof *held));
    splits_folds(fold, fit, n, PROTOCOL_FOLDS, seed, number);
    for (int f = 0; f < PROTOCOL_FOLDS; f++) {
        int64_t fits = 0, helds = 0;
        for (int64_t i = 0; i < n; i++)
            if (fold[i] == f)
                held[helds++] = rows[i];
            else
                fit[fits++] = rows[i];
        probe_clear(&probe);
        TRY(probe_fit(&probe, input, fit, fits, C, count));
        add_report(&result->report, &probe.report);
        TRY(score_validation(score, &probe, input, held, helds));
    }
done:
    probe_clear(&probe);
    memory_free(held);
    memory_free(fit);
    memory_free(fold);
    return status;
}

static void find_missing(struct protocol_result *result, const struct probe *probe, int64_t classes)
{
    int64_t output = 0;
    for (int64_t k = 0; k < classes; k++) {
        result->missing[k] = output >= probe->outputs || probe->class_of[output] != k;
        output += !result->missing[k];
    }
}

/* The rows of one part; an empty one is an error that names it. */
static graco_status part_rows(int32_t *rows, int64_t *n, const struct splits *splits,
                              int64_t number, enum splits_part part, int64_t least)
{
    static const char *const names[] = {"training", "validation", "test"};
    *n = splits_rows(rows, splits, number, part);
    if (*n < least)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "split %lld has %lld labelled %s nodes; the protocol needs at least %lld",
            (long long)number, (long long)*n, names[part], (long long)least);
    return GRACO_OK;
}

graco_status protocol_run(struct protocol_result *result, const struct probe_input *input,
                          const struct splits *splits, int64_t number, bool folds, uint64_t seed)
{
    graco_status status = GRACO_OK;
    struct probe probe = {0};
    int32_t *train = NULL, *other = NULL;
    double C[PROTOCOL_GRID_MAX], score[PROTOCOL_GRID_MAX] = {0};
    int64_t count = grid_fill(C, folds), n = 0, others = 0;
    struct metrics_counts tested;
    TRY(memory_alloc(&train, input->nodes, sizeof *train));
    TRY(memory_alloc(&other, input->nodes, sizeof *other));
    TRY(part_rows(train, &n, splits, number, SPLITS_TRAIN, folds ? PROTOCOL_FOLDS : 1));
    TRY(part_rows(other, &others, splits, number, SPLITS_TEST, 1));
    if (folds) {
        TRY(score_folds(score, result, input, train, n, C, count, seed, number));
        C[0] = C[best_of(score, count)];
        TRY(probe_fit(&probe, input, train, n, C, 1));
    } else {
        TRY(part_rows(other, &others, splits, number, SPLITS_VALIDATION, 1));
        TRY(probe_fit(&probe, input, train, n, C, count));
        TRY(score_validation(score, &probe, input, other, others));
    }
    add_report(&result->report, &probe.report);
    find_missing(result, &probe, input->classes);
    int64_t best = folds ? 0 : best_of(score, count);
    result->C = C[best];
    result->training_rows = n;
    TRY(part_rows(other, &others, splits, number, SPLITS_TEST, 1));
    TRY(probe_score(&tested, result->table, &probe, input, other, others, best, 1));
done:
    probe_clear(&probe);
    memory_free(other);
    memory_free(train);
    return status;
}
