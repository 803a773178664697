/* What the user sees: errors, tables, JSON and progress. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "graco_more.h"

#include "live.h"
#include "base/number.h"
#include "base/writer.h"

/* Prints "graco: MESSAGE" as one line on stderr: control characters become '?'. Of several ranks, another than
 * rank 0 waits for its turn and names itself. */
void output_error(const char *format, ...) EXT_PRINTF(1, 2);

/* The same of a failure of this process's memory or files, which rank 0 may have alone: it names itself too. */
void output_own_error(const char *format, ...) EXT_PRINTF(1, 2);

/* What such a line begins with. */
const char *output_prefix(char text[32]);

/* What all ranks find, rank 0 says, and ends the others, by a signal, while they wait here. A handler of
 * signals may wait too, once the ranks are known. */
void output_wait_turn(void);

/* The same for something that the user should know but that stops nothing. */
void output_note(const char *format, ...) EXT_PRINTF(1, 2);

/* What the user can do about a failure: the next output_failure prints it behind the message. */
void output_hint(const char *format, ...) EXT_PRINTF(1, 2);

/* Prints the message for `status` and returns the exit code: EXIT_USAGE for an argument
 * that makes no sense, else EXIT_FAILED. Of several ranks, rank 0 too names itself where memory or files fail. */
int output_failure(graco_status status);

/* Fails where the command has no memory for `what`: GRACO_ERROR_MEMORY. */
graco_status output_no_memory(const char *what);

/* What output_failure would print, without its prefix, for who goes on after a failure. */
const char *output_failed(void);

/* Keeps what is printed out of the files that the command opens, where it was started with its
 * standard descriptors closed; and lets a reader that went away be a failure to write. */
void output_start(void);

/* Prints what was written on stdout and clears the writer. Returns the exit code: a writer that has
 * failed or a full disk is a failure. */
int output_json(struct writer *json);

/* Prints a text on stdout; output_finish notices a failure. */
void output_text(const struct text *text);

/* Flushes stdout and returns the exit code: EXIT_FAILED, with a message, if anything that was
 * printed could not be written. */
int output_finish(void);

/* Whether the name of a file ends in one of the endings, which are of other formats than the one that the
 * command writes: then it says so, with the ending that is expected. A list ends with NULL. */
bool output_other_format(const char *command, const char *path, const char *const *endings,
                         const char *expected);

/* One row of a two-column table on stdout. */
void output_row(const char *label, const char *format, ...) EXT_PRINTF(2, 3);

/* Says on stderr which data set was written, and where. */
void output_dataset(const char *target, const graco_dataset *data);

/* Writes "3 h 04 min" and returns text. */
const char *output_time(char text[32], double seconds);

/* Seconds of a clock that only runs forward. */
double output_now(void);

/* The progress of a training: one line that is rewritten on a terminal, without what its width has no
 * room for; a line every few seconds in a pipe; nothing if quiet. All on stderr. */
struct output_progress {
    bool quiet;
    bool terminal;
    const char *label; /* "" or "run 2 of 5, " */
    const char *what;  /* is trained, for its estimate: "exact" */
    double begun;      /* when all this began, in seconds */
    double shown;      /* when the last line was printed; 0: never */
    bool open;         /* the terminal's line has not been ended */
    bool estimated;    /* a long training has been announced, or is none */
    double known_from; /* seconds after which its speed was known; 0: it is not */
    bool brief;        /* one training of many: in a pipe a line a minute, and none at its end */
    bool elsewhere;    /* another process trains: its memory is not known */
    struct live *live; /* on a terminal its curves are above the line; NULL: there are none */
};

struct output_progress output_progress_start(bool quiet, const char *label);
void output_progress_epoch(struct output_progress *progress, const graco_epoch *epoch);
/* The same within an epoch, and once, after some seconds, a note on a training that will take long: how
 * long, and what would take less. */
void output_progress_step(struct output_progress *progress, const graco_progress *step);
/* Lets a training show its progress so, and end at a signal (stop.h). Borrows the progress. */
void output_progress_watch(graco_train_options *options, struct output_progress *progress);
/* The same for a search: trials done, the best so far, and the time that is left. */
void output_progress_tune(struct output_progress *progress, const graco_tune_progress *tune);
/* The same for a download: bytes done of `total` (-1: not known) and bytes per second. Nothing in a
 * pipe. */
void output_progress_bytes(struct output_progress *progress, const char *label, int64_t done,
                           int64_t total, double rate);
/* Ends the line on a terminal; harmless when repeated. */
void output_progress_end(struct output_progress *progress);

#endif
