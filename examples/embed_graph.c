// Embeds the nodes of a graph in memory, or of the data set that the first argument names.
#include <graco.h>
#include <stdio.h>

enum { NODES = 200, EDGES = 800, FEATURES = 8 };

#define TRY(call)                                                                                  \
    do                                                                                             \
        if ((call) != GRACO_OK)                                                                    \
            goto done;                                                                             \
    while (0)

int main(int argc, char **argv)
{
    static int32_t source[EDGES], target[EDGES], y[NODES];
    static float x[NODES * FEATURES];
    graco_dataset *data = NULL;
    graco_config *config = NULL;
    graco_model *model = NULL;
    graco_matrix Z = {0}; // (nodes, hidden)
    graco_eval_result scores = {0};
    graco_neighbours near = {0};
    graco_map *map = NULL;
    int exit_code = 1;

    // Four communities; one edge in ten leaves its own.
    for (int i = 0; i < NODES; i++) {
        y[i] = i % 4;
        for (int k = 0; k < FEATURES; k++)
            x[i * FEATURES + k] = (k % 4 == y[i] ? 1.0f : 0.0f) + (float)(i * (k + 7) % 11) / 10;
    }
    for (int e = 0; e < EDGES; e++) {
        source[e] = e % NODES;
        target[e] = (source[e] + (e % 10 == 0 ? 1 : 4 + 4 * (e / NODES))) % NODES;
    }
    const graco_arrays arrays = {
        .source = GRACO_VECTOR(source, EDGES),
        .target = GRACO_VECTOR(target, EDGES),
        .x = GRACO_MATRIX(x, NODES, FEATURES),
        .y = GRACO_VECTOR(y, NODES), // for the scores; training does not read it
        .undirected = true,
    };

    if (argc > 1)
        TRY(graco_dataset_load(&data, argv[1], NULL));
    else
        TRY(graco_dataset_create(&data, &arrays));
    TRY(graco_config_create(&config, "grace", NULL));
    TRY(graco_config_set(config, "hidden", "32"));
    TRY(graco_config_set(config, "epochs", "50"));
    TRY(graco_train(&model, NULL, data, config, NULL));
    TRY(graco_model_embed(&Z, model, data, NULL));
    TRY(graco_embeddings_save(&Z, data, "embeddings.npy"));
    TRY(graco_evaluate(&scores, &Z, data, NULL));
    TRY(graco_neighbours_find(&near, &Z, NULL));
    TRY(graco_map_make(&map, &Z, NULL));
    TRY(graco_map_save(map, "map.html"));
    printf("%s %.1f %%; the node most similar to node 0 is node %d\n", scores.metric, scores.mean,
           (int)near.index[0]);
    exit_code = 0;

done:
    if (exit_code != 0)
        fprintf(stderr, "%s\n", graco_message());
    graco_map_free(map);
    graco_neighbours_clear(&near);
    graco_eval_result_clear(&scores);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_config_free(config);
    graco_dataset_free(data);
    return exit_code;
}
