/* Fuzzes Planetoid's eight files: the input replaces some of a sound set, each by a byte that
 * chooses the file, two for a length, and the content. */
#include "fuzz/fuzz.h"

#include "data/readers.h"
#include "data/small_files.h"

static const char *const names[] = {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"};
enum { NAMES = sizeof names / sizeof *names };

static struct fuzz_block sound[NAMES];

/* Makes the sound set once and keeps its bytes. */
static void prepare(void)
{
    fixture_use(fuzz_folder());
    small_planetoid();
    for (int i = 0; i < NAMES; i++) {
        char name[64];
        snprintf(name, sizeof name, "tiny/ind.tiny.%s", names[i]);
        FILE *file = fopen(fixture_path(name), "rb");
        FUZZ_PROMISE(file != NULL);
        sound[i].length = (int64_t)fread(sound[i].bytes, 1, FUZZ_BLOCK, file);
        fclose(file);
    }
}

static void put(int i, const uint8_t *bytes, int64_t length)
{
    char name[64];
    snprintf(name, sizeof name, "tiny/ind.tiny.%s", names[i]);
    fuzz_write(name, bytes, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_dataset *data = NULL;
    unsigned changed = 0;
    if (sound[0].length == 0)
        prepare();
    while (input.left > 0) {
        int64_t taken;
        int i = fuzz_byte(&input) % NAMES;
        int low = fuzz_byte(&input), high = fuzz_byte(&input);
        const uint8_t *content = fuzz_take(&taken, &input, low + 256 * high);
        put(i, content, taken);
        changed |= 1u << i;
    }
    char name[] = "ind.tiny.graph", *file = name;
    graco_status status = reader_planetoid.read(
        &data, &(struct source){.members.folder = fixture_path("tiny"), .files = {1, &file}});
    fuzz_check_dataset(data, status);
    for (int i = 0; i < NAMES; i++)
        if (changed >> i & 1)
            put(i, sound[i].bytes, sound[i].length);
    return 0;
}
