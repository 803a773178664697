#include "stop.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t stop_wanted; /* beside the answer the only thing that the handler may touch */

static const char *stop_answer;

static void on_signal(int number)
{
    int reason = errno;
    (void)number;
    stop_wanted = 1;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (stop_answer && write(STDERR_FILENO, stop_answer, strlen(stop_answer)) < 0)
        stop_answer = NULL; /* nobody reads it */
    errno = reason;
}

void stop_on_signals(int flags, const char *answer)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    stop_answer = answer;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
