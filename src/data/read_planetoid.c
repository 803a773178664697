/* Planetoid's files (Yang, Cohen, Salakhutdinov, "Revisiting Semi-Supervised Learning with Graph
 * Embeddings", ICML 2016): seven pickles and a text file.
 *
 *     x, y        features and one-hot labels of the training nodes, the first rows of allx, ally
 *     allx, ally  of all nodes but those of test, numbered 0, 1, 2, ...
 *     tx, ty      of the test nodes, in the order of test.index
 *     test.index  their numbers, one per line
 *     graph       {node: [neighbour, ...]}, with repetitions and self-loops
 *
 * Nodes are numbered as by the authors: the rows of allx, then the rows of tx at their places in
 * test.index. Places that test.index leaves out (15 in Citeseer) are isolated nodes without
 * features; they get class 0, as in PyTorch Geometric, because scores are compared with its. The
 * rows of y are for training, the next 500 for validation, test.index for test. Undirected. */
#include "data/readers.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/pickle/pickle.h"

#include <stdio.h>
#include <string.h>

enum { VALIDATION_NODES = 500 };

enum part { PART_X, PART_TX, PART_ALLX, PART_Y, PART_TY, PART_ALLY, PART_GRAPH, PARTS };

static const char test_index[] = "test.index";
static const char *const part_names[PARTS] = {"x", "tx", "allx", "y", "ty", "ally", "graph"};

static const enum pickle_kind part_kinds[PARTS] = {
    PICKLE_CSR, PICKLE_CSR, PICKLE_CSR, PICKLE_ARRAY, PICKLE_ARRAY, PICKLE_ARRAY, PICKLE_DICT};

struct files {
    struct pickle pickles[PARTS];
    int64_t tests;
    int32_t *test; /* (tests) node of each row of tx */
};

static void files_clear(struct files *files)
{
    for (int p = 0; p < PARTS; p++)
        pickle_clear(&files->pickles[p]);
    memory_free(files->test);
}

static const struct pickle_csr *file_csr(const struct files *files, enum part part)
{
    return files->pickles[part].root->csr;
}

static const struct array *file_array(const struct files *files, enum part part)
{
    return files->pickles[part].root->array;
}

/* FOLDER/ind.NAME.PART */
static graco_status part_path(char **path, const char *folder, const char *name, const char *part)
{
    graco_status status = GRACO_OK;
    char *file = NULL;
    size_t size = strlen(name) + strlen(part) + 6;
    TRY(memory_alloc(&file, (int64_t)size, 1));
    snprintf(file, size, "ind.%s.%s", name, part);
    TRY(memory_path(path, folder, file));
done:
    memory_free(file);
    return status;
}

/* One decimal number at *at, which moves behind it and the blanks that follow. */
static graco_status next_index(int32_t *out, const uint8_t **at, int64_t line)
{
    const uint8_t *c = *at;
    int64_t number = 0;
    for (; *c >= '0' && *c <= '9' && number < INT32_MAX; c++)
        number = number * 10 + (*c - '0');
    bool ends = *c == 0 || *c == '\n' || *c == '\r' || *c == ' ' || *c == '\t';
    if (c == *at || !ends || number >= INT32_MAX)
        return status_fail(GRACO_ERROR_FORMAT, "number %lld in the file is no node number",
                           (long long)line + 1);
    while (*c == '\n' || *c == '\r' || *c == ' ' || *c == '\t')
        c++;
    *at = c;
    *out = (int32_t)number;
    return GRACO_OK;
}

static graco_status read_test_index(struct files *files, const char *path)
{
    graco_status status = GRACO_OK;
    uint8_t *text = NULL;
    const uint8_t *at;
    int64_t length;
    TRY(file_read(&text, &length, path, (int64_t)1 << 32));
    /* A number takes at least two bytes, the last one perhaps only one. */
    TRY(memory_alloc(&files->test, length / 2 + 1, sizeof *files->test));
    at = text;
    while (at < text + length) {
        status = next_index(&files->test[files->tests], &at, files->tests);
        if (status != GRACO_OK) {
            status = status_context(status, "%s", path);
            goto done;
        }
        files->tests++;
    }
done:
    memory_free(text);
    return status;
}

static graco_status read_parts(struct files *files, const char *folder, const char *name)
{
    graco_status status = GRACO_OK;
    char *path = NULL;
    for (int p = 0; p < PARTS; p++) {
        memory_free(path);
        path = NULL;
        TRY(part_path(&path, folder, name, part_names[p]));
        TRY(pickle_read(&files->pickles[p], path));
        enum pickle_kind kind = files->pickles[p].root->kind;
        if (kind != part_kinds[p])
            FAIL(GRACO_ERROR_FORMAT, "%s holds %s: expected %s", path, pickle_kind_name(kind),
                 pickle_kind_name(part_kinds[p]));
    }
    memory_free(path);
    path = NULL;
    TRY(part_path(&path, folder, name, test_index));
    TRY(read_test_index(files, path));
done:
    memory_free(path);
    return status;
}

