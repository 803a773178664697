/* When a step is recorded and when it is not, and what it may draw ahead, on a back end that only pretends: it runs a step
 * while it writes it down, so that the first replay has nothing left to do. */
#include "fixture.h"
#include "steps.h"

enum { STEPS = 8, NODES = 120 };

static int records, replays, forgotten, dropped;
static bool poor;
static int token;

static graco_status fake_record(struct context *c)
{
    (void)c;
    records++;
    return poor ? status_fail(GRACO_ERROR_MEMORY, "no memory for a recording") : GRACO_OK;
}

static graco_status fake_recorded(struct context *c, struct recording **out)
{
    (void)c;
    if (out)
        *out = (struct recording *)&token;
    else
        dropped++;
    return GRACO_OK;
}

static graco_status fake_replay(struct context *c, struct recording *recording, uint32_t later)
{
    (void)c;
    CHECK(recording == (struct recording *)&token);
    CHECK(later == 0);
    replays++;
    return GRACO_OK;
}

static void fake_forget(struct recording *recording)
{
    CHECK(recording == (struct recording *)&token);
    forgotten++;
}

/* The cache is trimmed after every step. */
static void trim(struct trainer *trainer, struct stage *stage)
{
    (void)stage;
    trainer->context->trims++;
}

static int ahead;

/* And every step is written down anew. */
static void trim_again(struct trainer *trainer, struct stage *stage)
{
    trainer->context->trims++;
    stage->recordings = 0;
    ahead += stage->ahead;
}

/* One graph or several, with weights or without. */
static graco_dataset *make_data(int graphs, bool weighted, bool dense)
{
    graco_generate_options generate = graco_generate_defaults();
    graco_dataset *one = NULL, *data = NULL;
    generate.nodes = NODES;
    generate.feature_count = 40;
    generate.dense = dense;
    CHECK_OK(graco_dataset_generate(&one, &generate));
    graco_arrays arrays = graco_dataset_arrays(one);
    const int32_t *from = arrays.source.data;
    const int64_t *start = arrays.edge_indptr.data;
    int64_t count = 0, room = arrays.source.rows;
    int32_t graph[NODES], *source = calloc((size_t)room, sizeof *source),
                          *target = calloc((size_t)room, sizeof *target);
    float *weight = calloc((size_t)room, sizeof *weight);
    for (int32_t i = 0; i < NODES; i++)
        graph[i] = i * graphs / NODES;
    for (int32_t i = 0; i < NODES; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            if (graph[i] != graph[from[k]])
                continue;
            source[count] = from[k];
            target[count] = i;
            weight[count] = 0.5f + (float)(count % 7);
            count++;
        }
    arrays.edge_indptr = (graco_array){0};
    arrays.source = GRACO_VECTOR(source, count);
    arrays.target = GRACO_VECTOR(target, count);
    if (weighted)
        arrays.edge_weight = GRACO_VECTOR(weight, count);
    if (graphs > 1)
        arrays.graph_id = GRACO_VECTOR(graph, (int64_t)NODES);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    graco_dataset_free(one);
    free(source);
    free(target);
    free(weight);
    return data;
}

/* Steps that draw the next one's views, or do not, have the same bits. They do where there is one graph. */
static void check_ahead(const struct backend *fake, const char *encoder, const char *activation,
                        const char *objective)
{
    for (int kind = 0; kind < 8; kind++) {
        int graphs = kind & 1 ? 3 : 1;
        graco_dataset *data = make_data(graphs, kind & 2, kind & 4);
        graco_config config;
        int64_t count = 0;
        preset_config(&config, NULL);
        CHECK_OK(graco_config_set(&config, "encoder", encoder));
        CHECK_OK(graco_config_set(&config, "activation", activation));
        CHECK_OK(graco_config_set(&config, "objective", objective));
        config.hidden = 10;
        config.threads = 1;
        ahead = 0;
        float *plain = steps_train(&count, &backend_cpu, data, &config, STEPS, trim);
        float *found = steps_train(&count, fake, data, &config, STEPS, trim_again);
        CHECK(memcmp(plain, found, (size_t)count * sizeof(float)) == 0);
        CHECK(ahead == (graphs == 1 ? STEPS - 1 : 0));
        free(plain);
        free(found);
        graco_dataset_free(data);
    }
}

int main(void)
{
    static const struct recorder recorder = {fake_record, fake_recorded, fake_replay, fake_forget};
    struct backend fake = backend_cpu;
    graco_dataset *data = make_data(1, false, false);
    graco_config config;
    int64_t count = 0;
    fake.recorder = &recorder;
    preset_config(&config, NULL);
    config.hidden = 16;
    config.threads = 1;
    float *plain = steps_train(&count, &backend_cpu, data, &config, STEPS, trim);
    CHECK(records == 0);

    /* Recorded, and out of date after every step: tried three times, then left. */
    float *recorded = steps_train(&count, &fake, data, &config, STEPS, trim);
    CHECK(records == 3 && replays == 3 && forgotten == 3 && dropped == 0);
    CHECK(memcmp(plain, recorded, (size_t)count * sizeof(float)) == 0);

    /* No memory to write a step down: the steps run all the same. */
    records = replays = forgotten = 0;
    poor = true;
    float *without = steps_train(&count, &fake, data, &config, STEPS, trim);
    CHECK(records == 3 && replays == 0 && forgotten == 0);
    CHECK(memcmp(plain, without, (size_t)count * sizeof(float)) == 0);
    poor = false;
    free(plain);
    free(recorded);
    free(without);
    graco_dataset_free(data);

    check_ahead(&fake, "gcn", "prelu", "exact");
    check_ahead(&fake, "gcn", "rrelu", "moment");
    check_ahead(&fake, "sage", "relu", "infonce");
    check_ahead(&fake, "sage", "elu", "moment");
    check_ahead(&fake, "sage_skip", "rrelu", "exact");
    return check_result();
}
