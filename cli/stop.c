#include "stop.h"

#include <stddef.h>

volatile sig_atomic_t stop_wanted; /* the only thing that the handler may touch */

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

void stop_on_signals(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
