/* Two queues make the tree in linear time once the leaves are sorted; paths are read off from the leaves
 * up, twice: to count, and to write. */
#include "methods/huffman.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct leaf {
    int64_t count;
    int32_t node;
};

static int compare_leaves(const void *one, const void *other)
{
    const struct leaf *a = one, *b = other;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

graco_status huffman_order(int32_t *out, const int64_t *count, int64_t nodes)
{
    struct leaf *leaves = NULL;
    PASS(memory_alloc(&leaves, nodes, sizeof *leaves));
    for (int64_t i = 0; i < nodes; i++)
        leaves[i] = (struct leaf){count[i], (int32_t)i};
    qsort(leaves, (size_t)nodes, sizeof *leaves, compare_leaves);
    for (int64_t i = 0; i < nodes; i++)
        out[i] = leaves[i].node;
    memory_free(leaves);
    return GRACO_OK;
}

/* What joining leaves behind: parent of leaf i of the order, or of inner node i - nodes, and whether it
 * was the second of its pair. */
struct links {
    int32_t *parent; /* (2 nodes) an inner node */
    uint8_t *code;   /* (2 nodes) */
};

/* Takes the lighter of the last leaf left and the first inner node left. */
static int64_t take(const struct huffman *tree, const int64_t *count, int64_t *leaf, int64_t *inner,
                    int64_t made)
{
    bool leaves = *leaf >= 0;
    if (leaves && (*inner >= made || count[tree->order[*leaf]] < tree->weight[*inner]))
        return (*leaf)--;
    return tree->nodes + (*inner)++;
}

static int64_t weight_of(const struct huffman *tree, const int64_t *count, int64_t item)
{
    return item < tree->nodes ? count[tree->order[item]] : tree->weight[item - tree->nodes];
}

static void join(struct huffman *tree, struct links *links, const int64_t *count)
{
    int64_t leaf = tree->nodes - 1, inner = 0;
    for (int64_t i = 0; i < tree->nodes - 1; i++) {
        int64_t first = take(tree, count, &leaf, &inner, i);
        int64_t second = take(tree, count, &leaf, &inner, i);
        tree->weight[i] = weight_of(tree, count, first) + weight_of(tree, count, second);
        links->parent[first] = links->parent[second] = (int32_t)i;
        links->code[first] = 0;
        links->code[second] = 1;
    }
}

/* Writes the path of leaf `item` backwards, to end before `end`, and returns its length; with `end` NULL
 * it only counts. */
static int64_t climb(const struct huffman *tree, const struct links *links, int64_t item,
                     uint32_t *end)
{
    int64_t length = 0, root = 2 * tree->nodes - 2;
    for (; item != root; item = tree->nodes + links->parent[item], length++)
        if (end)
            *--end = (uint32_t)links->parent[item] << 1 | links->code[item];
    return length;
}

static graco_status write_paths(struct huffman *tree, const struct links *links)
{
    int64_t nodes = tree->nodes;
    for (int64_t i = 0; i < nodes; i++)
        tree->start[tree->order[i] + 1] = climb(tree, links, i, NULL);
    tree->start[0] = 0;
    for (int64_t i = 0; i < nodes; i++)
        tree->start[i + 1] += tree->start[i];
    PASS(memory_alloc(&tree->path, tree->start[nodes], sizeof *tree->path));
    for (int64_t i = 0; i < nodes; i++)
        climb(tree, links, i, tree->path + tree->start[tree->order[i] + 1]);
    return GRACO_OK;
}

graco_status huffman_init(struct huffman *tree, const int64_t *count, int64_t nodes)
{
    struct links links = {0};
    graco_status status = GRACO_OK;
    *tree = (struct huffman){.nodes = nodes};
    TRY(memory_alloc(&tree->start, nodes + 1, sizeof *tree->start));
    TRY(memory_alloc(&tree->order, nodes, sizeof *tree->order));
    TRY(memory_alloc(&tree->weight, nodes, sizeof *tree->weight));
    TRY(memory_zalloc(&tree->parent, nodes, sizeof *tree->parent));
    TRY(memory_alloc(&links.parent, 2 * nodes, sizeof *links.parent));
    TRY(memory_alloc(&links.code, 2 * nodes, sizeof *links.code));
    TRY(huffman_order(tree->order, count, nodes));
    join(tree, &links, count);
    for (int64_t i = 0; i < nodes - 2; i++)
        tree->parent[i] = links.parent[nodes + i];
    TRY(write_paths(tree, &links));
done:
    memory_free(links.parent);
    memory_free(links.code);
    if (status != GRACO_OK)
        huffman_clear(tree);
    return status;
}

void huffman_clear(struct huffman *tree)
{
    memory_free(tree->start);
    memory_free(tree->path);
    memory_free(tree->order);
    memory_free(tree->weight);
    memory_free(tree->parent);
    *tree = (struct huffman){0};
}
