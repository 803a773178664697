/* Where data sets are looked up by name: the first variable that is set and not empty decides. */
#include "check.h"

int main(void)
{
    char path[64] = "untouched", longer[64];

    unsetenv("GRACO_DATA");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    CHECK_FAILS(graco_data_folder(path, sizeof path), GRACO_ERROR_IO, "none of GRACO_DATA");
    CHECK(strcmp(path, "untouched") == 0);
    setenv("HOME", "/home/me", 1);
    CHECK_OK(graco_data_folder(path, sizeof path));
    CHECK(strcmp(path, "/home/me/.local/share/graco") == 0);
    setenv("XDG_DATA_HOME", "/share/", 1);
    CHECK_OK(graco_data_folder(path, sizeof path));
    CHECK(strcmp(path, "/share/graco") == 0);
    setenv("GRACO_DATA", "", 1);
    CHECK_OK(graco_data_folder(path, sizeof path));
    CHECK(strcmp(path, "/share/graco") == 0);
    setenv("GRACO_DATA", "/data", 1);
    CHECK_OK(graco_data_folder(path, 6));
    CHECK(strcmp(path, "/data") == 0);
    strcpy(longer, "untouched");
    CHECK_FAILS(graco_data_folder(longer, 5), GRACO_ERROR_ARGUMENT, "needs 6 bytes");
    CHECK(strcmp(longer, "untouched") == 0);
    return check_result();
}
