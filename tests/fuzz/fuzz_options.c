/* Fuzzes the command line of a training: words with NUL bytes between, read by the command's own
 * parser and laid over a preset. */
#include "fuzz/fuzz.h"

#include "loading.h"
#include "settings.h"

enum { WORDS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct fuzz_input input = {bytes, (int64_t)length};
    char text[2048], *words[WORDS + 2] = {text};
    struct settings settings = {0};
    graco_load_options load = {0};
    graco_config *config = NULL;
    const char *objectives[OPTION_WORDS_MAX], *devices[OPTION_WORDS_MAX],
        *precisions[OPTION_WORDS_MAX];
    int64_t threads = 0;
    double scale = 1;
    bool flag = false;
    int count = 1;
    size_t used = 1;
    const struct option options[] = {
        OPTION_ROW_TEXT("preset", 'p', "NAME", &settings.preset, ""),
        OPTION_ROW_LIST("set", "KEY=VALUE", &settings.sets, ""),
        OPTION_ROW_CHOICE("objective", "NAME", &settings.given[SHORT_OBJECTIVE],
                          settings_words(objectives, "objective"), ""),
        OPTION_ROW_CHOICE("device", "NAME", &settings.given[SHORT_DEVICE],
                          settings_words(devices, "device"), ""),
        OPTION_ROW_CHOICE("precision", "NAME", &settings.given[SHORT_PRECISION],
                          settings_words(precisions, "precision"), ""),
        OPTION_ROW_TEXT("epochs", 0, "N", &settings.given[SHORT_EPOCHS], ""),
        OPTION_ROW_INTEGER("threads", "N", &threads, 0, 1024, ""),
        OPTION_ROW_TEXT("memory", 0, "SIZE", &settings.given[SHORT_MEMORY], ""),
        OPTION_ROW_REAL("scale", "X", &scale, 0, 100, ""),
        OPTION_ROW_FLAG("quiet", 'q', &flag, ""),
        LOADING_OPTIONS(load),
        {0},
    };
    const char *preset = NULL;
    struct command command = {
        .name = "train", .synopsis = "", .summary = "", .options = options, .max_arguments = 1};
    text[0] = 0;
    while (input.left > 0 && count <= WORDS && used < sizeof text) {
        int64_t taken;
        const uint8_t *word = fuzz_until(&taken, &input, 0);
        words[count++] = text + used;
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", (int)taken,
                                 (const char *)word) +
                1;
    }
    words[count] = NULL;
    if (used > sizeof text || !options_parse(&command, count, words))
        return 0;
    FUZZ_PROMISE(scale >= 0 && scale <= 100 && threads <= 1024);
    settings_make(&config, &preset, &settings, NULL);
    graco_config_free(config);
    return 0;
}
