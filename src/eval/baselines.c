/* What embeddings should beat: the features that the data set has, as they are and averaged over neighbours. Both
 * need no training. */
#include "base/memory.h"
#include "data/components.h"
#include "data/preprocess.h"
#include "data/subset.h"
#include "layers/layer.h"
#include "methods/method.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Raw features of more numbers than these are scored along their leading components: a regression on 5,196 rows of
 * 8,189 columns takes ten times as long as one on embeddings of 256. */
#define RAW_CELLS ((int64_t)1 << 24)

enum baseline { RAW, PROPAGATE, BASELINES };

static const char *const NAMES[BASELINES] = {"raw", "propagate"};

const char *graco_baseline(int index)
{
    return index >= 0 && index < BASELINES ? NAMES[index] : NULL;
}

/* A baseline while it is made. */
struct making {
    const struct graco_dataset *data;
    struct context *context;
    struct features changed;  /* contaminated or scaled */
    const struct features *X; /* these, or the data set's */
    int32_t *seen; /* (seen_count) rows of the training part of inductive data; NULL: all */
    int64_t seen_count;
};

static graco_status begin(struct making *m, const struct graco_config *config, enum scaling scaling,
                          const graco_eval_options *options)
{
    const struct preprocess how = {.scaling = scaling,
                                   .contaminate = config ? config->contaminate : 0,
                                   .seed = config ? config->seed : 0};
    PASS(context_create(&m->context, &backend_cpu, options->threads, 0));
    if (m->data->inductive)
        PASS(subset_nodes(&m->seen, &m->seen_count, m->data, 0, SUBSET_ALL));
    m->X = &m->data->features;
    if (!preprocess_needed(&how))
        return GRACO_OK;
    PASS(preprocess_features(&m->changed, m->X, &how));
    m->X = &m->changed;
    return GRACO_OK;
}

static void end(struct making *m)
{
    features_clear(&m->changed);
    memory_free(m->seen);
    context_free(m->context);
}

/* The rows along their leading components. */
static graco_status reduce(graco_matrix *Z, struct making *m)
{
    struct components components = {0};
    graco_matrix out = {m->X->rows, COMPONENTS_MOST, NULL};
    const struct components_block all = {.rows = out.rows, .count = out.cols};
    graco_status status = GRACO_OK;
    TRY(components_fit(&components, m->context, m->X, m->seen, m->seen_count, out.cols));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof *out.data));
    TRY(components_apply(out.data, m->context, &components, m->X, all));
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    components_clear(&components);
    return status;
}

/* Raw features; *reduced: of how many columns these are the components, 0 where they are all there. */
static graco_status make_raw(graco_matrix *Z, int64_t *reduced, const struct graco_dataset *data,
                             const struct graco_config *config, bool whole,
                             const graco_eval_options *options)
{
    struct making m = {.data = data};
    graco_status status = GRACO_OK;
    TRY(begin(&m, config, SCALING_NONE, options));
    *reduced =
        !whole && m.X->cols > COMPONENTS_MOST && m.X->cols > RAW_CELLS / m.X->rows ? m.X->cols : 0;
    TRY(*reduced ? reduce(Z, &m) : features_densify(Z, m.X));
done:
    end(&m);
    return status;
}

/* The settings that `graco train --method propagate` has for the data set. */
static graco_status settings(struct graco_config *out, const struct graco_dataset *data)
{
    const struct method *method = NULL;
    PASS(method_find(&method, NAMES[PROPAGATE]));
    method_configure(out, method, data->name);
    if (out->scaling == SCALING_AUTO)
        out->scaling = preprocess_counts(&data->features, data->inductive ? data->split : NULL)
                           ? SCALING_ROWSUM
                           : SCALING_NONE;
    return GRACO_OK;
}

/* Embeds all nodes by a model that its method has found in the features. */
static graco_status embed(graco_matrix *Z, struct making *m, const struct graco_model *model)
{
    struct pass pass = {.model = model, .hops = 1, .value = model->parameters.value};
    graco_matrix out = {m->X->rows, model->width, NULL};
    graco_status status = GRACO_OK;
    TRY(tape_create(&pass.tape, m->context));
    TRY(input_create(&pass.input, m->context, m->X));
    TRY(views_create(&pass.views[0], m->context, m->data->graph, NULL, 0, model->kind->norm, 1));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof *out.data));
    TRY(model->method->embed(out.data, &pass));
    *Z = out;
    out.data = NULL;
done:
    views_free(pass.views[0]);
    input_free(pass.input);
    tape_free(pass.tape);
    memory_free(out.data);
    return status;
}

static graco_status make_propagated(graco_matrix *Z, const struct graco_dataset *data,
                                    const struct graco_config *config,
                                    const graco_eval_options *options)
{
    struct making m = {.data = data};
    struct graco_config own;
    struct graco_model *model = NULL;
    graco_status status = GRACO_OK;
    TRY(settings(&own, data));
    TRY(begin(&m, config, (enum scaling)own.scaling, options));
    TRY(model_create(&model, &own, model_sizes_of(data)));
    TRY(model->method->fit(model, m.context, m.X, m.seen, m.seen_count));
    TRY(embed(Z, &m, model));
done:
    graco_model_free(model);
    end(&m);
    return status;
}

static graco_status note_reduced(graco_eval_result *result, int64_t cols)
{
    char text[160];
    snprintf(text, sizeof text,
             "scored along the %d leading principal components of %" PRId64
             " columns, to take less time; graco eval --baseline raw scores all columns",
             (int)COMPONENTS_MOST, cols);
    PASS(memory_grow(&result->notes, result->note_count, result->note_count + 1,
                     sizeof *result->notes));
    PASS(memory_string(&result->notes[result->note_count], text));
    result->note_count++;
    return GRACO_OK;
}

graco_status graco_evaluate_baseline(graco_eval_result *result, const char *name,
                                     const graco_dataset *data, const graco_config *config,
                                     bool whole, const graco_eval_options *options)
{
    graco_eval_options how = options ? *options : graco_eval_defaults();
    graco_eval_result found = {0};
    graco_matrix Z = {0};
    int64_t reduced = 0;
    graco_status status = GRACO_OK;
    how.with_features = false; /* a baseline is what it is called */
    if (data->features.cols == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "data set '%s' has no features; the baselines need some",
             data->name);
    TRY(features_check_cols(&data->features));
    if (strcmp(name, NAMES[RAW]) == 0)
        TRY(make_raw(&Z, &reduced, data, config, whole, &how));
    else if (strcmp(name, NAMES[PROPAGATE]) == 0)
        TRY(make_propagated(&Z, data, config, &how));
    else
        FAIL(GRACO_ERROR_ARGUMENT, "unknown baseline '%s'; expected raw or propagate", name);
    TRY(graco_evaluate(&found, &Z, data, &how));
    if (reduced)
        TRY(note_reduced(&found, reduced));
    *result = found;
    found = (graco_eval_result){0};
done:
    graco_eval_result_clear(&found);
    graco_matrix_clear(&Z);
    return status;
}
