/* Every command but downloads meets every fault: see docs/reliability.md.
 *
 *     command_faults GRACO LIBRARY LIMIT[/SHARE] [SCENARIO [KIND]]
 *
 * LIBRARY is inject.c's. Each scenario is a command on a small tree of files. First the command
 * runs undisturbed, which gives the reference, every version of every file that it writes, and the
 * number of calls of each kind. Then, for every kind of call, every way to fail and every n, the
 * tree is made anew and the nth call fails. What must hold afterwards:
 *
 *     the command has exited by itself, with nothing leaked;
 *     with 1 and exactly one line "graco: ..." on stderr; or with 0 and the reference's files, where
 *     the fault could be borne, and always where it must be (a short write, EINTR);
 *     each file is whole: as it was before, or as the undisturbed command writes it at some time;
 *     there is no file that the undisturbed command does not leave;
 *     the scenario's second command, without a fault, leads to the reference's files: run once for
 *     each state in which the files were left.
 *
 * LIMIT bounds the faults for each way to fail in each scenario, spread evenly; 0 tries all. With SHARE a scenario
 * meets one in so many of the ways to fail, the next scenario others. */
#include "files.h"
#include "scenarios.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { WORDS = 64, VERSIONS = 64, STATES = 256, OUTPUT = 8192 };

/* Seconds after which a command is ended: of the processor, which a busy machine does not use up for it, and by the
 * clock, for one that waits for ever. */
enum { MOST_WORK = 60, MOST_WAIT = 600 };

/* A way to fail. */
struct mode {
    const char *kind, *what;
    bool on;   /* and all later calls too */
    bool fine; /* must be borne */
};

static const struct mode modes[] = {
    {"alloc", "12", false, false},   {"alloc", "12", true, false},   {"write", "28", false, false},
    {"write", "28", true, false},    {"write", "5", false, false},   {"write", "4", false, true},
    {"write", "short", false, true}, {"write", "short", true, true}, {"sync", "5", false, false},
    {"sync", "28", true, false},     {"sync", "4", false, true},     {"rename", "28", false, false},
    {"rename", "5", true, false},    {"close", "5", false, false},   {"close", "28", true, false},
    {"close", "4", false, true},     {"open", "24", false, false},   {"open", "30", true, false},
    {"open", "4", false, true},      {"mkdir", "28", false, false},  {"mkdir", "5", true, false},
    {"mmap", "12", false, false},    {"mmap", "12", true, false},    {"read", "5", false, false},
    {"read", "4", false, true},      {"read", "short", true, true},  {"truncate", "5", true, false},
    {"chmod", "1", true, true},      {"random", "38", false, false}, {"lock", "37", false, false},
    {"lock", "4", false, true},      {"thread", "11", false, false}, {"thread", "11", true, false},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, WAYS = sizeof modes / sizeof *modes };

struct outcome {
    int code;   /* -1: ended by a signal, or without a report */
    int signal; /* that ended it, or 0 */
    long calls, hits, leaks, zip_leaks;
    char out[OUTPUT], err[OUTPUT], counts[1024]; /* KIND=N for each kind of call, if asked for */
};

struct bench {
    const char *graco, *library;
    const struct scenario *scenario;
    char base[FILES_PATH]; /* holds before/, after/, versions/, trial/ and the outputs */
    char out[OUTPUT];      /* the reference's */
    char counts[1024];     /* the reference's calls of each kind */
    long tried, stopped, borne, failed;
    int states;
    uint64_t state[STATES]; /* of trees from which the second command was seen to work */
    long zip_leaks;         /* blocks that libzip itself lost when memory was refused */
};

/* ---- Running a command ----------------------------------------------------------------------- */

