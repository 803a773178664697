/* Compressed rows with the nth allocation refused: nothing leaks, and what fails leaves no matrix.
 */
#include "check.h"
#include "faults.h"

#include "base/memory.h"
#include "sparse/csr.h"

static int64_t starts[] = {0, 2, 2, 5};
static int32_t columns[] = {2, 0, 3, 2, 1};
static float values[] = {5, 7, 3, 2, 1};

enum call { CALL_ALLOC, CALL_PAIRS, CALL_TRANSPOSE, CALL_GATHER, CALL_REUSE, CALLS };

static graco_status build(struct csr *out, struct csr_room *room, uint32_t **from, enum call call)
{
    const struct csr M = {3, 4, starts, columns, values};
    static const int32_t rows[] = {2, 0, 2};
    switch (call) {
    case CALL_ALLOC:
        return csr_alloc(out, 3, 4, 5, true);
    case CALL_PAIRS:
        return csr_from_pairs(out, 3, 4, 3, rows, columns, NULL);
    case CALL_TRANSPOSE:
        return csr_transpose(out, from, &M);
    case CALL_GATHER:
        return csr_gather(out, NULL, &M, rows, 3);
    default:
        return csr_gather(out, room, &M, rows, 3);
    }
}

static void fail_each(enum call call)
{
    long n = 0;
    for (; n < 20; n++) {
        struct csr out = {0};
        struct csr_room room = {0};
        uint32_t *from = NULL;
        faults_until = n;
        faults_hit = 0;
        graco_status status = build(&out, &room, &from, call);
        faults_until = -1;
        bool failed = faults_hit > 0;
        CHECK(status == (failed ? GRACO_ERROR_MEMORY : GRACO_OK));
        if (failed && call != CALL_REUSE)
            CHECK(out.start == NULL && out.index == NULL && out.value == NULL && from == NULL);
        if (failed && call == CALL_REUSE) { /* what was reserved so far serves the next call */
            CHECK_OK(build(&out, &room, &from, call));
            CHECK(out.start[3] == 8 && out.value[0] == 3 && out.value[7] == 1);
        }
        csr_clear(&out);
        memory_free(from);
        if (!failed)
            break;
    }
    CHECK(n > 1 && n < 20);
}

/* Sorting and densifying allocate once, and leave the matrix as it was if they cannot. */
static void fail_once(void)
{
    struct csr M = {3, 4, starts, columns, values};
    float *dense = NULL;
    faults_until = 0;
    CHECK(csr_densify(&dense, &M) == GRACO_ERROR_MEMORY && dense == NULL);
    CHECK(csr_sort(&M) == GRACO_ERROR_MEMORY && columns[0] == 2 && values[0] == 5);
    faults_until = 1;
    CHECK_OK(csr_sort(&M));
    CHECK(columns[0] == 0 && values[0] == 7 && columns[2] == 1 && values[4] == 3);
    faults_until = 1;
    CHECK_OK(csr_densify(&dense, &M));
    CHECK(dense[0] == 7 && dense[2] == 5 && dense[9] == 1);
    faults_until = -1;
    memory_free(dense);
}

int main(void)
{
    for (int call = 0; call < CALLS; call++)
        fail_each((enum call)call);
    fail_once();
    return check_result();
}
