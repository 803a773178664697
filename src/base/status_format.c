/* Messages with numbers in them. Apart from where they are kept, so that the command can have these functions
 * for itself where it uses the shared library, which shows none of its own. */
#include "base/status.h"

#include "base/number.h"
#include "graco_command.h"

#include <stdarg.h>

graco_status status_fail(graco_status code, const char *format, ...)
{
    char text[STATUS_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return graco_fail(code, text);
}

graco_status status_context(graco_status code, const char *format, ...)
{
    char context[STATUS_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(context, sizeof context, format, arguments);
    va_end(arguments);
    return status_fail(code, "%s: %s", context, graco_message());
}
