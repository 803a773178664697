/* Preset files: a method and its settings as JSON, which `--preset FILE` reads.
 *
 *     {"graco": "0.1.0", "method": "grace", "settings": {"hidden": 256, "tau": 0.4}, ...}
 *
 * Settings that are not there are the method's general ones; other fields beside these are left to
 * whoever writes the file. */
#ifndef METHODS_PRESET_FILE_H
#define METHODS_PRESET_FILE_H

#include "config/config.h"

struct json;

/* Puts a setting as a number where its text is one, else as a string. */
graco_status preset_put(struct json *object, const char *key, const char *text);

/* Whether a setting belongs to a machine or a run, and to no preset: device, threads, memory, precision,
 * seed, checkpoint_every. */
bool preset_leaves_out(const char *key);

/* Puts "graco", "method" and "settings" of a configuration into an object: all of them but those that
 * presets leave out. */
graco_status preset_put_all(struct json *object, const struct graco_config *config);

#endif
