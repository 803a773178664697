/* Chunks of walks become buckets of terms, which the inner loop works off. A chunk's slices are drawn at
 * the same time and worked off one after the other. Slice k has the places k, k + SLICES, ... of every
 * walk: walks meet the same nodes again and again, and if a row got a whole walk's terms of one bucket
 * in a row, it would overshoot before other buckets pull it back. */
#include "methods/skipgram.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/share.h"
#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "methods/huffman.h"
#include "methods/noise.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    PARTS = 8,             /* of each table at most: so many threads find work */
    TREE_PARTS = 4,        /* with a tree: eight scored 0.5 less than four on Citeseer, one seed */
    SLICES = 16,           /* of a chunk */
    MEASURED = 0,          /* the slice whose loss is taken: it has the start of every walk */
    CHUNK_PAIRS = 1 << 17, /* about: enough for a slice's bucket to outlast a round's start */
    CHUNKS_LEAST = 32,     /* of a pass over all nodes: the rate falls by steps no larger */
    WALKS_AT_ONCE = 16,    /* that a thread draws */
    SHORT = 16,            /* words of a run, of most of them */
    PATH_MAX = 96,         /* inner nodes above a leaf: counts double every second level */
};

struct bucket {
    uint32_t *word;
    int64_t count, room;
};

/* What one thread draws. */
struct slice {
    graco_status status;
    int64_t pairs;
    int32_t *walk;                      /* (length) */
    uint32_t *random;                   /* (numbers) of a place's negatives */
    struct bucket bucket[PARTS][PARTS]; /* of a part of U, of a part of V */
};

struct walk {
    int64_t number, length;
    const int32_t *node; /* (length) */
};

struct skipgram {
    struct skipgram_options options;
    int64_t nodes, steps;  /* of an epoch */
    int parts;             /* of each table */
    int64_t chunks, chunk; /* chunks of a pass over all nodes, and walks of each */
    int64_t *tokens;       /* (steps of an epoch + 1) nodes of all walks before a step */
    int32_t *order;        /* (nodes) starts of the walks of pass `ordered` */
    int64_t ordered;
    uint8_t *part_u, *part_v; /* of each row */
    struct huffman tree;      /* empty with negatives */
    struct noise noise;       /* empty without */
    struct slice slice[SLICES];
    struct walk *walk; /* (chunk) */
    int32_t *places;   /* (chunk, length) their nodes */
    float *change;     /* (PARTS, d) */
    /* Of the step under way. */
    int64_t step, first, count; /* walks first .. first + count - 1 of the pass */
    float *U, *V, alpha;
    int working, round; /* on a slice, in a round */
    double loss[PARTS];
};

/* ---- The walks ------------------------------------------------------------------------------- */

/* Walks of a chunk. */
static int64_t chunk_of(const struct skipgram_options *o)
{
    int64_t nodes = o->walks.graph->nodes;
    int64_t chunks = nodes * o->walks.length / (CHUNK_PAIRS / (o->window + 1) + 1);
    if (chunks < least(CHUNKS_LEAST, nodes))
        chunks = least(CHUNKS_LEAST, nodes);
    return (nodes + chunks - 1) / chunks;
}

int64_t skipgram_steps(const struct skipgram_options *o)
{
    int64_t chunk = chunk_of(o);
    return o->per_node * ((o->walks.graph->nodes + chunk - 1) / chunk);
}

/* Shuffles the starts once for each pass. */
static void order_pass(struct skipgram *s, int64_t pass)
{
    const struct random_key key = {
        .seed = s->options.walks.seed, .stream = RANDOM_WALKS, .view = 2, .step = (uint32_t)pass};
    if (s->ordered == pass)
        return;
    random_order(s->order, s->nodes, &key);
    s->ordered = pass;
}

/* Walk `place` of the pass under way, and its number among all of them. */
static int64_t draw_walk(const struct skipgram *s, int32_t *walk, int64_t *number, int64_t place)
{
    *number = s->ordered * s->nodes + s->order[place];
    return walks_draw(walk, &s->options.walks, s->order[place], *number);
}

/* A count of nodes under way: a pass over all starts. */
struct counting {
    struct skipgram *s;
    _Atomic int64_t *count; /* (nodes) sums of whole numbers are the same in any order */
    graco_status status[SLICES];
};

static void count_chunk(struct counting *c, int32_t *walk, int64_t chunk)
{
    struct skipgram *s = c->s;
    int64_t first = chunk * s->chunk, last = least(first + s->chunk, s->nodes), tokens = 0, number;
    for (int64_t place = first; place < last; place++) {
        int64_t length = draw_walk(s, walk, &number, place);
        for (int64_t i = 0; i < length; i++)
            atomic_fetch_add_explicit(&c->count[walk[i]], 1, memory_order_relaxed);
        tokens += length;
    }
    s->tokens[s->ordered * s->chunks + chunk + 1] = tokens;
}

