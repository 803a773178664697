/* Products that run at once in several threads must have the bits of one that runs alone: a BLAS
 * that is not safe to call so gives wrong numbers now and then. */
#include "base/blas.h"

#include "check.h"

enum { M = 192, N = 160, K = 96, TIMES = 1500, THREADS = 4 };

static float A[M * K], B[N * K], alone[M * N], C[THREADS][M * N];

int main(void)
{
    for (int i = 0; i < M * K; i++)
        A[i] = (float)(i * 7919 % 1013) / 1013 - 0.5f;
    for (int i = 0; i < N * K; i++)
        B[i] = (float)(i * 104729 % 997) / 997 - 0.5f;
    blas_sgemm(false, true, M, N, K, 1, A, K, B, K, 0, alone, N);
    double exact = 0;
    for (int k = 0; k < K; k++)
        exact += (double)A[3 * K + k] * (double)B[5 * K + k];
    CHECK(fabs((double)alone[3 * N + 5] - exact) < 1e-4);
    int wrong = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : wrong)
    for (int thread = 0; thread < THREADS; thread++)
        for (int i = 0; i < TIMES; i++) {
            blas_sgemm(false, true, M, N, K, 1, A, K, B, K, 0, C[thread], N);
            wrong += memcmp(C[thread], alone, sizeof alone) != 0;
        }
    CHECK(wrong == 0);
    return check_result();
}
