/* Names in lines: written, read back, and what is refused. */
#include "check.h"
#include "io/files/file.h"
#include "io/name_lines.h"

#include <unistd.h>

static char path[] = "/tmp/graco-names-XXXXXX";

static void come_back(void)
{
    char *const names[] = {(char[]){"ann"},           (char[]){""},     (char[]){"a\nb\r\n"},
                           (char[]){"\\n"},           (char[]){"\\"},   (char[]){"  blanks\t"},
                           (char[]){"d\xc3\xb6\xff"}, (char[]){"end\r"}};
    enum { COUNT = sizeof names / sizeof *names };
    static const char wanted[] =
        "ann\n\na\\nb\\r\\n\n\\\\n\n\\\\\n  blanks\t\nd\xc3\xb6\xff\nend\\r\n";
    struct file_map map;
    struct name_lines lines;
    const char *name = NULL;
    CHECK_OK(name_lines_write(path, names, COUNT));
    CHECK_OK(file_map_open(&map, path));
    CHECK(map.length == sizeof wanted - 1 && memcmp(map.data, wanted, sizeof wanted - 1) == 0);
    CHECK(name_lines_count(map.data, map.length) == COUNT);
    name_lines_init(&lines, map.data, map.length);
    for (int i = 0; i < COUNT; i++) {
        CHECK_OK(name_lines_next(&name, &lines));
        CHECK(name && strcmp(name, names[i]) == 0 && lines.line == i + 1);
    }
    CHECK_OK(name_lines_next(&name, &lines));
    CHECK(!name);
    name_lines_clear(&lines);
    file_map_close(&map);

    CHECK_OK(name_lines_write(path, NULL, 0)); /* no names, no file */
    CHECK(!file_exists(path));
    CHECK_OK(name_lines_write(path, NULL, 0));
    CHECK_FAILS(file_remove("/tmp"), GRACO_ERROR_IO, "/tmp is no file");
}

/* All names of a text, joined by '|'; a failure is the message. */
static const char *read_all(const char *text, int64_t length)
{
    static char out[256];
    struct name_lines lines;
    const char *name = NULL;
    graco_status status = GRACO_OK;
    *out = '\0';
    name_lines_init(&lines, text, length);
    while ((status = name_lines_next(&name, &lines)) == GRACO_OK && name)
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s|", name);
    if (status != GRACO_OK)
        snprintf(out, sizeof out, "%s", graco_message());
    name_lines_clear(&lines);
    return out;
}

#define IS(text, count, wanted)                                                                    \
    do {                                                                                           \
        CHECK(strcmp(read_all(text, sizeof text - 1), wanted) == 0);                               \
        CHECK(name_lines_count(text, sizeof text - 1) == (count));                                 \
    } while (0)

int main(void)
{
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    come_back();
    IS("", 0, "");
    IS("\n", 1, "|");
    IS("a", 1, "a|");
    IS("a\nb", 2, "a|b|");
    IS("a\r\n\r\nb\r", 3, "a||b\r|"); /* made by hand on another system */
    IS("a\n\\t\n", 2, "line 2 has a backslash before something else than \\, n or r");
    IS("a\\\n", 1, "line 1 has a backslash before something else than \\, n or r");
    IS("a\\\0\n", 1, "line 1 has a backslash before something else than \\, n or r");
    IS("a\nb\0c\n", 2, "line 2 has a NUL byte");
    unlink(path);
    return check_result();
}
