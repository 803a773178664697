/* A place in a text that is read token by token: by the readers of JSON and of
 * .npy headers. Nothing is copied, and nothing behind `end` is looked at. The smallest steps stand
 * here, to be inlined: graphs of gigabytes are read by them. */
#ifndef IO_CURSOR_H
#define IO_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const char *begin, *at, *end;
    const char *blanks; /* what may stand between two tokens, such as " \n" */
};

static inline void cursor_skip_blanks(struct cursor *cursor)
{
    while (cursor->at<cursor->end && * cursor->at> 0 && *cursor->at <= ' ' &&
           strchr(cursor->blanks, *cursor->at))
        cursor->at++;
}

/* Takes a character or a word, after blanks, if it comes next. */
static inline bool cursor_take(struct cursor *cursor, char wanted)
{
    cursor_skip_blanks(cursor);
    bool found = cursor->at < cursor->end && *cursor->at == wanted;
    cursor->at += found;
    return found;
}

bool cursor_take_word(struct cursor *cursor, const char *word);

/* Whether a decimal digit is next; skips all that are. */
static inline bool cursor_at_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

void cursor_skip_digits(struct cursor *cursor);

/* Line and column of the place, both from 1. O(at - begin): for messages. */
struct cursor_place {
    int64_t line, column;
};
struct cursor_place cursor_place(const struct cursor *cursor);

#endif
