/* Loops that threads share: every item once, for any number of threads and pieces; several callers at
 * once; loops in loops; no thread where one is enough or the system refuses more; and after fork. */
#include "base/threads.h"

#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { ITEMS = 1000, THREADS = 5, CALLERS = 4 };

struct visits {
    int64_t count, size;
    int threads;
    atomic_int wrong;
    atomic_int seat[THREADS + 1]; /* taken by how many threads */
    atomic_int item[ITEMS];
};

static void visit(void *job, struct threads_piece piece)
{
    struct visits *v = job;
    bool right = piece.first % v->size == 0 && piece.first < piece.last && piece.last <= v->count &&
                 (piece.last - piece.first == v->size || piece.last == v->count) &&
                 piece.seat >= 0 && piece.seat < v->threads;
    if (!right || atomic_fetch_add(&v->seat[piece.seat], 1) != 0) {
        atomic_fetch_add(&v->wrong, 1);
        return;
    }
    for (int64_t i = piece.first; i < piece.last; i++)
        atomic_fetch_add(&v->item[i], 1);
    atomic_fetch_sub(&v->seat[piece.seat], 1);
}

static bool visits_all(int threads, int64_t count, int64_t size)
{
    struct visits v = {.count = count, .size = size, .threads = threads};
    threads_run(threads, count, size, visit, &v);
    bool right = v.wrong == 0;
    for (int64_t i = 0; i < ITEMS; i++)
        right = right && v.item[i] == (i < count);
    return right;
}

static int threads_now(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count - 2; /* without . and .. */
}

/* Ends a child with 0 where `holds`; the parent learns it from ended_well. */
static void end_child(bool holds)
{
    _exit(holds ? 0 : 1);
}

static bool ended_well(pid_t child)
{
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* A child that may map no more memory cannot start threads: it works alone. */
static void refused(void)
{
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {1 << 20, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
        alarm(60);
        bool limited = setrlimit(RLIMIT_AS, &none) == 0, right = visits_all(3, ITEMS, 7);
        limited = limited && setrlimit(RLIMIT_AS, &all) == 0;
        end_child(limited && right && threads_now() == 1);
    }
    CHECK(ended_well(child));
}

static void shapes(void)
{
    CHECK(visits_all(1, ITEMS, 1) && visits_all(1, 1, 5) && visits_all(1, 0, 1));
    CHECK(visits_all(2, 0, 3) && visits_all(3, 1, 1) && visits_all(3, 5, 9));
    CHECK(threads_now() == 1); /* one thread or one piece: nobody else is needed */
    for (int threads = 2; threads <= THREADS; threads++)
        for (int64_t size = 1; size <= ITEMS; size *= 3)
            CHECK(visits_all(threads, ITEMS, size) && visits_all(threads, ITEMS - 1, size));
    CHECK(SANITIZED || threads_now() == THREADS);     /* the thread sanitizer has one of its own */
    nanosleep(&(struct timespec){0, 20000000}, NULL); /* workers fall asleep, and wake up */
    CHECK(visits_all(THREADS, ITEMS, 1));
}

static void *call_often(void *argument)
{
    bool right = true;
    for (int i = 0; i < 300; i++)
        right = right && visits_all(1 + i % THREADS, ITEMS - i, 1 + i % 50);
    return right ? argument : NULL;
}

static void callers(void)
{
    pthread_t thread[CALLERS];
    int before = threads_now();
    for (int i = 0; i < CALLERS; i++)
        CHECK(pthread_create(&thread[i], NULL, call_often, thread) == 0);
    for (int i = 0; i < CALLERS; i++) {
        void *right = NULL;
        CHECK(pthread_join(thread[i], &right) == 0 && right);
    }
    int most = threads_count(0) > THREADS ? threads_count(0) : THREADS;
    CHECK(SANITIZED || (threads_now() >= before && threads_now() <= most));
}

static void visit_all(void *job, struct threads_piece piece)
{
    atomic_int *wrong = job;
    for (int64_t i = piece.first; i < piece.last; i++)
        if (!visits_all(3, ITEMS, 10))
            atomic_fetch_add(wrong, 1);
}

static void nested(void)
{
    atomic_int wrong = 0;
    threads_run(3, 50, 1, visit_all, &wrong);
    CHECK(atomic_load(&wrong) == 0);
}

static void after_fork(void)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool alone = threads_now() == 1;
        end_child(alone && visits_all(3, ITEMS, 1) && threads_now() == 3);
    }
    CHECK(ended_well(child));
    CHECK(visits_all(3, ITEMS, 1));
}

int main(void)
{
    if (SANITIZED)
        printf("left out: limits of memory and fork, which sanitizers do not bear\n");
    else
        refused();
    shapes();
    callers();
    nested();
    if (!SANITIZED)
        after_fork();
    return check_result();
}
