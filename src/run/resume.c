/* Whether a checkpoint may be continued: the same method and settings but for a few, the same
 * data, and a place within an epoch that these data have. */
#include "run/resume.h"

#include "run/checkpoint.h"
#include "run/table_names.h"

#include <string.h>

/* A resumed training must continue what was begun. */
static graco_status check_same(const struct method *method, const struct graco_config *begun,
                               const struct graco_config *wanted, const char *path)
{
    char a[CONFIG_TEXT], b[CONFIG_TEXT];
    if (strcmp(begun->method, wanted->method) != 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s was trained by the method %s, not %s: it cannot be resumed", path,
                           begun->method, wanted->method);
    const char *key =
        config_differs(a, b, begun, wanted, GRACO_KEY_LENGTH | GRACO_KEY_FREE | GRACO_KEY_HOST);
    if (!key && method->falls && begun->epochs != wanted->epochs)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%s was trained with epochs = %lld, over which the rate of method %s falls: "
            "resumed with %lld it would be another training; expected --epochs %lld, or a "
            "training from the start in another folder",
            path, (long long)begun->epochs, begun->method, (long long)wanted->epochs,
            (long long)begun->epochs);
    return key ? status_fail(GRACO_ERROR_ARGUMENT,
                             "%s was trained with %s = %s, not %s: it cannot be resumed", path, key,
                             a, b)
               : GRACO_OK;
}

/* A supervised model has outputs for its classes alone. */
static graco_status check_classes(const struct graco_model *model, const struct resumed *r)
{
    const struct model_sizes *begun = &model->sizes, wanted = model_sizes_of(r->data);
    if (begun->classes == 0 ||
        (class_columns(r->given, begun->classes) && begun->multi_label == wanted.multi_label))
        return GRACO_OK;
    return status_fail(
        GRACO_ERROR_ARGUMENT,
        "%s was trained on %lld classes, %s; data set '%s' has %lld, %s: it cannot be "
        "resumed",
        r->checkpoint, (long long)begun->classes,
        begun->multi_label ? "several for a node" : "one for each node", r->data->name,
        (long long)wanted.classes, wanted.multi_label ? "several for a node" : "one for each node");
}

graco_status resume_model(struct graco_model **out, const struct resumed *r)
{
    struct graco_model *model = NULL;
    graco_status status = GRACO_OK;
    char words[GRACO_DIFFERENCES];
    TRY(checkpoint_read(&model, r->checkpoint));
    TRY(check_same(model->method, &model->config, r->config, r->checkpoint));
    TRY(model_check(model, r->data, r->checkpoint));
    TRY(method_compare(words, model, r->given));
    if (*words)
        FAIL(GRACO_ERROR_ARGUMENT,
             "%s was trained on other data than '%s', which differs in: %s; it cannot be resumed",
             r->checkpoint, r->data->name, words);
    TRY(check_classes(model, r));
    TRY(class_names_keep(model, r->given));
    model->config = *r->config;
    *out = model;
    model = NULL;
done:
    graco_model_free(model);
    return status;
}

graco_status resume_check_place(const struct graco_model *model, const struct resumed *r,
                                int64_t steps)
{
    if (model->sums.steps <= steps && model->epoch <= (INT64_MAX - steps) / steps &&
        model->step == model->epoch * steps + model->sums.steps)
        return GRACO_OK;
    return status_fail(
        GRACO_ERROR_ARGUMENT,
        "%s stands after %lld epochs at step %lld, and an epoch of data set '%s' has "
        "%lld steps: it was trained on other data",
        r->checkpoint, (long long)model->epoch, (long long)model->step, r->data->name,
        (long long)steps);
}
