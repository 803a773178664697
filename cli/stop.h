/* Stopping at a good moment: the first SIGINT or SIGTERM sets a flag that the work looks at, the
 * second ends the program at once. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

/* Not 0: somebody asked. */
extern volatile sig_atomic_t stop_wanted;

/* From now on. `flags` as sigaction's: with SA_RESTART a call of the system under way goes on. The
 * first signal prints `answer` on stderr at once; NULL: nothing. */
void stop_on_signals(int flags, const char *answer);

#endif
