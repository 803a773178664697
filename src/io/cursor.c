#include "io/cursor.h"

bool cursor_take_word(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    cursor_skip_blanks(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

void cursor_skip_digits(struct cursor *cursor)
{
    while (cursor_at_digit(cursor))
        cursor->at++;
}

struct cursor_place cursor_place(const struct cursor *cursor)
{
    struct cursor_place place = {1, 1};
    for (const char *c = cursor->begin; c < cursor->at; c++) {
        place.column = *c == '\n' ? 1 : place.column + 1;
        place.line += *c == '\n';
    }
    return place;
}
