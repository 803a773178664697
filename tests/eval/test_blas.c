/* Products that run at once in several threads must have the bits of one that runs alone: a BLAS
 * that is not safe to call so gives wrong numbers now and then. None may start threads of its own.
 * The argument says how often each thread multiplies. */
#include "eval/blas.h"

#include "base/threads.h"
#include "check.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { M = 192, N = 160, K = 96, THREADS = 4 };

static struct blas blas;
static int times = 1500;
static double A[M * K], B[N * K], alone[M * N], C[THREADS][M * N];

static void multiply(double *to)
{
    blas_dgemm(&blas, (struct blas_result){to, M, N, N, false}, K, blas_plain(A, K),
               blas_transposed(B, K));
}

static void multiply_often(void *job, struct threads_piece piece)
{
    atomic_int *wrong = job;
    for (int i = 0; i < times; i++) {
        multiply(C[piece.first]);
        if (memcmp(C[piece.first], alone, sizeof alone) != 0)
            atomic_fetch_add(wrong, 1);
    }
}

/* How many threads this process has; 0 where the system does not say. */
static int count_threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry = NULL; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

/* One product that is worth sharing, by the calling thread. */
static void multiply_large(void)
{
    enum { SIZE = 700 };
    static double X[SIZE * SIZE], Y[SIZE * SIZE];
    blas_dgemm(&blas, (struct blas_result){Y, SIZE, SIZE, SIZE, false}, SIZE, blas_plain(X, SIZE),
               blas_plain(X, SIZE));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        times = atoi(argv[1]);
    for (int i = 0; i < M * K; i++)
        A[i] = (double)(i * 7919 % 1013) / 1013 - 0.5;
    for (int i = 0; i < N * K; i++)
        B[i] = (double)(i * 104729 % 997) / 997 - 0.5;
    CHECK_OK(blas_open(&blas, THREADS));
    int before = count_threads();
    multiply_large();
    CHECK(count_threads() == before);
    multiply(alone);
    double exact = 0;
    for (int k = 0; k < K; k++)
        exact += A[3 * K + k] * B[5 * K + k];
    CHECK(fabs(alone[3 * N + 5] - exact) < 1e-12);
    atomic_int wrong = 0;
    threads_run(THREADS, THREADS, 1, multiply_often, &wrong);
    CHECK(atomic_load(&wrong) == 0);
    blas_close(&blas);
    return check_result();
}
