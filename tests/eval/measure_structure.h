/* The structure of embeddings by what is made for this one measurement. */
#ifndef EVAL_MEASURE_STRUCTURE_H
#define EVAL_MEASURE_STRUCTURE_H

#include "base/threads.h"
#include "eval/smooth.h"
#include "eval/structure.h"

static inline graco_status measure_structure(graco_structure *out, const graco_matrix *Z,
                                             const graco_dataset *data, int64_t threads)
{
    graco_status status = GRACO_OK;
    graco_matrix S = {0};
    struct groups groups = {0};
    int count = threads_count(threads);
    TRY(smooth_features(&S, data, count));
    TRY(groups_make(&groups, &S, data, count));
    TRY(structure_measure(out, Z, data, (struct structure_basis){&S, &groups}, count));
done:
    groups_clear(&groups);
    graco_matrix_clear(&S);
    return status;
}

#endif