static int split(char *words[WORDS], char *text)
{
    int count = 1;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static void child(const struct bench *b, const char *folder, char *line, const char *fault,
                  const char *kept, int report)
{
    char *words[WORDS], path[FILES_PATH], text[16];
    int out, err;
    split(words, line);
    words[0] = strdup(b->graco);
    files_join(path, folder, "../out");
    out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    files_join(path, folder, "../err");
    err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || err < 0 || chdir(folder) != 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(99);
    close(out);
    close(err);
    snprintf(text, sizeof text, "%d", report);
    setenv("GRACO_FAULT_FD", text, 1);
    if (fault) {
        setenv("LD_PRELOAD", b->library, 1);
        setenv("GRACO_FAULT", fault, 1);
    }
    if (kept)
        setenv("GRACO_FAULT_KEEP", kept, 1);
    setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_WORK, MOST_WORK});
    alarm(MOST_WAIT);
    execv(words[0], words);
    _exit(98);
}

static void read_text(char out[OUTPUT], const char *folder, const char *name)
{
    char path[FILES_PATH];
    files_join(path, folder, name);
    struct bytes bytes = files_read(path);
    files_steady(&bytes);
    snprintf(out, OUTPUT, "%s", bytes.data ? bytes.data : "");
    free(bytes.data);
}

/* Runs graco in `folder`; with `fault`, under the library. */
static struct outcome run(const struct bench *b, const char *folder, const char *command,
                          const char *fault, const char *kept)
{
    struct outcome outcome = {.code = -1};
    char line[1024], text[1024] = "";
    int ends[2], state = 0;
    snprintf(line, sizeof line, "%s", command);
    if (pipe(ends) != 0)
        files_stop("make", "a pipe");
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        child(b, folder, line, fault, kept, ends[1]);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (process < 0 || waitpid(process, &state, 0) < 0)
        files_stop("run", line);
    if (WIFEXITED(state))
        outcome.code = WEXITSTATUS(state);
    if (WIFSIGNALED(state))
        outcome.signal = WTERMSIG(state);
    if (fault && (got <= 0 || sscanf(text, "%ld %ld %ld %ld", &outcome.calls, &outcome.hits,
                                     &outcome.leaks, &outcome.zip_leaks) != 4))
        outcome.code = -1;
    snprintf(outcome.counts, sizeof outcome.counts, "%s", text);
    read_text(outcome.out, folder, "../out");
    read_text(outcome.err, folder, "../err");
    return outcome;
}

/* ---- What must hold -------------------------------------------------------------------------- */

struct check {
    struct bench *bench;
    const char *tree; /* of the files to look at */
    const char *about;
    bool final; /* only the reference's files will do */
    long wrong;
    uint64_t state; /* a hash of the tree */
};

static void complain(struct check *c, const char *what, const char *path)
{
    fprintf(stderr, "%s, %s: %s %s\n", c->bench->scenario->name, c->about, what, path);
    c->wrong++;
}

/* Whether the file is one of the versions that the undisturbed command wrote under this name. */
static bool is_version(const struct check *c, const char *file, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[FILES_PATH], version[FILES_PATH], full[FILES_PATH];
    bool found = false;
    files_join(folder, c->bench->base, "versions");
    for (int i = 0; i < VERSIONS && !found; i++) {
        snprintf(version, sizeof version, "%d-%s", i, name);
        files_join(full, folder, version);
        found = access(full, R_OK) == 0 && files_same(file, full);
    }
    return found;
}

/* metrics.jsonl grows line by line: the beginning of the reference, in whole lines. */
static bool is_beginning(const char *file, const char *whole)
{
    struct bytes x = files_read(file), y = files_read(whole);
    files_steady(&x);
    files_steady(&y);
    bool good = x.data && y.data && x.length <= y.length && memcmp(x.data, y.data, x.length) == 0 &&
                (x.length == 0 || x.data[x.length - 1] == '\n');
    free(x.data);
    free(y.data);
    return good;
}

