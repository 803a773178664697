/* Data sets like the published ones: their sizes, degrees, features, labels and splits. */
#ifndef DATA_GENERATE_LIKE_H
#define DATA_GENERATE_LIKE_H

#include "data/dataset.h"

/* Makes the data set that options->like names; GRACO_ERROR_ARGUMENT lists the names there are.
 *
 *           nodes    edges (directed)  graphs  features  labels          split
 *   reddit  232,965  114,615,892        1       602       1 of 41         153,431 / 23,831 / 55,703
 *   ppi      56,944    1,587,264       24        50       121, any of     20 / 2 / 2 graphs
 *   arxiv   169,343    2,315,598        1       128       1 of 40         90,941 / 29,799 / 48,603
 *
 * Nodes are multiplied by options->scale, and so are edges, until the average node has a twentieth
 * of the others as neighbours; in one like reddit, until it has as many as a community has nodes.
 * The number of edges is met within about one in 250, a little less where pairs repeat. Degrees
 * follow a power law with exponent 7/3. The mean of a class is weak beside the noise of one row,
 * and a few columns are loud noise alone: an encoder gains by averaging over neighbours and by
 * learning which columns to ignore.
 *
 * reddit: of the edges drawn, three in five stay in a class, half of these in one of its six
 * communities; features are mixtures of 64 topics with noise, see features_make.h. */
graco_status generate_like(struct graco_dataset **out, const graco_generate_options *options);

#endif
