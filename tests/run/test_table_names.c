/* The vector of a table belongs to a node's name: another order, a part of the nodes or other edges find
 * the same vector under the same name, and a graph in which it cannot be found is refused. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "methods/method.h"
#include "run/checkpoint.h"

static graco_dataset *make(const char *text)
{
    graco_dataset *data = NULL;
    fixture_text("edges.csv", text);
    CHECK_OK(graco_dataset_load(&data, fixture_path("edges.csv"),
                                &(graco_load_options){.undirected = true}));
    return data;
}

static graco_model *train(const char *method, const graco_dataset *data)
{
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, method, NULL));
    CHECK_OK(graco_config_set(config, "hidden", "4"));
    CHECK_OK(graco_config_set(config, "epochs", "1"));
    CHECK_OK(graco_config_set(config, "threads", "1"));
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    graco_config_free(config);
    return model;
}

static const float *row_of(const graco_matrix *Z, const graco_dataset *data, const char *name)
{
    int64_t node = -1;
    CHECK_OK(graco_dataset_find_nodes(&node, data, &name, 1));
    return Z->data + node * Z->cols;
}

/* Every node of `other` has the vector that the node of its name had in training. */
static void agrees(const graco_model *model, const graco_dataset *trained, const char *text)
{
    graco_dataset *other = make(text);
    graco_matrix Z = {0}, found = {0};
    CHECK_OK(graco_model_embed(&Z, model, trained, NULL));
    CHECK_OK(graco_model_embed(&found, model, other, NULL));
    CHECK(found.rows == other->graph->nodes && found.cols == Z.cols);
    for (int64_t i = 0; i < found.rows; i++)
        CHECK(memcmp(row_of(&Z, trained, graco_dataset_node(other, i)), found.data + i * found.cols,
                     (size_t)Z.cols * sizeof *Z.data) == 0);
    graco_matrix_clear(&Z);
    graco_matrix_clear(&found);
    graco_dataset_free(other);
}

static void refuses(const graco_model *model, const char *text, const char *part)
{
    graco_dataset *other = make(text);
    graco_matrix Z = {0};
    CHECK_FAILS(graco_model_embed(&Z, model, other, NULL), GRACO_ERROR_ARGUMENT, part);
    graco_dataset_free(other);
}

static const char NAMED[] = "a,b\nb,c\nc,d\nd,a\nd,e\n", NUMBERED[] = "0 1\n1 2\n2 3\n3 0\n3 4\n";

static void check_named(const graco_model *model, const graco_dataset *trained)
{
    agrees(model, trained, NAMED);
    agrees(model, trained, "d,e\nd,a\nc,d\nb,c\na,b\n"); /* the same edges, another order */
    agrees(model, trained, "e,a\na,c\n");                /* a part of the nodes, other edges */
    refuses(model, "a,b\nb,c\nc,d\nd,a\nd,e\ne,f\nf,g\n", "2 nodes that the training did not see");
    refuses(model, "v,w\nw,x\nx,y\ny,v\ny,z\n", "the first of them 'v'"); /* the same shape */
}

static void named(const char *method)
{
    graco_dataset *data = make(NAMED);
    graco_model *model = train(method, data), *back = NULL;
    check_named(model, data);
    CHECK_OK(graco_model_save(model, fixture_path("run")));
    CHECK_OK(graco_model_load(&back, fixture_path("run")));
    check_named(back, data);
    refuses(back, NUMBERED, "no names of nodes"); /* the same graph: rows may be other nodes */
    refuses(back, "0 1\n1 2\n2 3\n3 0\n2 4\n", "another graph");

    /* Without names there is their hash. */
    memory_free(back->names);
    back->names = NULL;
    agrees(back, data, NAMED);
    refuses(back, "d,e\nd,a\nc,d\nb,c\na,b\n", "another graph");
    refuses(back, "v,w\nw,x\nx,y\ny,v\ny,z\n", "other names");
    graco_model_free(model);
    graco_model_free(back);
    graco_dataset_free(data);
}

