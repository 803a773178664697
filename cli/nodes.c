/* Names belong to the data set; only numbers need room. */
#include "nodes.h"

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

const char *nodes_plain(char text[NODES_PLAIN], const char *name)
{
    snprintf(text, NODES_PLAIN, "%s", name);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return text;
}
