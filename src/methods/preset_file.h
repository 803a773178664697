/* Preset files: a method and its settings as JSON, which `--preset FILE` reads.
 *
 *     {"graco": "0.1.0", "method": "grace", "settings": {"hidden": 256, "tau": 0.4}, ...}
 *
 * Settings that are not there are the method's general ones. Where graco wrote the file, which it says by its first
 * field, it wrote all that there were: those that are not there came later and have their start values. Other fields beside these are left to
 * whoever writes the file. */
#ifndef METHODS_PRESET_FILE_H
#define METHODS_PRESET_FILE_H

#include "config/config.h"

struct json;
struct writer;

/* Writes a setting as a number where its text is one, else as a string. */
void preset_put(struct writer *json, const char *key, const char *text);

/* Sets a key from such a value. GRACO_ERROR_FORMAT if it is neither a number nor a string. */
graco_status preset_set(struct graco_config *config, const char *key, const struct json *value);

/* Whether a setting belongs to a machine or a run, and to no preset: device, threads, memory, precision,
 * seed, checkpoint_every. */
bool preset_leaves_out(const char *key);

/* Writes the fields "graco", "method" and "settings" of a configuration: all settings but those that presets
 * leave out. */
graco_status preset_put_all(struct writer *json, const struct graco_config *config);

#endif
