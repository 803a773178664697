/* Embeddings as a picture: the two leading principal components of some of the nodes. */
#ifndef PAPER_POINTS_H
#define PAPER_POINTS_H

#include "graco.h"

#include "base/writer.h"

enum { POINTS_MAX = 3000 };

/* Writes "points": {"x": [...], "y": [...], "class": [...]} for at most POINTS_MAX nodes, evenly
 * spaced, as fields of the object that is open; coordinates are shares of the largest one.
 * Returns false if memory is out. */
bool points_write(struct writer *json, const graco_matrix *Z, const graco_dataset *data);

#endif
