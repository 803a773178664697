/* Links that were held out of a graph: rows (source, target, part, linked) of graco_links. */
#ifndef DATA_LINKS_H
#define DATA_LINKS_H

#include "data/dataset.h"

enum links_part { LINKS_TRAIN, LINKS_VALIDATION, LINKS_TEST, LINKS_PARTS };

enum { LINKS_SOURCE, LINKS_TARGET, LINKS_PART, LINKS_LINKED, LINKS_FIELDS };

/* GRACO_ERROR_ARGUMENT if a pair is not of nodes of the data set, if its graph still has a link that was
 * held out, or if it has an edge where there should be none. */
graco_status links_check(const graco_links *links, const graco_dataset *data);

#endif
