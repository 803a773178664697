/* Fuzzes metrics.jsonl as a resumed training cuts it: whole lines stay, at most as many as epochs.
 */
#include "fuzz/fuzz.h"

#include "run/run_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static uint8_t kept[FUZZ_BLOCK];
    struct fuzz_input input = {bytes, (int64_t)length};
    struct run_folder *run = NULL;
    char path[256];
    int64_t taken, epochs = fuzz_byte(&input) % 8, lines = 0;
    const uint8_t *rest = fuzz_take(&taken, &input, input.left);
    fuzz_write("metrics.jsonl", rest, taken);
    FUZZ_PROMISE(run_folder_open(&run, fuzz_folder()) == GRACO_OK);
    FUZZ_PROMISE(run_folder_start_metrics(run, epochs) == GRACO_OK);
    run_folder_free(run);
    fuzz_path(path, "metrics.jsonl");
    int file = open(path, O_RDONLY);
    int64_t got = read(file, kept, sizeof kept);
    close(file);
    FUZZ_PROMISE(got <= taken && memcmp(kept, rest, (size_t)got) == 0);
    FUZZ_PROMISE(got == 0 || kept[got - 1] == '\n');
    for (int64_t i = 0; i < got; i++)
        lines += kept[i] == '\n';
    FUZZ_PROMISE(lines <= epochs);
    return 0;
}