static void check_file(void *user, const char *path)
{
    struct check *c = user;
    char found[FILES_PATH], before[FILES_PATH], after[FILES_PATH], folder[FILES_PATH];
    files_join(found, c->tree, path);
    files_join(folder, c->bench->base, "before");
    files_join(before, folder, path);
    files_join(folder, c->bench->base, "after");
    files_join(after, folder, path);
    if (files_same(found, after))
        return;
    if (c->final) {
        complain(c, access(after, F_OK) == 0 ? "does not end with the reference's" : "left behind:",
                 path);
        return;
    }
    const char *slash = strrchr(path, '/');
    if (slash && strcmp(slash, "/lock") == 0)
        return; /* the lock is the kernel's, not the file */
    if (files_same(found, before) || (access(after, F_OK) == 0 && is_version(c, found, path)))
        return;
    if (strstr(path, "metrics.jsonl") && is_beginning(found, after))
        return;
    complain(c, access(after, F_OK) == 0 ? "damaged:" : "left behind:", path);
}

static void check_there(void *user, const char *path)
{
    struct check *c = user;
    char found[FILES_PATH];
    files_join(found, c->tree, path);
    if (access(found, F_OK) != 0)
        complain(c, "missing:", path);
}

/* Embeddings that the reference has with names have them in the tree too, or are empty or absent. */
static void check_names(void *user, const char *path)
{
    static const char ending[] = ".node_ids.txt";
    struct check *c = user;
    char names[FILES_PATH], rows[FILES_PATH];
    struct stat about;
    size_t length = strlen(path), tail = sizeof ending - 1;
    if (length < tail || strcmp(path + length - tail, ending) != 0)
        return;
    files_join(names, c->tree, path);
    snprintf(rows, sizeof rows, "%.*s.npy", (int)(strlen(names) - tail), names);
    if (stat(rows, &about) == 0 && about.st_size > 0 && access(names, F_OK) != 0)
        complain(c, "embeddings without", path);
}

/* Looks at the tree; `final`: it must be the reference's. */
static void check_tree(struct check *c, bool final)
{
    char after[FILES_PATH];
    c->final = final;
    files_each(c->tree, "", check_file, c);
    files_join(after, c->bench->base, "after");
    files_each(after, "", check_names, c);
    if (final)
        files_each(after, "", check_there, c);
}

