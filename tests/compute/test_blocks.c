/* The exact objective and InfoNCE with blocks of one tile to four, which only large graphs have, against the
 * reference: sizes around the edges of blocks, any number of threads, any room for kept tiles. */
#include "block_cases.h"

/* Every pair of blocks meets once, and each block's turns count up from 0. */
static void check_tournament(void)
{
    for (int64_t blocks = 2; blocks <= 14; blocks += 2) {
        struct side side = {.n = blocks * TILE / 2};
        int64_t turns[14] = {0};
        bool met[14][14] = {{false}};
        side_cut(&side, 1);
        CHECK(side.blocks == blocks);
        for (int64_t index = 0; index < match_count(&side, &side); index++) {
            struct match m = match_at(&side, &side, index);
            CHECK(m.i <= m.j && m.diagonal == (m.i == m.j) && !met[m.i][m.j]);
            CHECK(m.between == (m.i < blocks / 2 && m.j >= blocks / 2));
            met[m.i][m.j] = true;
            CHECK(turns[m.i]++ == m.i_turn);
            CHECK(m.diagonal || turns[m.j]++ == m.j_turn);
        }
        for (int64_t i = 0; i < blocks; i++)
            for (int64_t j = i; j < blocks; j++)
                CHECK(met[i][j]);
    }
}

int main(void)
{
    CHECK(block_span(1) == 1 && block_span(63 * TILE) == 1);
    CHECK(block_span(64 * TILE) == 2 && block_span((int64_t)1 << 40) == 4);
    check_tournament();
    for (int half = 0; half < 2; half++) {
        const struct way way = {half ? PRECISION_BF16 : PRECISION_FP32, NULL, half ? 8e-3 : 2e-5};
        check_blocks(2, 9, true, way);
        check_blocks(385, 9, true, way);
        check_blocks(770, 9, true, way);
        check_blocks(770, 9, false, way);
    }
    return check_result();
}
