/* The configuration's keys: one table serves `--set`, the help text, config.json and checkpoints.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "base/status.h"

enum { CONFIG_TEXT = 64 };

/* Checks every key's range, as graco_config_set does for one. */
graco_status config_check(const graco_config *config);

/* The name of a device, as backend_find knows it. */
const char *config_device(graco_device device);

#endif
