/* When a step is recorded and when it is not, on a back end that only pretends: it runs a step
 * while it writes it down, so that the first replay has nothing left to do. */
#include "presets.h"
#include "steps.h"

enum { STEPS = 8 };

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
static void trim(struct trainer *trainer)
{
    trainer->context->trims++;
}

int main(void)
{
    static const struct recorder recorder = {fake_record, fake_recorded, fake_replay, fake_forget};
    struct backend fake = backend_cpu;
    graco_generate_options generate = graco_generate_defaults();
    graco_dataset *data = NULL;
    graco_config config;
    int64_t count = 0;
    fake.recorder = &recorder;
    generate.nodes = 120;
    CHECK_OK(graco_dataset_generate(&data, &generate));
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
    free(plain);
    free(recorded);
    free(without);
    graco_dataset_free(data);
    return check_result();
}
