#include "base/status.h"

#include "check.h"

#include <pthread.h>

static graco_status leaves_early(int *reached, graco_status code)
{
    graco_status status = GRACO_OK;
    *reached = 0;
    TRY(code);
    *reached = 1;
    if (code == GRACO_OK)
        FAIL(GRACO_ERROR_ARGUMENT, "found %d, expected %s", 7, "eight");
    *reached = 2;
done:
    return status;
}

static graco_status returns_early(int *reached, graco_status code)
{
    *reached = 0;
    PASS(code);
    *reached = 1;
    return GRACO_ERROR_FORMAT;
}

static void messages(void)
{
    CHECK(strcmp(graco_message(), "") == 0);
    CHECK(status_fail(GRACO_ERROR_IO, "%s has %d bytes", "a.npy", 3) == GRACO_ERROR_IO);
    CHECK(strcmp(graco_message(), "a.npy has 3 bytes") == 0);
    CHECK(status_context(GRACO_ERROR_FORMAT, "member %d", 2) == GRACO_ERROR_FORMAT);
    CHECK(strcmp(graco_message(), "member 2: a.npy has 3 bytes") == 0);
    /* The old message may be an argument of the new one. */
    status_fail(GRACO_ERROR_IO, "%s; try again", graco_message());
    CHECK(strcmp(graco_message(), "member 2: a.npy has 3 bytes; try again") == 0);
    status_context(GRACO_ERROR_IO, "%s", graco_message());
    CHECK(strcmp(graco_message(), "member 2: a.npy has 3 bytes; try again: member 2: a.npy has 3 "
                                  "bytes; try again") == 0);
    CHECK(strcmp(graco_version(), GRACO_VERSION) == 0);
}

/* A message is cut, never overrun, and always ends. */
static void long_messages(void)
{
    char text[4000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    status_fail(GRACO_ERROR_IO, "%s", text);
    size_t full = strlen(graco_message());
    CHECK(full >= 512 && full < sizeof text);
    status_context(GRACO_ERROR_IO, "name");
    CHECK(strlen(graco_message()) <= full && strncmp(graco_message(), "name: xxx", 9) == 0);
    status_context(GRACO_ERROR_IO, "%s", text);
    CHECK(strlen(graco_message()) == full);
    for (size_t length = full - 6; length <= full + 1; length++) {
        status_fail(GRACO_ERROR_IO, "end");
        status_context(GRACO_ERROR_IO, "%.*s", (int)length, text);
        CHECK(strlen(graco_message()) <= full && strncmp(graco_message(), "xxx", 3) == 0);
    }
}

static void control_flow(void)
{
    int reached = -1;
    CHECK(leaves_early(&reached, GRACO_ERROR_MEMORY) == GRACO_ERROR_MEMORY && reached == 0);
    CHECK(returns_early(&reached, GRACO_ERROR_MEMORY) == GRACO_ERROR_MEMORY && reached == 0);
    CHECK(returns_early(&reached, GRACO_OK) == GRACO_ERROR_FORMAT && reached == 1);
    CHECK_FAILS(leaves_early(&reached, GRACO_OK), GRACO_ERROR_ARGUMENT, "found 7, expected eight");
    CHECK(reached == 1);
}

/* Returns its argument if a message was another's, else NULL. */
static void *fail_often(void *name)
{
    void *wrong = NULL;
    for (int i = 0; i < 1000; i++) {
        status_fail(GRACO_ERROR_IO, "%s", (const char *)name);
        if (strcmp(graco_message(), name) != 0)
            wrong = name;
    }
    return wrong;
}

/* Every thread has its own message. */
static void threads(void)
{
    char names[4][8] = {"one", "two", "three", "four"};
    pthread_t thread[4];
    status_fail(GRACO_ERROR_IO, "outer");
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, fail_often, names[i]) == 0);
    for (int i = 0; i < 4; i++) {
        void *wrong = names;
        CHECK(pthread_join(thread[i], &wrong) == 0 && !wrong);
    }
    CHECK(strcmp(graco_message(), "outer") == 0);
}

int main(void)
{
    messages();
    long_messages();
    control_flow();
    threads();
    return check_result();
}
