/* PPI on four test graphs, as the paper counts them: its two validation graphs are tested too. */
#ifndef PAPER_FOUR_GRAPHS_H
#define PAPER_FOUR_GRAPHS_H

#include "graco.h"

/* graco_evaluate on the data set's own split, where scores[0] becomes the micro-F1 over the test and
 * the validation part together: each is tested with the C that the other chose. For data with several
 * labels per node; GRACO_ERROR_ARGUMENT for others. `folder` gets split.npy and swapped.npy. */
graco_status four_graphs_score(graco_eval_result *result, const graco_matrix *Z,
                               const graco_dataset *data, const graco_eval_options *options,
                               const char *folder);

#endif
