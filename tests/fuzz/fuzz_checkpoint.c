/* Fuzzes checkpoints. An even first byte: the rest is the file. An odd one: the rest is its header
 * up to a NUL byte and its items, and the length of the header is put in front. */
#include "fuzz/fuzz.h"

#include "run/checkpoint.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct graco_model *model = NULL;
    char path[256];
    int64_t taken;
    file.length = 0;
    if (fuzz_byte(&input) & 1) {
        const uint8_t *header = fuzz_until(&taken, &input, 0);
        uint64_t size = (uint64_t)taken;
        fuzz_add(&file, &size, 8);
        fuzz_add(&file, header, taken);
    }
    const uint8_t *rest = fuzz_take(&taken, &input, input.left);
    fuzz_add(&file, rest, taken);
    fuzz_write("model.safetensors", file.bytes, file.length);
    fuzz_path(path, "model.safetensors");
    graco_status status = checkpoint_read(&model, path);
    FUZZ_PROMISE((status == GRACO_OK) == (model != NULL));
    const char *key;
    char text[CONFIG_TEXT];
    for (int i = 0; model && (key = graco_config_key(&model->config, i, NULL)); i++) {
        FUZZ_PROMISE(graco_config_get(&model->config, key, text, sizeof text) == GRACO_OK);
        FUZZ_PROMISE(graco_config_set(&model->config, key, text) == GRACO_OK);
    }
    graco_model_free(model);
    return 0;
}
