/* Runs the graco command in a process of its own, under limits, and says what came of it. */
#ifndef TESTS_CLI_SPAWN_H
#define TESTS_CLI_SPAWN_H

/* wait4, which tells the memory of one child, is not in POSIX: include this header first. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include "base/threads.h"
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SPAWN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPAWN_SANITIZED 1
#endif
#endif

/* What a refusal may take: seconds of the processor, which a busy machine does not use up for it, seconds by the clock,
 * for one that waits for ever, and bytes of memory, of which sanitizers need more. */
enum { SPAWN_SECONDS = 30, SPAWN_WAIT = 600, SPAWN_NOBODY = 1 };
#if defined(SPAWN_SANITIZED)
#define SPAWN_PEAK ((int64_t)2 << 30)
#else
#define SPAWN_PEAK ((int64_t)256 << 20)
/* Of addresses, most of them never touched: BLAS takes some for each core. */
#define SPAWN_SPACE (((rlim_t)8 << 30) + (rlim_t)threads_count(0) * ((rlim_t)256 << 20))
#endif

struct spawn_result {
    int code; /* exit code; 128 + signal if one ended it */
    int lines;
    bool slow;
    int64_t peak;   /* bytes */
    int64_t output; /* bytes on stdout */
    char errors[4096];
};

/* The command beside this test's folder. */
static inline void spawn_program(char path[1024])
{
    ssize_t length = readlink("/proc/self/exe", path, 1000);
    CHECK(length > 0);
    path[length > 0 ? length : 0] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    strcat(path, "/graco");
}

/* Splits a command at blanks; every @ becomes `root`. */
static inline void spawn_words(char *words[32], char text[4096], const char *root,
                               const char *command)
{
    size_t used = 0;
    int count = 0;
    bool inside = false;
    for (; *command && used < 3000 && count < 30; command++) {
        if (*command == ' ') {
            text[used++] = 0;
            inside = false;
            continue;
        }
        if (!inside)
            words[count++] = text + used;
        inside = true;
        if (*command == '@')
            used += (size_t)snprintf(text + used, 4096 - used, "%s", root);
        else
            text[used++] = *command;
    }
    text[used] = 0;
    words[count] = NULL;
}

/* In the child: limits, files for what is printed, another user if asked, and the command. */
static inline void spawn_child(const char *root, const char *command, int flags, int out, int err)
{
    char program[1024], text[4096], *words[34] = {program};
    spawn_program(program);
    spawn_words(words + 1, text, root, command);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(SPAWN_SPACE)
    rlim_t space = SPAWN_SPACE;
    setrlimit(RLIMIT_AS, &(struct rlimit){space, space});
#endif
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){SPAWN_SECONDS, SPAWN_SECONDS});
    if (flags & SPAWN_NOBODY)
        setenv("GCOV_PREFIX", root, 1); /* counts of a coverage build go where it may write */
    if ((flags & SPAWN_NOBODY) && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(127);
    execv(program, words);
    _exit(127);
}

static inline double spawn_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void spawn_wait(struct spawn_result *out, pid_t child)
{
    double end = spawn_clock() + SPAWN_WAIT;
    struct rusage usage = {0};
    int status = 0;
    while (wait4(child, &status, WNOHANG, &usage) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (spawn_clock() > end && !out->slow) {
            out->slow = true;
            kill(child, SIGKILL);
        }
    }
    out->slow = out->slow || usage.ru_utime.tv_sec + usage.ru_stime.tv_sec >= SPAWN_SECONDS - 1;
    out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    out->peak = (int64_t)usage.ru_maxrss << 10;
}

/* Runs `command`, cuts the file `cut` after so many milliseconds if there is one, and waits. */
static inline void spawn_and_cut(struct spawn_result *out, const char *root, const char *command,
                                 int flags, const char *cut, int milliseconds)
{
    FILE *output = tmpfile(), *errors = tmpfile();
    struct stat about;
    *out = (struct spawn_result){0};
    CHECK(output && errors);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        spawn_child(root, command, flags, fileno(output), fileno(errors));
    CHECK(child > 0);
    if (cut) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * milliseconds}, NULL);
        CHECK(truncate(cut, 0) == 0);
    }
    spawn_wait(out, child);
    out->output = fstat(fileno(output), &about) == 0 ? about.st_size : 0;
    rewind(errors);
    size_t got = fread(out->errors, 1, sizeof out->errors - 1, errors);
    for (size_t i = 0; i < got; i++)
        out->lines += out->errors[i] == '\n';
    fclose(output);
    fclose(errors);
}

static inline void spawn(struct spawn_result *out, const char *root, const char *command, int flags)
{
    spawn_and_cut(out, root, command, flags, NULL, 0);
}

static inline void spawn_then_cut(struct spawn_result *out, const char *root, const char *command,
                                  const char *cut, int milliseconds)
{
    spawn_and_cut(out, root, command, 0, cut, milliseconds);
}

#endif
