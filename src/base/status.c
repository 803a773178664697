/* Each thread has one message, which stays until that thread's next failure. A new one may point into the
 * old one. */
#include "base/status.h"

#include "graco_command.h"

#include <string.h>

static _Thread_local char message[STATUS_MESSAGE];

const char *graco_message(void)
{
    return message;
}

const char *graco_version(void)
{
    return GRACO_VERSION;
}

graco_status graco_fail(graco_status status, const char *words)
{
    size_t length = strlen(words);
    length = length < STATUS_MESSAGE ? length : STATUS_MESSAGE - 1;
    memmove(message, words, length);
    message[length] = '\0';
    return status;
}
