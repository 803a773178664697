/* Prediction: which class nodes probably have, by a supervised model or by a regression on embeddings that
 * is fitted to every label there is. */
#include "base/memory.h"
#include "base/threads.h"
#include "eval/blas.h"
#include "eval/protocol.h"
#include "io/tables/names.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_known(const graco_dataset *data, int64_t node)
{
    return data->classes > 0 && (!data->label || data->label[node] >= 0) &&
           (!data->label_known || data->label_known[node]);
}

/* The nodes to predict, and those whose label is known: two lists of (nodes). */
static graco_status list_nodes(struct node_list lists[2], int32_t *room, const graco_dataset *data,
                               bool all)
{
    int64_t nodes = data->graph->nodes;
    for (int known = 0; known < 2; known++) {
        int32_t *list = room + known * nodes;
        int64_t count = 0;
        for (int64_t i = 0; i < nodes; i++)
            if (is_known(data, i) == known || (all && !known))
                list[count++] = (int32_t)i;
        lists[known] = (struct node_list){list, count};
    }
    if (lists[0].count == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "every node of data set '%s' has a known label: there is nothing to "
                           "predict unless all nodes are asked for (--all)",
                           data->name);
    return GRACO_OK;
}

/* What class k is called where the model was trained: without names by its number. */
static const char *output_called(char number[CLASS_NUMBER], const graco_model *model, int64_t k)
{
    snprintf(number, CLASS_NUMBER, "%lld", (long long)k);
    return model->class_names ? model->class_names[k] : number;
}

/* Every class of the data set must be one of the model's, by name. In another order classes are the same:
 * what the model gives stays in its own. */
static graco_status check_class_names(const graco_model *model, const graco_dataset *data)
{
    struct names *names = NULL;
    char number[CLASS_NUMBER], other[CLASS_NUMBER];
    int32_t found = 0;
    graco_status status = GRACO_OK;
    TRY(names_create(&names));
    for (int64_t k = 0; k < model->sizes.classes; k++) {
        const char *name = output_called(number, model, k);
        TRY(names_add(&found, names, name, (int64_t)strlen(name)));
    }
    for (int64_t k = 0; k < data->classes; k++) {
        const char *name = class_called(number, data, k);
        if (names_find(names, name, (int64_t)strlen(name)) < 0)
            FAIL(GRACO_ERROR_ARGUMENT,
                 "data set '%s' has a class '%.100s' that the model was not trained on; expected "
                 "its %lld classes, the first of them '%.100s'",
                 data->name, name, (long long)model->sizes.classes, output_called(other, model, 0));
    }
done:
    names_free(names);
    return status;
}

/* The labels of the training itself have the model's classes, whatever it knows of their names: its data
 * may have had none. */
static graco_status same_labels(bool *same, const graco_model *model, const graco_dataset *data)
{
    char words[GRACO_DIFFERENCES];
    PASS(method_compare(words, model, data));
    *same = !strstr(words, "labels");
    return GRACO_OK;
}

/* Whether the classes of a model are called by words. */
static bool has_words(const graco_model *model)
{
    for (int64_t k = 0; model->class_names && k < model->sizes.classes; k++)
        if (model->class_names[k][strspn(model->class_names[k], "0123456789")])
            return true;
    return false;
}

/* A class that the model does not know cannot be predicted. Numbers of classes are compared with the model's; with words,
 * or where nodes have several labels, they are its outputs, all of them. */
static graco_status check_classes(const graco_model *model, const graco_dataset *data)
{
    bool multi = data->multi, same = false;
    if (data->classes == 0)
        return GRACO_OK;
    if (data->class_names && !model->class_names)
        PASS(same_labels(&same, model, data));
    bool outputs = !same && !data->class_names && (multi || has_words(model));
    if (multi != model->sizes.multi_label || (outputs && data->numbers != model->sizes.classes))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the model was trained on %lld classes, %s of them per node; data set "
                           "'%s' has other ones",
                           (long long)model->sizes.classes,
                           model->sizes.multi_label ? "any number" : "one", data->name);
    return same || outputs ? GRACO_OK : check_class_names(model, data);
}

/* From the classes that a supervised model gives every node. */
static graco_status take_given(graco_prediction *out, const graco_matrix *Z,
                               const graco_model *model, const graco_dataset *data,
                               struct node_list nodes)
{
    PASS(check_classes(model, data));
    out->classes = Z->cols;
    out->multi_label = model->sizes.multi_label;
    PASS(memory_alloc(&out->probability, nodes.count * Z->cols, sizeof *out->probability));
    for (int64_t i = 0; i < nodes.count; i++)
        memcpy(out->probability + i * Z->cols, Z->data + nodes.node[i] * Z->cols,
               (size_t)Z->cols * sizeof *Z->data);
    return GRACO_OK;
}

