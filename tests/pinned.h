/* Settings of a method that do not change when its defaults do: GRACE's with an encoder of graph convolutions, the exact
 * objective and no parts, which is small and fast. */
#ifndef TESTS_PINNED_H
#define TESTS_PINNED_H

#include "check.h"
#include "methods/method.h"

#define PINNED_GRACE                                                                               \
    "encoder=gcn objective=exact parts=learned width=0 epochs=500 drop_edge_1=0.2 "                \
    "drop_edge_2=0.4 drop_feature_1=0.4 drop_feature_2=0.2"

/* In place of method_configure(config, method, NULL). */
static inline void pinned_config(struct graco_config *config, const struct method *method)
{
    method_configure(config, method, NULL);
    if (strcmp(method->name, "grace") == 0)
        CHECK_OK(config_apply(config, PINNED_GRACE));
}

#endif
