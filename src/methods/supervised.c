/* A stage may hold a part of the data set's nodes, or all of them; the split is about all. So the split
 * is found once for a training, and each stage looks its nodes up in it. */
#include "methods/supervised.h"

#include "base/memory.h"
#include "data/splits.h"

#include <math.h>

enum { FOLDS = 5 };

/* Gives the first fold of the training nodes to validation, as the protocol `authors` would hold it
 * back. */
static graco_status hold_out(uint8_t *part, int64_t nodes, const struct splits *split,
                             int64_t number)
{
    int32_t *train = NULL, *work = NULL;
    uint8_t *fold = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&train, nodes, sizeof *train));
    int64_t count = splits_nodes(train, split, 0, SPLITS_TRAIN);
    TRY(memory_alloc(&work, count, sizeof *work));
    TRY(memory_alloc(&fold, count, sizeof *fold));
    splits_folds(fold, work, count, FOLDS, 0, number);
    for (int64_t i = 0; i < count; i++)
        if (fold[i] == 0)
            part[train[i]] = SPLITS_VALIDATION;
done:
    memory_free(fold);
    memory_free(work);
    memory_free(train);
    return status;
}

/* Each of the two parts must have a node somewhere in the data set. */
static graco_status check_parts(const struct splits *split, const struct graco_config *config,
                                const struct graco_dataset *data)
{
    int64_t count[SPLITS_NONE + 1] = {0};
    for (int64_t i = 0; i < split->nodes; i++)
        count[split->part[i]]++;
    for (int p = SPLITS_TRAIN; p <= SPLITS_VALIDATION; p++)
        if (count[p] == 0)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "split %lld of data set '%s' has no labelled node in its %s part",
                               (long long)config->split, data->name,
                               p == SPLITS_TRAIN ? "training" : "validation");
    return GRACO_OK;
}

/* An inductive training sees no label of a node that it may not see. */
static void hide_unseen(uint8_t *part, const struct graco_dataset *data)
{
    for (int64_t i = 0; i < dataset_nodes(data); i++)
        if (data->split[i] > part[i])
            part[i] = SPLITS_NONE;
}

graco_status supervised_split(uint8_t **part, const struct graco_config *config,
                              const struct graco_dataset *data)
{
    struct splits split = {0};
    const struct splits_wanted wanted = {
        .protocol = (graco_protocol)config->protocol, .first = config->split, .count = 1};
    uint8_t *usable = NULL;
    graco_status status = GRACO_OK;
    TRY(splits_usable(&usable, data));
    TRY(splits_find(&split, data, usable, &wanted));
    if (wanted.protocol == GRACO_PROTOCOL_AUTHORS)
        TRY(hold_out(split.part, split.nodes, &split, config->split));
    if (config->inductive)
        hide_unseen(split.part, data);
    TRY(check_parts(&split, config, data));
    *part = split.part;
    split.part = NULL;
done:
    splits_clear(&split);
    memory_free(usable);
    return status;
}

/* Lists the stage's nodes that are in part p. */
static graco_status list_part(struct supervised *s, int p, const struct graco_model *model,
                              const struct subject *subject)
{
    const struct graco_dataset *data = subject->data;
    struct classification *part = &s->part[p];
    int64_t classes = model->sizes.classes;
    PASS(memory_alloc(&s->row[p], subject->nodes, sizeof *s->row[p]));
    for (int64_t i = 0; i < subject->nodes; i++)
        if (subject->part[subject->ids ? subject->ids[i] : i] == p)
            s->row[p][part->count++] = (int32_t)i;
    part->cols = classes;
    part->kind = data->multi ? CLASSIFY_SIGMOID : CLASSIFY_SOFTMAX;
    if (data->multi)
        PASS(memory_alloc(&s->target[p], part->count * classes, sizeof *s->target[p]));
    else
        PASS(memory_alloc(&s->label[p], part->count, sizeof *s->label[p]));
    for (int64_t i = 0; i < part->count; i++) {
        int64_t node = subject->ids ? subject->ids[s->row[p][i]] : s->row[p][i];
        if (!data->multi)
            s->label[p][i] = (int32_t)class_column(data, data->label[node], classes);
        for (int64_t k = 0; data->multi && k < classes; k++)
            s->target[p][i * classes + k] = data->multi[node * classes + k];
    }
    return GRACO_OK;
}

