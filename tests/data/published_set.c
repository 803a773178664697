/* Writes a data set in a published layout from the shell: published_set DATASET OUT ppi|reddit. Exits with 1 and one
 * line if it cannot. */
#include "data/published.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    graco_dataset *data = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: published_set DATASET OUT ppi|reddit\n");
        return 2;
    }
    graco_status status = graco_dataset_load(&data, argv[1], NULL);
    if (status == GRACO_OK)
        status = published_write(data, argv[2], argv[3]);
    graco_dataset_free(data);
    if (status != GRACO_OK)
        fprintf(stderr, "%s\n", graco_message());
    return status == GRACO_OK ? 0 : 1;
}
