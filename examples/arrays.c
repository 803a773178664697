/* Trains on a graph that is in memory, edges and features as arrays, and prints names with vectors.
 *
 *     cc arrays.c $(pkg-config --cflags --libs graco) -o arrays && ./arrays
 */
#include "graco.h"

#include <stdio.h>

enum { PEOPLE = 8, FRIENDSHIPS = 11, TRAITS = 3 };

/* Two circles of friends; dan and eve know each other. */
static const char *const names[PEOPLE] = {"ann", "bob",  "cid",  "dan",
                                          "eve", "finn", "gina", "hugo"};
static const int32_t source[FRIENDSHIPS] = {0, 0, 0, 1, 2, 3, 4, 4, 4, 5, 6};
static const int32_t target[FRIENDSHIPS] = {1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7};

/* What each likes: music, books, sport. */
static const float x[PEOPLE * TRAITS] = {5, 1, 0, 4, 2, 0, 5, 0, 1, 3, 1, 1,
                                         1, 3, 3, 0, 2, 5, 1, 1, 4, 0, 1, 5};

int main(void)
{
    const graco_arrays arrays = {
        .name = "friends",
        .source = GRACO_VECTOR(source, FRIENDSHIPS),
        .target = GRACO_VECTOR(target, FRIENDSHIPS),
        .x = GRACO_MATRIX(x, PEOPLE, TRAITS),
        .node_ids = GRACO_VECTOR(names, PEOPLE),
        .undirected = true, /* each friendship stands once above */
        .borrow = true,     /* x stays there until the data set is freed */
    };
    graco_config *config = NULL;
    graco_dataset *data = NULL;
    graco_model *model = NULL;
    graco_matrix Z = {0}; /* (people, hidden) */

    graco_status status = graco_dataset_create(&data, &arrays);
    if (status == GRACO_OK)
        status = graco_config_create(&config, "grace", NULL);
    if (status == GRACO_OK)
        status = graco_config_set(config, "activation", "prelu");
    if (status == GRACO_OK)
        status = graco_config_set(config, "hidden", "4");
    if (status == GRACO_OK)
        status = graco_config_set(config, "epochs", "50");
    if (status == GRACO_OK)
        status = graco_train(&model, NULL, data, config, NULL);
    if (status == GRACO_OK)
        status = graco_model_embed(&Z, model, data, NULL);
    if (status != GRACO_OK)
        fprintf(stderr, "arrays: %s\n", graco_message());

    for (int64_t i = 0; i < Z.rows; i++) {
        printf("%-5s", graco_dataset_node(data, i));
        for (int64_t k = 0; k < Z.cols; k++)
            printf(" %8.4f", (double)Z.data[i * Z.cols + k]);
        printf("\n");
    }
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_config_free(config);
    graco_dataset_free(data);
    return status == GRACO_OK ? 0 : 1;
}
