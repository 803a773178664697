/* Writes a data set in the layout in which PPI ("ppi": several graphs, dense features, several labels per node, whole
 * graphs in training, validation and test, in this order) or Reddit ("reddit": one graph, dense features, one label and
 * a split for every node) is published: what read_ppi.c and read_reddit.c read. An archive if `path` ends in .zip, else
 * its unpacked folder. */
#ifndef DATA_PUBLISHED_H
#define DATA_PUBLISHED_H

#include "data/dataset.h"

graco_status published_write(const graco_dataset *data, const char *path, const char *layout);

#endif