static void count_chunks(void *job, struct threads_piece piece)
{
    struct counting *c = job;
    for (int64_t k = piece.first; k < piece.last; k++)
        for (int64_t chunk = k; chunk < c->s->chunks; chunk += SLICES)
            count_chunk(c, c->s->slice[k].walk, chunk);
}

static void count_walks(struct skipgram *s, _Atomic int64_t *count)
{
    struct counting counting = {.s = s, .count = count};
    s->tokens[0] = 0;
    for (int64_t pass = 0; pass < s->options.per_node; pass++) {
        order_pass(s, pass);
        threads_run(s->options.threads, SLICES, 1, count_chunks, &counting);
    }
    for (int64_t k = 0; k < s->steps; k++)
        s->tokens[k + 1] += s->tokens[k];
}

/* ---- Construction ---------------------------------------------------------------------------- */

int64_t skipgram_outputs(int64_t nodes, int64_t negatives)
{
    return negatives > 0 || nodes == 1 ? nodes : nodes - 1;
}

/* A row of this weight goes to the part with the least work so far. Called by falling weight. */
static uint8_t deal(const struct skipgram *s, int64_t load[PARTS], int64_t weight)
{
    int part = 0;
    for (int k = 1; k < s->parts; k++)
        if (load[k] < load[part])
            part = k;
    load[part] += weight;
    return (uint8_t)part;
}

/* Deals the inner nodes: those near the root, which have more than 1 / parts of all paths below them,
 * one by one; below them whole subtrees, so that the rest of a path is one group. A child has a smaller
 * number than its parent. */
static graco_status deal_tree(struct skipgram *s)
{
    const struct huffman *tree = &s->tree;
    int64_t inner = s->nodes - 1, load[PARTS] = {0}, *work = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&work, inner, sizeof *work));
    for (int64_t i = 0; i < inner; i++) { /* terms in the subtree below i, itself included */
        work[i] += tree->weight[i];
        if (i < inner - 1 && tree->weight[i] <= tree->weight[inner - 1] / s->parts)
            work[tree->parent[i]] += work[i];
    }
    for (int64_t i = inner - 1; i >= 0; i--) {
        bool top = tree->weight[i] > tree->weight[inner - 1] / s->parts;
        bool below =
            i < inner - 1 && tree->weight[tree->parent[i]] <= tree->weight[inner - 1] / s->parts;
        s->part_v[i] =
            below ? s->part_v[tree->parent[i]] : deal(s, load, top ? tree->weight[i] : work[i]);
    }
done:
    memory_free(work);
    return status;
}

static graco_status deal_rows(struct skipgram *s, const int64_t *count)
{
    int64_t load_u[PARTS] = {0}, outputs = skipgram_outputs(s->nodes, s->options.negatives);
    PASS(memory_zalloc(&s->part_u, s->nodes, sizeof *s->part_u));
    PASS(memory_zalloc(&s->part_v, outputs, sizeof *s->part_v));
    if (s->options.negatives == 0) {
        PASS(huffman_init(&s->tree, count, s->nodes));
        PASS(deal_tree(s));
        for (int64_t i = 0; i < s->nodes; i++)
            s->part_u[s->tree.order[i]] = deal(s, load_u, count[s->tree.order[i]]);
        return GRACO_OK;
    }
    PASS(noise_init(&s->noise, count, s->nodes));
    PASS(huffman_order(s->order, count, s->nodes));
    s->ordered = -1;
    for (int64_t i = 0; i < s->nodes; i++)
        s->part_u[s->order[i]] = s->part_v[s->order[i]] = deal(s, load_u, count[s->order[i]]);
    return GRACO_OK;
}

/* Whole blocks of random numbers for a place's negatives. */
static int64_t negative_blocks(const struct skipgram_options *o)
{
    return (2 * o->window * o->negatives + 3) / 4;
}

static graco_status make_room(struct skipgram *s)
{
    const struct skipgram_options *o = &s->options;
    PASS(memory_alloc(&s->tokens, s->steps + 1, sizeof *s->tokens));
    PASS(memory_alloc(&s->order, s->nodes, sizeof *s->order));
    PASS(memory_alloc(&s->walk, s->chunk, sizeof *s->walk));
    PASS(memory_alloc(&s->places, s->chunk * o->walks.length, sizeof *s->places));
    PASS(memory_alloc(&s->change, PARTS * o->d, sizeof *s->change));
    for (int k = 0; k < SLICES; k++) {
        PASS(memory_alloc(&s->slice[k].walk, o->walks.length, sizeof(int32_t)));
        PASS(memory_alloc(&s->slice[k].random, 4 * negative_blocks(o), sizeof(uint32_t)));
    }
    return GRACO_OK;
}

