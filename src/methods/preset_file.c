/* Settings go through their text both ways, so a preset file can hold what `--set` can, and says the same
 * about what is wrong. */
#include "methods/preset_file.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/json/json.h"
#include "methods/method.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20 };

void preset_put(struct writer *json, const char *key, const char *text)
{
    char *end, *whole_end;
    double number = number_parse(text, &end);
    long long whole = strtoll(text, &whole_end, 10);
    if (*end || end == text || (!*whole_end && strlen(text) >= 19))
        writer_string(json, key, text);
    else if (*whole_end)
        writer_real(json, key, number);
    else
        writer_integer(json, key, whole);
}

bool preset_leaves_out(const char *key)
{
    const graco_key_kind kind = graco_config_kind(key);
    return kind != GRACO_KEY_FIXED && kind != GRACO_KEY_LENGTH;
}

graco_status preset_put_all(struct writer *json, const struct graco_config *config)
{
    const char *key;
    char text[CONFIG_TEXT];
    writer_string(json, "graco", graco_version());
    writer_string(json, "method", config->method);
    writer_open(json, "settings", '{');
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++) {
        PASS(graco_config_get(config, key, text, sizeof text));
        if (!preset_leaves_out(key))
            preset_put(json, key, text);
    }
    writer_close(json);
    return GRACO_OK;
}

/* A value as `--set` would write it. */
static graco_status text_of(char text[CONFIG_TEXT], const struct json *value)
{
    const char *word;
    int64_t whole;
    double number;
    if (json_as_string(&word, value)) {
        if (strlen(word) >= CONFIG_TEXT)
            return status_fail(GRACO_ERROR_FORMAT, "%s is too long", value->key);
        memcpy(text, word, strlen(word) + 1);
    } else if (json_as_int(&whole, value)) {
        snprintf(text, CONFIG_TEXT, "%" PRId64, whole);
    } else if (json_as_double(&number, value)) {
        /* 1e3 and 1000.0 are the count 1000: JSON has one kind of number. */
        if (number == floor(number) && fabs(number) < 0x1p53)
            number_print(text, CONFIG_TEXT, "%.0f", number);
        else
            number_shortest(text, number);
    } else {
        return status_fail(GRACO_ERROR_FORMAT, "%s is neither a number nor a string", value->key);
    }
    return GRACO_OK;
}

graco_status preset_set(struct graco_config *config, const char *key, const struct json *value)
{
    char text[CONFIG_TEXT];
    PASS(text_of(text, value));
    return graco_config_set(config, key, text);
}

/* graco wrote all settings that there were, but those that preset_leaves_out: what else a file lacks is newer, and
 * has its start value. */
static graco_status forget_general(struct graco_config *config)
{
    const struct graco_config general = *config;
    char value[CONFIG_TEXT];
    const char *key;
    config_init(config, config->method, config->keys);
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++) {
        if (!preset_leaves_out(key))
            continue;
        PASS(graco_config_get(&general, key, value, sizeof value));
        PASS(graco_config_set(config, key, value));
    }
    return GRACO_OK;
}

graco_status graco_config_load(graco_config **out, const char *path)
{
    graco_status status = GRACO_OK;
    struct json *file = NULL;
    const struct json *settings = NULL, *value;
    const char *method = NULL;
    graco_config *config = NULL;
    TRY(json_parse_file(&file, path, FILE_LIMIT));
    TRY(json_get_string(&method, file, "method"));
    TRY(json_get_object(&settings, file, "settings"));
    TRY(graco_config_create(&config, method, NULL));
    if (json_find(file, "graco"))
        TRY(forget_general(config));
    for (int64_t i = 0; (value = json_at(settings, i)); i++)
        TRY(preset_set(config, value->key, value));
    *out = config;
    config = NULL;
done:
    /* Whatever is wrong is wrong with the file. */
    if (status == GRACO_ERROR_ARGUMENT)
        status = GRACO_ERROR_FORMAT;
    if (status == GRACO_ERROR_FORMAT && !strstr(graco_message(), path))
        status_context(status, "%s", path);
    graco_config_free(config);
    json_free(file);
    return status;
}
