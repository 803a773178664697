/* Configurations for tests, which may look inside: the fields of GRACE's settings by value. */
#ifndef TESTS_PRESETS_H
#define TESTS_PRESETS_H

#include "check.h"
#include "methods/method.h"
#include "methods/objective.h"

/* Choices, in the order of their words. */
enum { ENCODER_GCN, ENCODER_SAGE, ENCODER_SAGE_SKIP };
enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA };

/* Fills *config with GRACE's preset of that name, or the general one. */
static inline void preset_config(struct graco_config *config, const char *name)
{
    const struct method *method = NULL;
    CHECK_OK(method_find(&method, "grace"));
    method_configure(config, method, name);
}

#endif