/* Names that are the numbers of rows find the vectors of a training without names, in any order. */
static void numbers(void)
{
    static const int32_t source[] = {4, 3, 2, 1, 1}, target[] = {3, 2, 1, 4, 0};
    static const char *const names[2][5] = {{"4", "3", "2", "1", "0"}, {"4", "3", "2", "1", "00"}};
    graco_dataset *data = make(NUMBERED), *turned = NULL;
    graco_model *model = train("node2vec", data);
    graco_matrix Z = {0}, found = {0};
    graco_arrays arrays = {.source = GRACO_VECTOR(source, 5),
                           .target = GRACO_VECTOR(target, 5),
                           .node_ids = GRACO_VECTOR(names[0], 5),
                           .undirected = true};
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    CHECK_OK(graco_dataset_create(&turned, &arrays));
    CHECK_OK(graco_model_embed(&found, model, turned, NULL));
    for (int64_t i = 0; i < 5; i++)
        CHECK(memcmp(Z.data + i * Z.cols, found.data + (4 - i) * Z.cols,
                     (size_t)Z.cols * sizeof *Z.data) == 0);
    graco_dataset_free(turned);
    graco_matrix_clear(&found);
    arrays.node_ids = GRACO_VECTOR(names[1], 5); /* another name than 0 */
    CHECK_OK(graco_dataset_create(&turned, &arrays));
    CHECK_FAILS(graco_model_embed(&found, model, turned, NULL), GRACO_ERROR_ARGUMENT,
                "another graph");
    graco_dataset_free(turned);
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void unnamed(void)
{
    graco_dataset *data = make(NUMBERED), *same = make("3 4\n3 0\n2 3\n1 2\n0 1\n");
    graco_model *model = train("node2vec", data);
    graco_matrix Z = {0};
    CHECK_OK(graco_model_embed(&Z, model, same, NULL));
    graco_matrix_clear(&Z);
    refuses(model, "0 1\n1 2\n2 3\n3 0\n2 4\n", "another graph");
    refuses(model, "0 1\n1 2\n2 3\n", "a vector for each of 5 nodes");
    refuses(model, NAMED, "names, which that one had not"); /* the same graph */
    graco_model_free(model);
    graco_dataset_free(data);
    graco_dataset_free(same);
}

/* Features that are learnt, one for each node, belong to names as well. */
static void learned(void)
{
    graco_dataset *data = make(NAMED);
    graco_config *config = NULL;
    graco_model *model = NULL;
    CHECK_OK(graco_config_create(&config, "grace", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "4"));
    CHECK_OK(graco_config_set(config, "epochs", "1"));
    CHECK_OK(graco_config_set(config, "node_features", "learned"));
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    refuses(model, "v,w\nw,x\nx,y\ny,v\ny,z\n", "other names");
    refuses(model, "d,e\nd,a\nc,d\nb,c\na,b\n", "another graph");
    graco_config_free(config);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* Names that a checkpoint has wrong are refused when it is read. */
static void checkpoints(void)
{
    static const struct {
        const char *names;
        int64_t bytes;
    } wrong[] = {
        {"a\0b\0c\0d", 8}, {"a\0b\0c\0d\0e\0f", 12}, {"a\0b\0c\0d\0ee", 10}, {"a\0b\0c\0d\0a", 10}};
    graco_dataset *data = make(NAMED);
    graco_model *model = train("deepwalk", data), *back = NULL;
    memory_free(model->names);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_OK(memory_alloc(&model->names, wrong[i].bytes, 1));
        memcpy(model->names, wrong[i].names, (size_t)wrong[i].bytes);
        model->names_bytes = wrong[i].bytes;
        CHECK_OK(checkpoint_write(model, fixture_path("wrong.safetensors")));
        CHECK_FAILS(checkpoint_read(&back, fixture_path("wrong.safetensors")), GRACO_ERROR_FORMAT,
                    "'node_ids'");
        memory_free(model->names);
    }
    model->names = NULL;
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    named("node2vec");
    named("deepwalk");
    unnamed();
    numbers();
    learned();
    checkpoints();
    return check_result();
}
