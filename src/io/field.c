#include "io/field.h"

#include <string.h>

static graco_status put(struct file_writer *writer, const char *text)
{
    return file_writer_write(writer, text, (int64_t)strlen(text));
}

graco_status field_write(struct file_writer *writer, const char *field, char separator, bool safe)
{
    const char special[] = {'"', '\r', '\n', separator, '\0'};
    bool formula = safe && *field && strchr("=+-@\t\r\n", *field);
    bool quoted = field[strcspn(field, special)];
    if (quoted)
        PASS(put(writer, "\""));
    if (formula)
        PASS(put(writer, "'"));
    while (quoted && strchr(field, '"')) {
        size_t length = strcspn(field, "\"") + 1;
        PASS(file_writer_write(writer, field, (int64_t)length));
        PASS(put(writer, "\""));
        field += length;
    }
    PASS(put(writer, field));
    return quoted ? put(writer, "\"") : GRACO_OK;
}
