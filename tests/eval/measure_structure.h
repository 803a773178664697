/* The structure of embeddings by what is hidden for this one measurement. */
#ifndef EVAL_MEASURE_STRUCTURE_H
#define EVAL_MEASURE_STRUCTURE_H

#include "base/threads.h"
#include "eval/structure.h"

static inline graco_status measure_structure(graco_structure *out, const graco_matrix *Z,
                                             const graco_dataset *data, int64_t threads)
{
    graco_status status = GRACO_OK;
    struct hidden hidden = {0};
    int count = threads_count(threads);
    TRY(hidden_make(&hidden, data, count));
    TRY(structure_measure(out, Z, &hidden, count));
done:
    hidden_clear(&hidden);
    return status;
}

#endif
