/* The three objectives of GRACE behind one call. Their mathematics is in the kernels; what is drawn on
 * the host, the sample of moment's correction, is drawn here. */
#include "methods/objective.h"

#include "base/memory.h"
#include "graph/shard.h"

#include <math.h>
#include <string.h>

enum {
    FIT_PAIRS = 49152,
    MOMENT_NODES = 1 << 30, /* both views of which have rows that 32 bits count */
};

graco_status objective_init(struct objective *o, const struct graco_config *config, int64_t n,
                            int64_t d, const struct shard *shard)
{
    graco_status status = GRACO_OK;
    int64_t all = shard ? shard->all_nodes : n;
    memset(o, 0, sizeof *o);
    o->kind = (enum objective_kind)config->objective;
    o->contrast =
        (struct contrast){.n = n, .d = d, .tau = config->tau, .within = o->kind == OBJECTIVE_EXACT};
    o->moment = (struct moment){.n = n, .d = d, .tau = config->tau, .pairs = FIT_PAIRS};
    if (shard) {
        o->contrast.bounds = shard->bounds;
        o->moment.among = (struct rank_rows){n, shard->bounds[comm_rank(shard->comm)], all, NULL};
    }
    o->rows = 2 * all;
    if (o->kind == OBJECTIVE_MOMENT) {
        int64_t most = 2 * all - 2;
        if (all > MOMENT_NODES)
            FAIL(
                GRACO_ERROR_ARGUMENT,
                "the objective moment of %lld nodes; expected at most %lld, whose rows it can draw",
                (long long)all, (long long)MOMENT_NODES);
        o->moment.samples = config->correction < most ? config->correction : most;
        TRY(memory_alloc(&o->sample, o->moment.samples, sizeof(int32_t)));
        TRY(memory_alloc(&o->chosen, o->rows, sizeof(uint8_t)));
        o->moment.sample = o->sample;
    }
done:
    return status;
}

void objective_clear(struct objective *o)
{
    memory_free(o->sample);
    memory_free(o->chosen);
    o->sample = NULL;
    o->chosen = NULL;
}

void objective_sample(int32_t *sample, uint8_t *chosen, int64_t count, int64_t rows,
                      const struct random_key *key)
{
    memset(chosen, 0, (size_t)rows);
    for (int64_t k = 0; k < count; k++) {
        int64_t last = rows - count + k, row = random_below(key, (uint64_t)k, last + 1);
        chosen[chosen[row] ? last : row] = 1;
    }
    for (int64_t row = 0, k = 0; k < count; row++)
        if (chosen[row])
            sample[k++] = (int32_t)row;
}

void objective_draw(struct objective *o, uint64_t seed, uint32_t step)
{
    struct random_key key = {.seed = seed, .stream = RANDOM_CORRECTION, .step = step};
    if (o->kind == OBJECTIVE_MOMENT)
        objective_sample(o->sample, o->chosen, o->moment.samples, o->rows, &key);
}

void objective_apply(struct objective *o, struct tape *tape, struct tensor *Z, uint64_t seed,
                     uint32_t step)
{
    if (o->kind != OBJECTIVE_MOMENT) {
        tape_contrast(tape, &o->contrast, Z);
        return;
    }
    objective_draw(o, seed, step);
    o->moment.key = (struct random_key){.seed = seed, .stream = RANDOM_PAIRS, .step = step};
    tape_moment(tape, &o->moment, Z);
}

struct outcome objective_outcome(const struct objective *o)
{
    if (o->kind == OBJECTIVE_MOMENT)
        return (struct outcome){o->moment.loss, (double)NAN, o->moment.floored};
    return (struct outcome){o->contrast.loss, o->contrast.mutual_information, 0};
}
