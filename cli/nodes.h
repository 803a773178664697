/* Nodes and classes as users call them: by name where the data set has names, else by number. */
#ifndef CLI_NODES_H
#define CLI_NODES_H

#include "graco.h"

#include <stdint.h>

enum { NODES_NUMBER = 24 };

/* The name of a node or a class, or its number, for which `text` is. */
const char *nodes_name(char text[NODES_NUMBER], const graco_dataset *data, int64_t node);
const char *nodes_class(char text[NODES_NUMBER], const graco_dataset *data, int64_t class);

/* A name for the terminal: of a long one its beginning and its end, control characters as '?'. */
enum { NODES_PLAIN = 192 };
const char *nodes_plain(char text[NODES_PLAIN], const char *name);

#endif
