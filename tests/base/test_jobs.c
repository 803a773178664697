/* Several jobs at a time: all are run, in order of their numbers; what ends them; what is run again alone. */
#include "base/status.h"
#include "check.h"
#include "graco_command.h"

#include <stdatomic.h>

enum { JOBS = 40 };

struct plan {
    graco_status first[JOBS], alone[JOBS]; /* what a job returns beside others, and alone */
    atomic_int begun[JOBS], together, most;
    atomic_int last;
    bool ordered;
};

static graco_status run(void *user, int64_t job, bool alone)
{
    struct plan *plan = user;
    int beside = atomic_fetch_add(&plan->together, 1) + 1;
    if (beside > plan->most)
        plan->most = beside;
    if (alone)
        plan->ordered &= job > atomic_exchange(&plan->last, (int)job);
    plan->begun[job]++;
    graco_status status = alone ? plan->alone[job] : plan->first[job];
    if (status != GRACO_OK)
        status_fail(status, "job %d says so", (int)job);
    plan->together--;
    return status;
}

static int count_begun(const struct plan *plan)
{
    int count = 0;
    for (int i = 0; i < JOBS; i++)
        count += plan->begun[i];
    return count;
}

int main(void)
{
    int64_t failed = -1;
    for (int at_once = 1; at_once <= 4; at_once += 3) {
        struct plan plan = {.last = -1, .ordered = true};
        CHECK_OK(graco_run_jobs(&failed, JOBS, at_once, run, &plan));
        CHECK(count_begun(&plan) == JOBS && plan.most <= at_once && failed == -1);
        CHECK(at_once > 1 || (plan.ordered && plan.last == JOBS - 1));
    }
    CHECK_OK(graco_run_jobs(NULL, 0, 4, run, NULL));

    struct plan refused = {
        .first[3] = GRACO_ERROR_FORMAT, .alone[3] = GRACO_ERROR_FORMAT, .last = -1};
    CHECK_FAILS(graco_run_jobs(&failed, JOBS, 1, run, &refused), GRACO_ERROR_FORMAT,
                "job 3 says so");
    CHECK(failed == 3 && count_begun(&refused) == 4);

    struct plan tight = {.last = -1}; /* two find no memory beside others */
    tight.first[2] = GRACO_ERROR_MEMORY;
    tight.first[30] = GRACO_ERROR_DEVICE;
    CHECK_OK(graco_run_jobs(&failed, JOBS, 4, run, &tight));
    CHECK(count_begun(&tight) == JOBS + 2 && tight.begun[2] == 2 && tight.begun[30] == 2);
    tight.alone[30] = GRACO_ERROR_DEVICE;
    CHECK_FAILS(graco_run_jobs(&failed, JOBS, 4, run, &tight), GRACO_ERROR_DEVICE, "job 30");
    CHECK(failed == 30);

    struct plan stopped = {.last = -1}; /* it was stopped for the one that failed */
    for (int i = 0; i < 4; i++)
        stopped.first[i] = GRACO_STOPPED;
    CHECK_FAILS(graco_run_jobs(&failed, 4, 2, run, &stopped), GRACO_STOPPED, "says so");
    stopped.first[1] = GRACO_ERROR_IO;
    graco_status status = graco_run_jobs(&failed, 4, 4, run, &stopped);
    CHECK(status == GRACO_STOPPED || (status == GRACO_ERROR_IO && failed == 1));
    return check_result();
}
