/* Scores of a run: computed once, and kept in eval.json with what they depend on. */
#ifndef RUN_RUN_SCORES_H
#define RUN_RUN_SCORES_H

#include "run/run.h"

/* Scores those trainings of a run that have number `seed` (from 0), one for each split; nothing is kept. */
graco_status scores_of_seed(graco_eval_result *out, graco_run *run, int64_t seed,
                            const graco_dataset *data, const graco_eval_options *options);

void scores_clear(struct run_scores *scores);

#endif
