/* Status and messages: every failure in the library is reported through here. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "graco.h"

#include "base/extensions.h"

enum { STATUS_MESSAGE = 1024 }; /* bytes of a message, at most */

/* Stores the formatted message for this thread and returns `code`. Say what was found, where, and
 * what was expected. */
graco_status status_fail(graco_status code, const char *format, ...) EXT_PRINTF(2, 3);

/* Prepends "context: " to the message of the failure under way and returns `code`. */
graco_status status_context(graco_status code, const char *format, ...) EXT_PRINTF(2, 3);

/* Runs `call`; on failure leaves through the label `done` of the enclosing function, which must
 * have a variable `status`. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != GRACO_OK)                                                                    \
            goto done;                                                                             \
    } while (0)

/* Runs `expr` in a function that owns nothing: on failure returns at once. */
#define PASS(expr)                                                                                 \
    do {                                                                                           \
        graco_status status_ = (expr);                                                             \
        if (status_ != GRACO_OK)                                                                   \
            return status_;                                                                        \
    } while (0)

/* Fails with a message and leaves through `done`. */
#define FAIL(...)                                                                                  \
    do {                                                                                           \
        status = status_fail(__VA_ARGS__);                                                         \
        goto done;                                                                                 \
    } while (0)

#endif