/* A watch of a context. */
static bool ask(void *watch)
{
    return threads_ask(watch);
}

/* From regressions on embeddings; lists are as list_nodes made them. */
static graco_status fit_known(graco_prediction *out, const graco_matrix *Z,
                              const graco_dataset *data, const struct node_list lists[2],
                              const graco_predict_options *options)
{
    struct blas blas = {0};
    const struct backend *backend = NULL;
    struct probe probe = {0};
    struct logistic_report report = {0};
    struct threads_watch watch = {.go_on = options->on_progress, .user = options->user};
    graco_status status = GRACO_OK;
    struct probe_input input = {.blas = &blas,
                                .Z = Z->data,
                                .nodes = Z->rows,
                                .dim = Z->cols,
                                .classes = data->classes,
                                .label = data->label,
                                .multi = data->multi,
                                .threads = threads_count(options->threads)};
    if (lists[1].count < PROTOCOL_FOLDS)
        FAIL(
            GRACO_ERROR_ARGUMENT,
            "%lld nodes of data set '%s' have a known label; a prediction from embeddings needs at "
            "least %d",
            (long long)lists[1].count, data->name, PROTOCOL_FOLDS);
    out->classes = data->classes;
    out->multi_label = data->multi;
    TRY(memory_alloc(&out->class_of, data->classes, sizeof *out->class_of));
    for (int64_t k = 0; k < data->classes; k++)
        out->class_of[k] = (int32_t)class_number(data, k);
    TRY(probe_backend(&backend, options->device, &input, lists[1].count, PROTOCOL_FOLDS));
    TRY(context_create(&input.context, backend, input.threads, 0));
    if (options->on_progress)
        input.context->watch = (struct watch){.go_on = ask, .owner = &watch};
    TRY(blas_open(&blas, input.threads));
    TRY(protocol_fit(&probe, &out->C, &report, &input, lists[1], 0, 0));
    TRY(memory_alloc(&out->probability, lists[0].count * out->classes, sizeof *out->probability));
    TRY(probe_probabilities(out->probability, &probe, &input, lists[0]));
done:
    blas_close(&blas);
    probe_clear(&probe);
    context_free(input.context);
    return status;
}

/* `model` is that of Z where it is supervised, else NULL. */
static graco_status predict(graco_prediction *out, const graco_matrix *Z, const graco_model *model,
                            const graco_dataset *data, const graco_predict_options *options)
{
    graco_prediction made = {.C = (double)NAN};
    struct node_list lists[2];
    int32_t *room = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&room, 2 * data->graph->nodes, sizeof *room));
    TRY(list_nodes(lists, room, data, options->all));
    TRY(model ? take_given(&made, Z, model, data, lists[0])
              : fit_known(&made, Z, data, lists, options));
    made.count = lists[0].count;
    TRY(memory_alloc(&made.node, made.count, sizeof *made.node));
    for (int64_t i = 0; i < made.count; i++)
        made.node[i] = lists[0].node[i];
    *out = made;
done:
    if (status != GRACO_OK)
        graco_prediction_clear(&made);
    memory_free(room);
    return status;
}

static graco_status check_labels(const graco_dataset *data)
{
    if (data->classes == 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "data set '%s' has no labels; a prediction from embeddings needs some",
                           data->name);
    return classes_check(data);
}

graco_status graco_predict(graco_prediction *out, const graco_model *model,
                           const graco_dataset *data, const graco_predict_options *options)
{
    const graco_predict_options none = {0};
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    if (!options)
        options = &none;
    const graco_embed_options embed = {.threads = options->threads, .device = options->device};
    bool supervised = model->method->needs & METHOD_NEEDS_LABELS;
    if (!supervised)
        TRY(check_labels(data));
    TRY(graco_model_embed(&Z, model, data, &embed));
    TRY(predict(out, &Z, supervised ? model : NULL, data, options));
done:
    graco_matrix_clear(&Z);
    return status;
}

graco_status graco_predict_embeddings(graco_prediction *out, const graco_matrix *Z,
                                      const graco_dataset *data,
                                      const graco_predict_options *options)
{
    const graco_predict_options none = {0};
    PASS(check_labels(data));
    PASS(protocol_check_rows(Z, data));
    return predict(out, Z, NULL, data, options ? options : &none);
}

void graco_prediction_clear(graco_prediction *prediction)
{
    if (!prediction)
        return;
    memory_free(prediction->node);
    memory_free(prediction->class_of);
    memory_free(prediction->probability);
    *prediction = (graco_prediction){0};
}
