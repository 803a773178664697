/* Which blocks meet in which order: a round-robin tournament.
 *
 * In round r block i meets block (r - i) mod B, so every block of one side plays once a round. Between two
 * sides, block a of the one that has fewer meets block (r - a) mod R of the R on the other side. B = 4, each
 * match with its blocks:
 *
 *     round 0: 0-0 1-3 2-2     round 1: 0-1 2-3     round 2: 0-2 1-1 3-3     round 3: 0-3 1-2
 *
 * So matches that follow each other have no block in common, and threads that take them in this order
 * hardly ever wait for each other. */
#include "compute/cpu/cpu_contrast.h"

/* A round has MATCHES_AT_ONCE matches before blocks grow, so that as many threads find work. Two blocks of
 * SPAN_MAX tiles, of 128 columns in bf16, take 1.6 MB with their gradients: a core's own cache has 1 to 2. */
enum { MATCHES_AT_ONCE = 32, SPAN_MAX = 4 };

int64_t block_span(int64_t n)
{
    int64_t span = pieces_of(n, TILE) / MATCHES_AT_ONCE;
    return span < 1 ? 1 : least(span, SPAN_MAX);
}

struct block block_at(const struct side *side, int64_t index)
{
    int64_t view = side->view + index / side->per_view, most = side->span * TILE;
    int64_t first = index % side->per_view * most;
    return (struct block){view * side->n + first, least(side->n - first, most)};
}

static int64_t view_of(const struct side *side, int64_t index)
{
    return side->view + index / side->per_view;
}

int64_t match_count(const struct side *a, const struct side *b)
{
    return a == b ? a->blocks * (a->blocks + 1) / 2 : a->blocks * b->blocks;
}

int64_t contrast_tiles(const struct side *a, const struct side *b)
{
    return match_count(a, b) * a->span * b->span;
}

/* With B blocks, an even number, an even round has B / 2 + 1 matches, two of them of a block with itself,
 * and an odd one B / 2. In round r come first the pairs whose blocks add up to r, then those that
 * add up to r + B. */
static struct match match_within(const struct side *side, int64_t index)
{
    int64_t B = side->blocks, even = B / 2 + 1, rest = index % (B + 1);
    int64_t round = 2 * (index / (B + 1)) + (rest >= even), k = rest >= even ? rest - even : rest;
    int64_t low = round / 2 + 1;
    int64_t i = k < low ? k : round + 1 + k - low;
    int64_t j = k < low ? round - i : round + B - i;
    return (struct match){.index = index,
                          .i = i,
                          .j = j,
                          .i_turn = round,
                          .j_turn = round,
                          .between = view_of(side, i) != view_of(side, j),
                          .diagonal = i == j};
}

/* How many of the first x rounds a block sits in that plays in the first `fewer` of every `more`. */
static int64_t rounds_played(int64_t x, int64_t fewer, int64_t more)
{
    return x / more * fewer + least(x % more, fewer);
}

static struct match match_between(const struct side *a, const struct side *b, int64_t index)
{
    int64_t fewer = least(a->blocks, b->blocks), more = a->blocks + b->blocks - fewer;
    int64_t round = index / fewer, few = index % fewer, many = ((round - few) % more + more) % more;
    int64_t turn =
        rounds_played(round - many + more, fewer, more) - rounds_played(more - many, fewer, more);
    bool first = a->blocks == fewer; /* the side with fewer blocks */
    struct match m = {.index = index, .i = first ? few : many, .j = first ? many : few};
    m.i_turn = first ? round : turn;
    m.j_turn = first ? turn : round;
    m.between = view_of(a, m.i) != view_of(b, m.j);
    return m;
}

struct match match_at(const struct side *a, const struct side *b, int64_t index)
{
    return a == b ? match_within(a, index) : match_between(a, b, index);
}