/* The three matrices and the three tables of labels must fit each other and test.index. */
static graco_status check_shapes(const struct files *files)
{
    const struct pickle_csr *x = file_csr(files, PART_X), *tx = file_csr(files, PART_TX),
                            *allx = file_csr(files, PART_ALLX);
    int64_t classes;
    PASS(array_expect(file_array(files, PART_ALLY), "ally", 2, allx->rows, -1));
    classes = file_array(files, PART_ALLY)->shape[1];
    PASS(array_expect(file_array(files, PART_TY), "ty", 2, tx->rows, classes));
    PASS(array_expect(file_array(files, PART_Y), "y", 2, x->rows, classes));
    if (x->cols != allx->cols || tx->cols != allx->cols)
        return status_fail(GRACO_ERROR_FORMAT,
                           "x, tx and allx have %lld, %lld and %lld columns: expected the same",
                           (long long)x->cols, (long long)tx->cols, (long long)allx->cols);
    if (x->rows > allx->rows)
        return status_fail(GRACO_ERROR_FORMAT, "x has %lld rows: expected at most the %lld of allx",
                           (long long)x->rows, (long long)allx->rows);
    if (files->tests != tx->rows)
        return status_fail(GRACO_ERROR_FORMAT,
                           "test.index has %lld numbers: expected %lld, the rows of tx",
                           (long long)files->tests, (long long)tx->rows);
    return GRACO_OK;
}

/* Gives every node the row of tx that is its own, -1 for none, and counts the nodes. Test nodes
 * come after those of allx; the graph bounds how many places may be left out. */
static graco_status place_tests(struct dataset_parts *parts, int32_t **row,
                                const struct files *files)
{
    int64_t others = file_csr(files, PART_ALLX)->rows;
    int64_t limit = others + files->tests + files->pickles[PART_GRAPH].root->count;
    parts->nodes = others;
    for (int64_t i = 0; i < files->tests; i++) {
        if (files->test[i] < others || files->test[i] >= limit)
            return status_fail(GRACO_ERROR_FORMAT, "test.index has node %ld: expected %lld to %lld",
                               (long)files->test[i], (long long)others, (long long)limit - 1);
        if (files->test[i] >= parts->nodes)
            parts->nodes = (int64_t)files->test[i] + 1;
    }
    PASS(memory_alloc(row, parts->nodes, sizeof **row));
    for (int64_t i = 0; i < parts->nodes; i++)
        (*row)[i] = -1;
    for (int64_t i = 0; i < files->tests; i++) {
        if ((*row)[files->test[i]] >= 0)
            return status_fail(GRACO_ERROR_FORMAT, "test.index has node %ld twice",
                               (long)files->test[i]);
        (*row)[files->test[i]] = (int32_t)i;
    }
    return GRACO_OK;
}

/* Appends row `row` of `from` as row `node` of `to`. */
static void append_row(struct csr *to, int64_t node, const struct csr *from, int64_t row)
{
    int64_t begin = from->start[row], count = from->start[row + 1] - begin;
    memcpy(to->index + to->start[node], from->index + begin, (size_t)count * sizeof *to->index);
    memcpy(to->value + to->start[node], from->value + begin, (size_t)count * sizeof *to->value);
    to->start[node + 1] = to->start[node] + count;
}

static graco_status take_features(struct dataset_parts *parts, const struct files *files,
                                  const int32_t *row)
{
    graco_status status = GRACO_OK;
    const struct pickle_csr *a = file_csr(files, PART_ALLX), *t = file_csr(files, PART_TX);
    struct csr all = {0}, test = {0}, X;
    TRY(member_named(csr_from_arrays(&all, a->rows, a->cols, a->start, a->index, a->value),
                     part_names[PART_ALLX]));
    TRY(member_named(csr_from_arrays(&test, t->rows, t->cols, t->start, t->index, t->value),
                     part_names[PART_TX]));
    TRY(csr_alloc(&X, parts->nodes, a->cols, a->entries + t->entries, true));
    parts->features = features_of(X);
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (i < a->rows)
            append_row(&X, i, &all, i);
        else if (row[i] >= 0)
            append_row(&X, i, &test, row[i]);
        else
            X.start[i + 1] = X.start[i];
    }
    TRY(csr_sort(&X));
done:
    csr_clear(&all);
    csr_clear(&test);
    return status;
}

/* The first largest entry: the class of a one-hot row, 0 for a row of zeros. */
static int32_t row_class(const float *row, int64_t classes)
{
    int32_t best = 0;
    for (int64_t c = 1; c < classes; c++) {
        if (row[c] > row[best])
            best = (int32_t)c;
    }
    return best;
}

