/* What is measured of a training beside its scores, as fields of its sample; and of the machine. */
#ifndef PAPER_MEASURES_H
#define PAPER_MEASURES_H

#include "graco.h"

#include "results.h"

/* Theorem 2: the means over anchors, at most THEOREM_ANCHORS evenly spaced nodes, into minus_l, step_2, step_3,
 * expansion, remainder and remainder_bound. With x_k = (u.z_k - u.v) / tau over the m = 2N - 2 negatives z_k of an
 * anchor u and S the sum of exp(x_k) (docs/math.md, section 10) they are log(1 + S), S, m + sum x_k,
 * log(1 + m) + sum x_k / (1 + m), |minus_l - expansion| and max x_k^2 / 2.
 * Z (2N, d): unit rows, those of the second view below; N at least 1. O(anchors * N * d). */
enum { THEOREM_ANCHORS = 256 };
void theorem_steps(struct sample *out, const graco_matrix *Z, double tau);

/* Embeddings as a picture, into x, y and class_of: the two leading principal components of at most POINTS_MAX nodes,
 * evenly spaced, as shares of the largest coordinate. */
enum { POINTS_MAX = 3000 };
graco_status points_find(struct sample *out, const graco_matrix *Z, const graco_dataset *data);

/* graco_evaluate on the data set's own split, where scores[0] becomes the micro-F1 over the test and
 * the validation part together, as the paper counts PPI's four test graphs: each is tested with the C that the other
 * chose. For data with several labels per node; GRACO_ERROR_ARGUMENT for others. `folder` gets split.npy and
 * swapped.npy. */
graco_status four_graphs_score(graco_eval_result *result, const graco_matrix *Z,
                               const graco_dataset *data, const graco_eval_options *options,
                               const char *folder);

/* The machine, for whoever reads times: "NVIDIA H200, AMD EPYC ..., 16 cores", what Linux tells of it. */
enum { MACHINE_TEXT = 256 };
const char *machine_name(char text[MACHINE_TEXT]);

#endif
