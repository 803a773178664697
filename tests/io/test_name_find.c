/* From what a node is called to its row. */
#include "check.h"
#include "io/name_find.h"

enum { COUNT = 4 };
static const char *const names[COUNT] = {"ann", "3", "", "d\xc3\xb6"};
static const char *const twice[COUNT] = {"a", "b", "a", "c"};

static graco_status name_at(const char **name, void *user, int64_t row)
{
    *name = ((const char *const *)user)[row];
    return GRACO_OK;
}

static graco_status find(int64_t *found, const char *text, const char *const *among)
{
    const struct name_rows rows = {COUNT, among ? name_at : NULL, (void *)(uintptr_t)among};
    return name_find(found, &text, 1, &rows);
}

static void finds(void)
{
    const char *const texts[] = {"d\xc3\xb6", "ann", "", "ann"};
    const struct name_rows rows = {COUNT, name_at, (void *)(uintptr_t)names};
    int64_t found[COUNT] = {-1, -1, -1, -1}, one = -1;
    CHECK_OK(name_find(found, texts, COUNT, &rows));
    CHECK(found[0] == 3 && found[1] == 0 && found[2] == 2 && found[3] == 0);
    CHECK_OK(find(&one, "3", names)); /* a name that looks like a number is a name */
    CHECK(one == 1);
    CHECK_OK(find(&one, "3", NULL));
    CHECK(one == 3);
    CHECK_OK(find(&one, "b", twice)); /* others may share theirs */
    CHECK(one == 1);
    CHECK_OK(name_find(NULL, NULL, 0, &rows));
}

static void refuses(void)
{
    static const char *const wrong[] = {"4", "-1", "1.0", "", "x", "99999999999999999999", "1 2"};
    int64_t found;
    CHECK_FAILS(find(&found, "2", names), GRACO_ERROR_ARGUMENT, "no node is called '2'");
    CHECK_FAILS(find(&found, "a", twice), GRACO_ERROR_ARGUMENT,
                "the nodes 0 and 2 are both called 'a'");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(find(&found, wrong[i], NULL), GRACO_ERROR_ARGUMENT,
                    "expected a number from 0 to 3");
}

int main(void)
{
    finds();
    refuses();
    return check_result();
}