/* Adds a hash of the file's path and content. */
static void add_state(void *user, const char *path)
{
    struct check *c = user;
    char full[FILES_PATH];
    uint64_t hash = 0xcbf29ce484222325u;
    files_join(full, c->tree, path);
    struct bytes bytes = files_read(full);
    files_steady(&bytes);
    for (const char *at = path; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    for (size_t i = 0; i < bytes.length; i++)
        hash = (hash ^ (unsigned char)bytes.data[i]) * 0x100000001b3u;
    free(bytes.data);
    c->state += hash;
}

/* Whether the second command is known to work from the tree's state, which goes to c->state. */
static bool is_known(struct check *c)
{
    c->state = 0;
    files_each(c->tree, "", add_state, c);
    for (int i = 0; i < c->bench->states; i++)
        if (c->bench->state[i] == c->state)
            return true;
    return false;
}

static bool one_message(const char *text)
{
    const char *line;
    while (strncmp(text, "graco: ", 7) != 0 && strstr(text, ".csv: ") && strchr(text, '\n'))
        text = strchr(text, '\n') + 1; /* how a table was understood, which is no failure */
    line = strchr(text, '\n');
    return strncmp(text, "graco: ", 7) == 0 && strlen(text) > 20 && line && line[1] == 0;
}

static void try_fault(struct bench *b, const struct mode *mode, long n)
{
    char fault[96], ending[96], before[FILES_PATH], trial[FILES_PATH];
    const char *again = b->scenario->again ? b->scenario->again : b->scenario->command;
    snprintf(fault, sizeof fault, "%s:%ld:%s%s", mode->kind, n, mode->what, mode->on ? ":on" : "");
    files_join(before, b->base, "before");
    files_join(trial, b->base, "trial");
    files_remove(trial);
    files_copy(before, trial);
    struct check c = {.bench = b, .tree = trial, .about = fault};
    struct outcome o = run(b, trial, b->scenario->command, fault, NULL);
    if (o.hits == 0 && o.code == 0)
        return; /* threads make the number of calls vary a little */
    b->tried++;
    snprintf(ending, sizeof ending, "did not exit with 0 or 1, but with %d, by signal %d:", o.code,
             o.signal);
    if (o.code != 0 && o.code != 1)
        complain(&c, ending, o.err);
    if (o.leaks != 0 || (o.zip_leaks != 0 && strcmp(mode->kind, "alloc") != 0))
        complain(&c, "leaked memory:", o.err);
    b->zip_leaks += o.zip_leaks;
    if (o.code == 1 && !one_message(o.err))
        complain(&c, "no single message but:", o.err);
    if (o.code == 1 && mode->fine)
        complain(&c, "could have been borne:", o.err);
    if (o.code == 0 && strcmp(o.out, b->out) != 0)
        complain(&c, "fine, but printed:", o.out);
    b->stopped += o.code == 1;
    b->borne += o.code == 0;
    check_tree(&c, o.code == 0);
    if (o.code != 0 && !is_known(&c)) {
        o = run(b, trial, again, NULL, NULL);
        if (o.code != 0)
            complain(&c, "cannot be done again:", o.err);
        else if (strcmp(o.out, b->out) != 0 && !b->scenario->again)
            complain(&c, "done again, printed:", o.out);
        check_tree(&c, true);
        if (c.wrong == 0 && b->states < STATES)
            b->state[b->states++] = c.state;
    }
    b->failed += c.wrong > 0;
}

/* ---- Scenarios ------------------------------------------------------------------------------- */

static void write_tables(const char *folder)
{
    static const char *const files[][2] = {
        {"edges.csv", "ann,bob\nbob,cid\ncid,dan\nann,dan\n"},
        {"features.csv", "id,a,b\nbob,1,2\nann,3,4\ncid,5,6\ndan,7,8\n"},
        {"labels.csv", "cid,red\nann,blue\nbob,red\ndan,blue\n"},
    };
    char path[FILES_PATH];
    for (int i = 0; i < 3; i++) {
        files_join(path, folder, files[i][0]);
        FILE *file = fopen(path, "w");
        if (!file || fputs(files[i][1], file) < 0 || fclose(file) != 0)
            files_stop("write", path);
    }
}

/* Makes before/, after/ and versions/. */
static void prepare(struct bench *b)
{
    char before[FILES_PATH], after[FILES_PATH], versions[FILES_PATH];
    files_join(before, b->base, "before");
    files_join(after, b->base, "after");
    files_join(versions, b->base, "versions");
    if (mkdir(b->base, 0777) != 0 || mkdir(before, 0777) != 0 || mkdir(versions, 0777) != 0)
        files_stop("make", b->base);
    for (int i = 0; b->scenario->prepare[i]; i++) {
        if (strcmp(b->scenario->prepare[i], "@edges") == 0)
            write_tables(before);
        else if (run(b, before, b->scenario->prepare[i], NULL, NULL).code != 0)
            files_stop("prepare", b->scenario->prepare[i]);
    }
    files_copy(before, after);
    struct outcome o = run(b, after, b->scenario->command, "each:0:0", versions);
    snprintf(b->out, sizeof b->out, "%s", o.out);
    snprintf(b->counts, sizeof b->counts, "%s", o.counts);
    if (o.code != 0 || o.leaks + o.zip_leaks != 0) {
        fprintf(stderr, "%s: undisturbed: code %d, %ld leaks: %s", b->scenario->name, o.code,
                o.leaks, o.err);
        exit(1);
    }
}

/* How many calls of the kind the undisturbed command makes. */
static long count_calls(const struct bench *b, const char *kind)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, " %s=", kind);
    const char *found = strstr(b->counts, wanted);
    return found ? atol(found + strlen(wanted)) : 0;
}

