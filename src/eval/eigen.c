/* LAPACK's divide and conquer, dsyevd, on one thread. Libraries bring the routine but not always a
 * header for it, so it is declared here by its Fortran name. */
#include "eval/eigen.h"

#include "base/memory.h"
#include "eval/blas.h"

typedef void dsyevd(const char *job, const char *triangle, const int *n, double *A, const int *lda,
                    double *values, double *work, const int *work_size, int *integers,
                    const int *integer_size, int *info, size_t job_length, size_t triangle_length);

graco_status eigen_symmetric(double *values, double *A, int64_t n, const struct blas *blas)
{
    dsyevd *solve = (dsyevd *)blas->dsyevd;
    graco_status status = GRACO_OK;
    double *work = NULL;
    int *integers = NULL;
    /* The sizes that the routine documents for eigenvectors; 20,000 keeps 2 n^2 below INT_MAX. */
    enum { LARGEST = 20000 };
    if (n < 1 || n > LARGEST)
        FAIL(GRACO_ERROR_ARGUMENT, "an eigenproblem of size %lld; 1 to %d is possible",
             (long long)n, LARGEST);
    int size = (int)n, info = 0;
    int work_size = 1 + 6 * size + 2 * size * size, integer_size = 3 + 5 * size;
    TRY(memory_alloc(&work, work_size, sizeof *work));
    TRY(memory_alloc(&integers, integer_size, sizeof *integers));
    /* Fortran's upper triangle is the lower one of rows, and its columns are our rows. */
    int limit = blas_begin(blas);
    solve("V", "U", &size, A, &size, values, work, &work_size, integers, &integer_size, &info, 1,
          1);
    blas_end(blas, limit);
    if (info != 0)
        FAIL(GRACO_ERROR_NUMBER, "the eigenvalues of a %d x %d matrix did not converge (info %d)",
             size, size, info);
done:
    memory_free(integers);
    memory_free(work);
    return status;
}
