/* The objective's draws: rows of both views by numbers of 32 bits, or a refusal before anything is taken. */
#include "methods/objective.h"

#include "check.h"
#include "pinned.h"

static const int64_t NODES_MOST = (int64_t)1 << 30; /* whose views have 2^31 rows */

static graco_config config_of(const char *objective)
{
    const struct method *method = NULL;
    graco_config config;
    CHECK_OK(method_find(&method, "grace"));
    pinned_config(&config, method);
    CHECK_OK(graco_config_set(&config, "objective", objective));
    return config;
}

static void test_rows_have_numbers(void)
{
    graco_config moment = config_of("moment"), exact = config_of("exact");
    struct objective o;
    CHECK_FAILS(objective_init(&o, &moment, NODES_MOST + 1, 1, NULL), GRACO_ERROR_ARGUMENT,
                "objective moment of 1073741825 nodes; expected at most 1073741824");
    objective_clear(&o);
    graco_status most = objective_init(&o, &moment, NODES_MOST, 1, NULL); /* 2 GiB, untouched */
    CHECK(most == GRACO_OK || most == GRACO_ERROR_MEMORY);
    objective_clear(&o);
    CHECK_OK(objective_init(&o, &exact, NODES_MOST + 1, 1, NULL)); /* draws none */
    objective_clear(&o);
    for (int64_t n = 2; n < 5; n++) {
        CHECK_OK(objective_init(&o, &moment, n, 1, NULL));
        objective_draw(&o, 1, 1);
        for (int64_t k = 0; k < o.moment.samples; k++)
            CHECK(o.sample[k] >= (k > 0 ? o.sample[k - 1] + 1 : 0) && o.sample[k] < 2 * n);
        objective_clear(&o);
    }
}

int main(void)
{
    test_rows_have_numbers();
    return check_result();
}
