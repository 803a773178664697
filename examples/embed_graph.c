/* Makes a small graph, trains on it without its labels, and prints a few embeddings.
 *
 *     cc embed_graph.c $(pkg-config --cflags --libs graco) -o embed_graph && ./embed_graph
 */
#include "graco.h"

#include <stdio.h>

/* Called after each epoch; returning false would end the training. */
static bool on_epoch(void *user, const graco_epoch *epoch)
{
    (void)user;
    if (epoch->epoch % 10 == 0)
        printf("epoch %3d: loss %.4f\n", (int)epoch->epoch, epoch->loss);
    return true;
}

int main(void)
{
    graco_generate_options generate = graco_generate_defaults();
    graco_train_options options = {.on_epoch = on_epoch};
    graco_config *config = NULL;
    graco_dataset *data = NULL;
    graco_model *model = NULL;
    graco_matrix Z = {0}; /* (nodes, hidden) */

    generate.nodes = 300;
    graco_status status = graco_config_create(&config, "grace", NULL);
    if (status == GRACO_OK)
        status = graco_config_set(config, "hidden", "32");
    if (status == GRACO_OK)
        status = graco_config_set(config, "epochs", "50");
    if (status == GRACO_OK)
        status = graco_dataset_generate(&data, &generate);
    if (status == GRACO_OK)
        status = graco_train(&model, NULL, data, config, &options);
    if (status == GRACO_OK)
        status = graco_model_embed(&Z, model, data, NULL);
    if (status != GRACO_OK)
        fprintf(stderr, "embed_graph: %s\n", graco_message());

    for (int64_t i = 0; i < Z.rows && i < 3; i++)
        printf("node %d: %8.4f %8.4f %8.4f ... (%d numbers)\n", (int)i, Z.data[i * Z.cols],
               Z.data[i * Z.cols + 1], Z.data[i * Z.cols + 2], (int)Z.cols);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_config_free(config);
    graco_dataset_free(data);
    return status == GRACO_OK ? 0 : 1;
}