graco_status skipgram_create(struct skipgram **out, const struct skipgram_options *options)
{
    int64_t nodes = options->walks.graph->nodes;
    struct skipgram *s = NULL;
    int64_t *count = NULL;
    graco_status status = GRACO_OK;
    if (nodes > SKIPGRAM_NODES_MAX)
        FAIL(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: skip-gram takes at most %lld",
             (long long)nodes, (long long)SKIPGRAM_NODES_MAX);
    TRY(memory_zalloc(&s, 1, sizeof *s));
    s->options = *options;
    s->nodes = nodes;
    s->parts = options->negatives > 0 ? PARTS : TREE_PARTS;
    s->ordered = -1;
    s->chunk = chunk_of(options);
    s->steps = skipgram_steps(options);
    s->chunks = s->steps / options->per_node;
    TRY(make_room(s));
    TRY(memory_zalloc(&count, nodes, sizeof *count));
    count_walks(s, (_Atomic int64_t *)count);
    TRY(deal_rows(s, count));
    *out = s;
    s = NULL;
done:
    memory_free(count);
    skipgram_free(s);
    return status;
}

void skipgram_free(struct skipgram *s)
{
    if (!s)
        return;
    for (int k = 0; k < SLICES; k++) {
        memory_free(s->slice[k].walk);
        memory_free(s->slice[k].random);
        for (int i = 0; i < PARTS * PARTS; i++)
            memory_free(s->slice[k].bucket[i / PARTS][i % PARTS].word);
    }
    huffman_clear(&s->tree);
    noise_clear(&s->noise);
    memory_free(s->tokens);
    memory_free(s->order);
    memory_free(s->part_u);
    memory_free(s->part_v);
    memory_free(s->walk);
    memory_free(s->places);
    memory_free(s->change);
    memory_free(s);
}

/* ---- Terms ----------------------------------------------------------------------------------- */

/* Makes room for `count` words more. Returns false after a failure. */
static inline bool reserve(struct slice *slice, struct bucket *b, int64_t count)
{
    if (b->count + count > b->room)
        slice->status =
            memory_reserve(&b->word, &b->room, b->count, 2 * (b->count + count), sizeof *b->word);
    return slice->status == GRACO_OK;
}

/* The path of a node, by the part of V that each inner node belongs to. */
struct path {
    int count[PARTS];
    uint32_t word[PARTS][PATH_MAX];
};

static void find_path(struct path *path, const struct skipgram *s, int32_t node)
{
    const struct huffman *tree = &s->tree;
    memset(path->count, 0, sizeof path->count);
    for (int64_t k = tree->start[node]; k < tree->start[node + 1]; k++) {
        uint32_t inner = tree->path[k] >> 1, y = 1 - (tree->path[k] & 1);
        int part = s->part_v[inner];
        path->word[part][path->count[part]++] = inner << SKIPGRAM_SHIFT | y;
    }
}

/* A pair whose output has this path. Short runs of words are copied as one block of fixed size. */
static void put_path(struct slice *slice, const struct skipgram *s, int32_t input,
                     const struct path *path)
{
    struct bucket *row = slice->bucket[s->part_u[input]];
    for (int part = 0; part < s->parts; part++) {
        struct bucket *b = &row[part];
        int64_t count = path->count[part];
        if (count == 0)
            continue;
        if (!reserve(slice, b, 1 + PATH_MAX))
            return;
        uint32_t *to = b->word + b->count;
        *to++ = (uint32_t)input << SKIPGRAM_SHIFT | SKIPGRAM_INPUT;
        memcpy(to, path->word[part], SHORT * sizeof *to);
        if (count > SHORT)
            memcpy(to + SHORT, path->word[part] + SHORT, (size_t)(count - SHORT) * sizeof *to);
        b->count += 1 + count;
    }
    slice->pairs++;
}

/* A pair with noise, which may hit the same node twice, but not the output. */
static void put_noise(struct slice *slice, const struct skipgram *s, int32_t input, int32_t output,
                      const uint32_t *random)
{
    struct bucket *row = slice->bucket[s->part_u[input]];
    uint32_t opened = 0; /* buckets that know the input */
    for (int64_t k = -1; k < s->options.negatives; k++) {
        uint32_t node = k < 0 ? (uint32_t)output : noise_node(&s->noise, random[k]);
        if (k >= 0 && node == (uint32_t)output)
            continue;
        struct bucket *b = &row[s->part_v[node]];
        if (!reserve(slice, b, 2))
            return;
        if (!(opened >> s->part_v[node] & 1))
            b->word[b->count++] = (uint32_t)input << SKIPGRAM_SHIFT | SKIPGRAM_INPUT;
        opened |= (uint32_t)1 << s->part_v[node];
        b->word[b->count++] = node << SKIPGRAM_SHIFT | (k < 0);
    }
    slice->pairs++;
}

