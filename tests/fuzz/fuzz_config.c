/* Fuzzes settings, lines of key=value: what is taken is in range and prints as text that gives the
 * same value again. */
#include "fuzz/fuzz.h"

#include "model/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_config config, again;
    char key[64], value[512], text[CONFIG_TEXT], back[CONFIG_TEXT];
    graco_config_preset(&config, "cora");
    again = config;
    while (input.left > 0) {
        int64_t length_key, length_value;
        const uint8_t *a = fuzz_until(&length_key, &input, '=');
        const uint8_t *b = fuzz_until(&length_value, &input, '\n');
        snprintf(key, sizeof key, "%.*s", (int)length_key, (const char *)a);
        snprintf(value, sizeof value, "%.*s", (int)length_value, (const char *)b);
        if (graco_config_set(&config, key, value) != GRACO_OK)
            continue;
        FUZZ_PROMISE(graco_config_get(&config, key, text, sizeof text) == GRACO_OK);
        FUZZ_PROMISE(graco_config_set(&again, key, text) == GRACO_OK);
        FUZZ_PROMISE(graco_config_get(&again, key, back, sizeof back) == GRACO_OK);
        FUZZ_PROMISE(strcmp(text, back) == 0);
    }
    FUZZ_PROMISE(config_check(&config) == GRACO_OK);
    return 0;
}
