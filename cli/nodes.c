/* Names belong to the data set; only numbers need room. */
#include "nodes.h"

#include "graco_more.h"

#include <inttypes.h>
#include <stdio.h>

static const char *or_number(char text[NODES_NUMBER], const char *name, int64_t number)
{
    snprintf(text, NODES_NUMBER, "%" PRId64, number);
    return name ? name : text;
}

const char *nodes_name(char text[NODES_NUMBER], const graco_dataset *data, int64_t node)
{
    return or_number(text, graco_dataset_node(data, node), node);
}

const char *nodes_class(char text[NODES_NUMBER], const graco_dataset *data, int64_t class)
{
    return or_number(text, graco_dataset_class(data, class), class);
}

enum { CHARACTERS = 40, FIRST = 13, LAST = 24 }; /* of a name: at most; of a longer one */

/* Where so many characters of UTF-8 more begin, or the text ends. */
static const char *skip(const char *text, int64_t count)
{
    while (*text && count-- > 0)
        for (text++; ((unsigned char)*text & 0xc0) == 0x80;)
            text++;
    return text;
}

const char *nodes_plain(char text[NODES_PLAIN], const char *name)
{
    const char *first = skip(name, FIRST), *last = first, *end = skip(first, LAST);
    if (*skip(name, CHARACTERS)) {
        for (; *end; end = skip(end, 1))
            last = skip(last, 1);
        snprintf(text, NODES_PLAIN, "%.*s...%s", (int)(first - name), name, last);
    } else {
        snprintf(text, NODES_PLAIN, "%s", name);
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return text;
}
