/* What a back end makes of a few steps of training, for tests that compare back ends. */
#ifndef TESTS_TRAIN_STEPS_H
#define TESTS_TRAIN_STEPS_H

#include "check.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <stdlib.h>
#include <string.h>

/* The parameters, *count of them, after so many steps; `after` is called behind each. The caller frees them. */
static inline float *steps_train(int64_t *count, const struct backend *backend,
                                 const graco_dataset *data, const graco_config *config, int steps,
                                 void (*after)(struct trainer *trainer, struct stage *stage))
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, backend, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    for (int step = 0; step < steps; step++) {
        struct stage *stage = NULL;
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
        after(trainer, stage);
    }
    CHECK_OK(trainer_download(trainer));
    *count = model->parameters.total;
    float *values = malloc((size_t)*count * sizeof *values);
    memcpy(values, model->parameters.value, (size_t)*count * sizeof *values);
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return values;
}

#endif
