/* A second OpenMP beside that of the BLAS library, which the whole program sees, as PyTorch loads its
 * own: eval.blas_libraries preloads it. It has what says how many threads to use, and asks for four. */
int omp_get_max_threads(void);
void omp_set_num_threads(int count);

static _Thread_local int limit = 4;

int omp_get_max_threads(void)
{
    return limit;
}

void omp_set_num_threads(int count)
{
    limit = count;
}
