/* A GPU driver of another age: what is left of libcuda.so.1 when all that matters is its version.
 */
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned flags)
{
    (void)flags;
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 11040;
    return 0;
}