static graco_status take_labels(struct dataset_parts *parts, const struct files *files,
                                const int32_t *row)
{
    graco_status status = GRACO_OK;
    float *all = NULL, *test = NULL;
    int64_t others = file_csr(files, PART_ALLX)->rows, training = file_csr(files, PART_X)->rows;
    int64_t classes = file_array(files, PART_ALLY)->shape[1];
    parts->classes = classes;
    TRY(array_to_f32(&all, file_array(files, PART_ALLY)));
    TRY(array_to_f32(&test, file_array(files, PART_TY)));
    TRY(memory_zalloc(&parts->label, parts->nodes, sizeof *parts->label));
    TRY(memory_alloc(&parts->split, parts->nodes, sizeof *parts->split));
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (i < others)
            parts->label[i] = row_class(all + i * classes, classes);
        else if (row[i] >= 0)
            parts->label[i] = row_class(test + row[i] * classes, classes);
        parts->split[i] = i < training                                    ? 0
                          : i < others && i < training + VALIDATION_NODES ? 1
                          : row[i] >= 0                                   ? 2
                                                                          : 3;
    }
done:
    memory_free(all);
    memory_free(test);
    return status;
}

/* A node number in the graph's dict, -1 if it is none. */
static int32_t node_number(const struct pickle_value *value)
{
    return value->kind == PICKLE_INT && value->integer >= 0 && value->integer < INT32_MAX
               ? (int32_t)value->integer
               : -1;
}

static graco_status take_edges(struct dataset_parts *parts, const struct files *files)
{
    const struct pickle_value *graph = files->pickles[PART_GRAPH].root;
    int64_t e = 0;
    for (int64_t i = 0; i < graph->count; i++) {
        const struct pickle_value *list = graph->items[2 * i + 1];
        if (list->kind != PICKLE_LIST)
            return status_fail(GRACO_ERROR_FORMAT,
                               "the neighbours of a node of the graph are %s: expected a list",
                               pickle_kind_name(list->kind));
        parts->edges += list->count;
        /* A list takes a byte for each item. Only one that stands for several nodes has more. */
        if (parts->edges > files->pickles[PART_GRAPH].length)
            return status_fail(GRACO_ERROR_FORMAT,
                               "the graph's lists have more neighbours than its %lld bytes: "
                               "expected a list for each node, not one that nodes share",
                               (long long)files->pickles[PART_GRAPH].length);
    }
    PASS(memory_alloc(&parts->source, parts->edges, sizeof *parts->source));
    PASS(memory_alloc(&parts->target, parts->edges, sizeof *parts->target));
    for (int64_t i = 0; i < graph->count; i++) {
        const struct pickle_value *list = graph->items[2 * i + 1];
        for (int64_t k = 0; k < list->count; k++) {
            parts->source[e] = node_number(graph->items[2 * i]);
            parts->target[e++] = node_number(list->items[k]);
        }
    }
    return GRACO_OK;
}

/* Finds the first file ind.NAME.PART of a folder: NAME and its length, or NULL. */
static const char *find_name(size_t *length, const struct file_list *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        const char *file = list->names[i];
        for (int p = 0; p <= PARTS; p++) {
            const char *part = p < PARTS ? part_names[p] : test_index;
            size_t all = strlen(file), tail = strlen(part) + 1;
            if (strncmp(file, "ind.", 4) != 0 || all <= 4 + tail || file[all - tail] != '.' ||
                strcmp(file + all - tail + 1, part) != 0)
                continue;
            *length = all - tail - 4;
            return file + 4;
        }
    }
    return NULL;
}

static graco_status read_planetoid(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct files files = {0};
    struct dataset_parts parts = {.undirected = true};
    size_t length = 0;
    const char *found = find_name(&length, &source->files);
    char *name = NULL;
    int32_t *row = NULL;
    TRY(memory_zalloc(&name, (int64_t)length + 1, 1));
    memcpy(name, found, length);
    parts.name = name;
    TRY(read_parts(&files, source->members.folder, name));
    TRY(check_shapes(&files));
    TRY(place_tests(&parts, &row, &files));
    TRY(take_features(&parts, &files, row));
    TRY(take_labels(&parts, &files, row));
    TRY(take_edges(&parts, &files));
    TRY(dataset_create(out, &parts));
done:
    files_clear(&files);
    dataset_parts_clear(&parts);
    memory_free(name);
    memory_free(row);
    return status;
}

static bool knows(const struct source *source)
{
    size_t length;
    return find_name(&length, &source->files);
}

const struct reader reader_planetoid = {
    .format = "Planetoid",
    .places = PLACE_FOLDER,
    .sign = "ind.NAME.graph and seven more",
    .knows = knows,
    .read = read_planetoid,
};
