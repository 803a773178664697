/* Escapes are undone into one buffer, which grows to the longest name. */
#include "io/name_lines.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <string.h>

/* What is escaped, and by which letter. */
static const char SPECIAL[] = "\\\n\r", LETTERS[] = "\\nr";

static graco_status write_name(struct file_writer *writer, const char *name)
{
    for (;;) {
        size_t plain = strcspn(name, SPECIAL);
        PASS(file_writer_write(writer, name, (int64_t)plain));
        name += plain;
        if (!*name)
            return file_writer_write(writer, "\n", 1);
        const char escape[2] = {'\\', LETTERS[strchr(SPECIAL, *name++) - SPECIAL]};
        PASS(file_writer_write(writer, escape, 2));
    }
}

graco_status name_lines_begin(struct file_writer **out, const char *path, char *const *names,
                              int64_t count)
{
    PASS(file_writer_open(out, path));
    for (int64_t i = 0; i < count; i++)
        PASS(write_name(*out, names[i]));
    return GRACO_OK;
}

graco_status name_lines_write(const char *path, char *const *names, int64_t count)
{
    struct file_writer *writer = NULL;
    if (!names)
        return file_remove(path);
    graco_status status = name_lines_begin(&writer, path, names, count);
    if (status == GRACO_OK)
        status = file_writer_commit(writer);
    file_writer_free(writer);
    return status;
}

int64_t name_lines_count(const void *bytes, int64_t length)
{
    const char *at = bytes, *end = at + length;
    int64_t count = 0;
    for (; at < end; count++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        at = feed ? feed + 1 : end;
    }
    return count;
}

void name_lines_init(struct name_lines *lines, const void *bytes, int64_t length)
{
    *lines = (struct name_lines){.at = bytes, .end = (const char *)bytes + length};
}

void name_lines_clear(struct name_lines *lines)
{
    memory_free(lines->name);
    *lines = (struct name_lines){0};
}

/* Copies a line without its escapes to lines->name, which has room for it. */
static graco_status unescape(struct name_lines *lines, const char *at, const char *end)
{
    char *to = lines->name;
    while (at < end) {
        char c = *at++;
        const char *letter = c == '\\' && at < end && *at ? strchr(LETTERS, *at) : NULL;
        if (c == '\\' && !letter)
            return status_fail(GRACO_ERROR_FORMAT,
                               "line %lld has a backslash before something else than \\, n or r",
                               (long long)lines->line);
        if (!c)
            return status_fail(GRACO_ERROR_FORMAT, "line %lld has a NUL byte",
                               (long long)lines->line);
        at += letter ? 1 : 0;
        *to++ = letter ? SPECIAL[letter - LETTERS] : c;
    }
    *to = '\0';
    return GRACO_OK;
}

graco_status name_lines_next(const char **name, struct name_lines *lines)
{
    const char *begin = lines->at;
    *name = NULL;
    if (begin == lines->end)
        return GRACO_OK;
    const char *feed = memchr(begin, '\n', (size_t)(lines->end - begin));
    const char *end = feed ? feed : lines->end;
    lines->at = feed ? feed + 1 : end;
    lines->line++;
    end -= feed && end > begin && end[-1] == '\r';
    PASS(memory_reserve(&lines->name, &lines->room, 0, end - begin + 1, 1));
    PASS(unescape(lines, begin, end));
    *name = lines->name;
    return GRACO_OK;
}