static graco_status share_part(struct supervised *s, int p)
{
    struct classification *part = &s->part[p];
    PASS(context_share(s->context, &part->row, s->row[p], part->count, sizeof *part->row));
    if (s->target[p])
        return context_share(s->context, &part->target, s->target[p], part->count * part->cols,
                             sizeof *part->target);
    return context_share(s->context, &part->label, s->label[p], part->count, sizeof *part->label);
}

graco_status supervised_init(struct supervised *out, const struct graco_model *model,
                             const struct subject *subject)
{
    out->context = subject->context;
    for (int p = 0; p < SUPERVISED_PARTS; p++) {
        PASS(list_part(out, p, model, subject));
        PASS(share_part(out, p));
    }
    return GRACO_OK;
}

void supervised_clear(struct supervised *s)
{
    for (int p = 0; s->context && p < SUPERVISED_PARTS; p++) {
        context_unshare(s->context, s->part[p].row);
        context_unshare(s->context, s->part[p].label);
        context_unshare(s->context, s->part[p].target);
        memory_free(s->row[p]);
        memory_free(s->label[p]);
        memory_free(s->target[p]);
    }
}

/* The class whose logit in x (classes) is largest, the first of them. */
static int64_t largest(const float *x, int64_t classes)
{
    int64_t most = 0;
    for (int64_t k = 1; k < classes; k++)
        most = x[k] > x[most] ? k : most;
    return most;
}

/* Of logits x (classes) of node i of a part: classes that are told and right, told, and right. */
static void count_row(int64_t count[3], const struct supervised *s, int p, int64_t i,
                      const float *x)
{
    int64_t classes = s->part[p].cols;
    if (!s->target[p]) {
        count[0] += largest(x, classes) == s->label[p][i];
        count[1]++;
        count[2]++;
    }
    for (int64_t k = 0; s->target[p] && k < classes; k++) {
        bool right = s->target[p][i * classes + k];
        count[0] += x[k] > 0 && right;
        count[1] += x[k] > 0;
        count[2] += right;
    }
}

graco_status supervised_miss(double *miss, const struct supervised *s, int p, const float *X)
{
    const struct classification *part = &s->part[p];
    struct context *c = s->context;
    int64_t classes = part->cols, cells = part->count * classes, count[3] = {0};
    float *rows = NULL, *here = NULL;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &rows, cells, sizeof *rows));
    TRY(memory_alloc(&here, cells, sizeof *here));
    TRY(c->kernels->gather(c, part->count, classes, rows, X, part->row));
    TRY(c->buffers->download(c, here, rows, (size_t)cells * sizeof *here));
    TRY(context_finish(c));
    for (int64_t i = 0; i < part->count; i++)
        count_row(count, s, p, i, here + i * classes);
    *miss = count[1] + count[2] > 0 ? 1 - 2 * (double)count[0] / (double)(count[1] + count[2]) : 0;
done:
    memory_free(here);
    context_give(c, rows);
    return status;
}

/* Softmax of x (count), the largest number taken off first. */
static void softmax(float *x, int64_t count)
{
    double most = x[0], sum = 0;
    for (int64_t k = 1; k < count; k++)
        most = x[k] > most ? x[k] : most;
    for (int64_t k = 0; k < count; k++)
        sum += exp(x[k] - most);
    for (int64_t k = 0; k < count; k++)
        x[k] = (float)(exp(x[k] - most) / sum);
}

void supervised_probabilities(float *X, int64_t rows, const struct graco_model *model)
{
    int64_t classes = model->sizes.classes;
    for (int64_t i = 0; i < rows * classes && model->sizes.multi_label; i++)
        X[i] = (float)(1 / (1 + exp(-(double)X[i])));
    for (int64_t i = 0; i < rows && !model->sizes.multi_label; i++)
        softmax(X + i * classes, classes);
}
