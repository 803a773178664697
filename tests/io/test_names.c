/* Names: numbers in order of appearance, through many growths. */
#include "base/memory.h"
#include "io/tables/names.h"

#include "check.h"

int main(void)
{
    enum { MANY = 200000 };
    struct names *names = NULL;
    char text[32];
    char **list = NULL;
    int32_t number = -1;
    CHECK_OK(names_create(&names));
    CHECK(names_count(names) == 0 && names_find(names, "a", 1) == -1);
    CHECK_OK(names_list(&list, names));
    memory_free(list[0]);
    memory_free(list);
    bool fine = true;
    for (int i = 0; i < MANY; i++) {
        int length = snprintf(text, sizeof text, "node-%d", i);
        fine &= names_add(&number, names, text, length) == GRACO_OK && number == i;
        length = snprintf(text, sizeof text, "node-%d", i / 2);
        fine &= names_add(&number, names, text, length) == GRACO_OK && number == i / 2;
    }
    CHECK(fine && names_count(names) == MANY);
    for (int i = 0; i < MANY; i++) {
        int length = snprintf(text, sizeof text, "node-%d", i);
        fine &= names_find(names, text, length) == i && strcmp(names_text(names, i), text) == 0;
    }
    CHECK(fine);
    CHECK(names_find(names, "node-", 5) == -1 && names_find(names, "node-1\0", 7) == -1);
    CHECK(names_find(names, "", 0) == -1);
    CHECK_OK(names_add(&number, names, "", 0));
    CHECK(number == MANY && names_find(names, "", 0) == MANY);
    CHECK_FAILS(names_add(&number, names, "a\0b", 3), GRACO_ERROR_FORMAT, "NUL");
    CHECK_OK(names_list(&list, names));
    CHECK(strcmp(list[0], "node-0") == 0 && strcmp(list[MANY - 1], "node-199999") == 0);
    memory_free(list[0]);
    memory_free(list);
    names_free(names);
    names_free(NULL);
    return check_result();
}
