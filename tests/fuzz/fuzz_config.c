/* Fuzzes settings, one a line: a byte that chooses a key, or any other and the key up to '=', then
 * the value. What is taken is in range and prints as text that gives the same value again. */
#include "fuzz/fuzz.h"

#include "fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_config config, again;
    char key[64], value[512], text[CONFIG_TEXT], back[CONFIG_TEXT];
    preset_config(&config, "cora");
    again = config;
    while (input.left > 0) {
        int64_t taken;
        const char *name = graco_config_key(&config, fuzz_byte(&input), NULL);
        const uint8_t *text_key = name ? NULL : fuzz_until(&taken, &input, '=');
        if (name)
            snprintf(key, sizeof key, "%s", name);
        else
            snprintf(key, sizeof key, "%.*s", (int)taken, (const char *)text_key);
        const uint8_t *text_value = fuzz_until(&taken, &input, '\n');
        snprintf(value, sizeof value, "%.*s", (int)taken, (const char *)text_value);
        if (graco_config_set(&config, key, value) != GRACO_OK)
            continue;
        FUZZ_PROMISE(graco_config_get(&config, key, text, sizeof text) == GRACO_OK);
        FUZZ_PROMISE(graco_config_set(&again, key, text) == GRACO_OK);
        FUZZ_PROMISE(graco_config_get(&again, key, back, sizeof back) == GRACO_OK);
        FUZZ_PROMISE(strcmp(text, back) == 0);
    }
    return 0;
}