/* Whether `wanted`, which may be NULL for every kind, has this one. */
static bool is_kind(const char *wanted, const char *kind)
{
    return !wanted || strcmp(wanted, kind) == 0;
}

static long run_scenario(struct bench *b, long limit, long share, const char *kind)
{
    long calls[WAYS], wrong = 0;
    int ways = 0, way = 0;
    /* A BLAS asks for tens of megabytes that it does not touch; to fill them takes most of the time of a sample. */
    if (share > 1 && (strncmp(b->scenario->command, "eval", 4) == 0 ||
                      strncmp(b->scenario->command, "rep", 3) == 0))
        unsetenv("MALLOC_PERTURB_");
    prepare(b);
    for (int m = 0; m < WAYS; m++) {
        bool wanted = is_kind(kind, modes[m].kind) && is_kind(b->scenario->only, modes[m].kind);
        calls[m] = wanted ? count_calls(b, modes[m].kind) : 0;
        ways += calls[m] > 0;
    }
    share = share < ways ? share : ways; /* so that each scenario meets one */
    for (int m = 0; m < WAYS; m++) {
        long count = limit > 0 && limit < calls[m] ? limit : calls[m];
        b->tried = b->stopped = b->borne = b->failed = 0;
        if (count == 0 || (way++ + (b->scenario - scenarios)) % share != 0)
            continue;
        for (long i = 0; i < count; i++) /* evenly spread, from the middle of each piece */
            try_fault(b, &modes[m], 1 + (2 * i + 1) * calls[m] / (2 * count));
        if (b->tried > 0)
            printf("%-15s %-8s %-5s %-2s %6ld faults %6ld stopped %6ld borne %4ld failed\n",
                   b->scenario->name, modes[m].kind, modes[m].what, modes[m].on ? "on" : "",
                   b->tried, b->stopped, b->borne, b->failed);
        wrong += b->failed;
        fflush(stdout);
    }
    if (b->zip_leaks > 0)
        printf("%-15s libzip lost %ld blocks\n", b->scenario->name, b->zip_leaks);
    return wrong;
}

/* 1 if the scenario that ended first has failed. */
static long await_scenario(void)
{
    int state = 0;
    if (wait(&state) < 0)
        files_stop("wait for", "a scenario");
    return !WIFEXITED(state) || WEXITSTATUS(state) != 0;
}

int main(int argc, char **argv)
{
    const char *base = getenv("TMPDIR");
    char root[FILES_PATH];
    long wrong = 0, matched = 0, limit = 0, share = 1;
    if (!base) /* in memory, if there is such a place: nobody waits for a disk */
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    files_join(root, base, "graco-faults-XXXXXX");
    if (argc < 4 || sscanf(argv[3], "%ld/%ld", &limit, &share) < 1 || share < 1 || !mkdtemp(root)) {
        fprintf(stderr, "usage: command_faults GRACO LIBRARY LIMIT[/SHARE] [SCENARIO [KIND]]\n");
        return 2;
    }
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("MALLOC_PERTURB_", "165", 1); /* what is not set, or freed, is not zero */
    /* As many scenarios at once as there are processors. */
    long room = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < SCENARIOS; i++) {
        struct bench b = {.graco = argv[1], .library = argv[2], .scenario = &scenarios[i]};
        if (argc > 4 && strcmp(argv[4], scenarios[i].name) != 0)
            continue;
        files_join(b.base, root, scenarios[i].name);
        if (matched++ >= room)
            wrong += await_scenario();
        pid_t process = fork();
        if (process < 0)
            files_stop("fork for", b.base);
        if (process == 0)
            exit(run_scenario(&b, limit, share, argc > 5 ? argv[5] : NULL) != 0);
    }
    for (long i = 0; i < matched && i < room; i++)
        wrong += await_scenario();
    files_remove(root);
    printf("%ld scenarios, %ld failed\n", matched, wrong);
    return wrong > 0 || matched == 0;
}