/* Place `at` of a walk: it is the output, and the places within reach on either side are the inputs. */
static void put_place(struct slice *slice, const struct skipgram *s, const struct walk *walk,
                      int64_t at)
{
    const struct skipgram_options *o = &s->options;
    const uint32_t epoch = (uint32_t)(s->step / s->steps);
    const struct random_key windows = {o->walks.seed, RANDOM_WINDOWS, 0, epoch},
                            noise = {o->walks.seed, RANDOM_NEGATIVES, 0, epoch};
    uint64_t place = (uint64_t)(walk->number * o->walks.length + at);
    int64_t cut = (int64_t)((uint64_t)random_u32(&windows, place) * (uint64_t)o->window >> 32);
    int64_t reach = o->window - cut, last = least(at + reach, walk->length - 1);
    int64_t blocks = negative_blocks(o);
    const uint32_t *random = slice->random;
    struct path path;
    random_blocks(slice->random, &noise, place * (uint64_t)blocks, blocks);
    if (o->negatives == 0)
        find_path(&path, s, walk->node[at]);
    for (int64_t j = at > reach ? at - reach : 0; j <= last; j++) {
        if (j == at || slice->status != GRACO_OK)
            continue;
        if (o->negatives == 0)
            put_path(slice, s, walk->node[j], &path);
        else
            put_noise(slice, s, walk->node[j], walk->node[at], random);
        random += o->negatives;
    }
}

static void draw_walks(void *job, struct threads_piece piece)
{
    struct skipgram *s = job;
    for (int64_t i = piece.first; i < piece.last; i++) {
        int32_t *node = s->places + i * s->options.walks.length;
        struct walk *walk = &s->walk[i];
        walk->node = node;
        walk->length = draw_walk(s, node, &walk->number, s->first + i);
    }
}

static void draw_slices(void *job, struct threads_piece piece)
{
    struct skipgram *s = job;
    for (int64_t k = piece.first; k < piece.last; k++) {
        struct slice *slice = &s->slice[k];
        slice->status = GRACO_OK;
        slice->pairs = 0;
        for (int i = 0; i < PARTS * PARTS; i++)
            slice->bucket[i / PARTS][i % PARTS].count = 0;
        for (int64_t i = 0; i < s->count; i++)
            for (int64_t at = k; at < s->walk[i].length; at += SLICES)
                put_place(slice, s, &s->walk[i], at);
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The buckets of a round: each has a part of U and a part of V for itself. */
static void work_off(void *job, struct threads_piece piece)
{
    struct skipgram *s = job;
    const struct loops *loops = loops_choose();
    for (int64_t u = piece.first; u < piece.last; u++) {
        const struct bucket *bucket = &s->slice[s->working].bucket[u][(u + s->round) % s->parts];
        const struct skipgram_pass pass = {.U = s->U,
                                           .V = s->V,
                                           .d = s->options.d,
                                           .alpha = s->alpha,
                                           .word = bucket->word,
                                           .count = bucket->count,
                                           .change = s->change + u * s->options.d};
        s->loss[u] += loops->skipgram(&pass, s->working == MEASURED);
    }
}

/* The rate after `done` of all nodes of walks. */
static float rate(const struct skipgram *s, int64_t epoch, int64_t chunk)
{
    double all = (double)s->tokens[s->steps];
    double done = ((double)epoch + (double)s->tokens[chunk] / all) / (double)s->options.epochs;
    return (float)(s->options.alpha * fmax(1 - done, 1e-4));
}

graco_status skipgram_step(struct skipgram *s, float *U, float *V, int64_t step, double *loss)
{
    int64_t steps = s->steps, chunk = step % steps, pairs;
    order_pass(s, chunk / s->chunks);
    s->step = step;
    s->first = chunk % s->chunks * s->chunk;
    s->count = least(s->chunk, s->nodes - s->first);
    s->U = U;
    s->V = V;
    s->alpha = rate(s, step / steps, chunk);
    memset(s->loss, 0, sizeof s->loss);
    threads_run(s->options.threads, s->count, WALKS_AT_ONCE, draw_walks, s);
    threads_run(s->options.threads, SLICES, 1, draw_slices, s);
    for (int k = 0; k < SLICES; k++)
        if (s->slice[k].status != GRACO_OK)
            return status_fail(s->slice[k].status, "no memory for the pairs of %lld walks",
                               (long long)s->count);
    for (s->working = 0; s->working < SLICES; s->working++)
        for (s->round = 0; s->round < s->parts; s->round++)
            threads_run(s->options.threads, s->parts, 1, work_off, s);
    *loss = 0;
    pairs = s->slice[MEASURED].pairs;
    for (int u = 0; u < s->parts; u++)
        *loss += pairs > 0 ? s->loss[u] / (double)pairs : 0;
    return GRACO_OK;
}
