/* Each thread has one message, which stays until that thread's next failure. A new one is written
 * apart and then copied, because its arguments may point into the old one. */
#include "base/status.h"

#include "base/number.h"

#include <stdarg.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char *graco_message(void)
{
    return message;
}

const char *graco_version(void)
{
    return GRACO_VERSION;
}

graco_status status_fail(graco_status code, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof text);
    return code;
}

graco_status status_context(graco_status code, const char *format, ...)
{
    char context[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(context, sizeof context, format, arguments);
    va_end(arguments);
    return status_fail(code, "%s: %s", context, message);
}
