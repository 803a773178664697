/* Fuzzes files of names. What is read can be written, and is read again as the same names. */
#include "fuzz.h"
#include "io/files/file.h"
#include "io/name_lines.h"

enum { NAMES_MAX = 64 };

/* Reads names into a list; how many there are, -1 if one is refused. */
static int read_names(char *names[NAMES_MAX], const void *bytes, int64_t length)
{
    struct name_lines lines;
    const char *name = NULL;
    int count = 0;
    graco_status status = GRACO_OK;
    name_lines_init(&lines, bytes, length);
    while ((status = name_lines_next(&name, &lines)) == GRACO_OK && name && count < NAMES_MAX)
        FUZZ_PROMISE(memory_string(&names[count++], name) == GRACO_OK);
    FUZZ_PROMISE(status != GRACO_OK || name || count == name_lines_count(bytes, length));
    name_lines_clear(&lines);
    return status == GRACO_OK ? count : -1;
}

static void clear_names(char *names[NAMES_MAX])
{
    for (int i = 0; i < NAMES_MAX; i++)
        memory_free(names[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *names[NAMES_MAX] = {NULL}, *again[NAMES_MAX] = {NULL}, path[256];
    struct file_map map;
    int count = read_names(names, bytes, (int64_t)length);
    fuzz_path(path, "names");
    if (count >= 0) {
        FUZZ_PROMISE(name_lines_write(path, names, count) == GRACO_OK);
        FUZZ_PROMISE(file_map_open(&map, path) == GRACO_OK);
        FUZZ_PROMISE(read_names(again, map.data, map.length) == count);
        for (int i = 0; i < count; i++)
            FUZZ_PROMISE(strcmp(names[i], again[i]) == 0);
        file_map_close(&map);
    }
    clear_names(names);
    clear_names(again);
    return 0;
}
