/* The operations of methods other than GRACE with the nth allocation refused, on the way or back:
 * the tape reports it, and nothing leaks. */
#include "check.h"
#include "faults.h"

#include "tape/tape.h"

/* Three targets, the second without a source, and four sources, the last without a target. */
static int64_t start[] = {0, 3, 3, 5}, turned_start[] = {0, 2, 3, 5, 5};
static int32_t source[] = {0, 2, 0, 1, 2}, target[] = {0, 0, 2, 0, 2};
static uint32_t from[] = {0, 2, 3, 1, 4};

static const struct segments SEGMENTS = {.entries = {3, 4, start, source, NULL},
                                         .transpose = {4, 3, turned_start, target, NULL},
                                         .from = from,
                                         .count = 5,
                                         .longest = 3};

enum { ROWS = 4, COLS = 4, STEPS_MAX = 60 };

static float X[ROWS * COLS], W[COLS * COLS], dX[ROWS * COLS], dW[COLS * COLS];
static float V[2 * COLS * COLS], dV[2 * COLS * COLS];

enum call {
    CALL_DROPOUT,
    CALL_CLASSIFY,
    CALL_PAIRS,
    CALL_LARGEST,
    CALL_ATTENTION,
    CALL_LSTM,
    CALLS
};

static void classify(struct tape *tape, struct tensor *Y)
{
    static const int32_t label[] = {1, 0, 3};
    static struct classification spec = {.cols = COLS, .count = 3, .label = label};
    tape_classify(tape, &spec, Y);
}

static void pairs(struct tape *tape, struct tensor *Y)
{
    static int64_t ends_start[] = {0, 1, 2, 3, 4};
    static int32_t end[] = {0, 1, 2, 3}, ends[] = {0, 1, 2, 3};
    static double loss;
    static struct pairs spec = {.count = 2,
                                .rows = ROWS,
                                .d = COLS,
                                .end = end,
                                .ends = {ROWS, 4, ends_start, ends, NULL},
                                .scale = 1,
                                .loss = &loss};
    tape_pairs(tape, &spec, Y);
}

static graco_status build(struct tape *tape, enum call call)
{
    const struct dropout half = {{.stream = RANDOM_DROPOUT}, 0.5};
    const struct segment_heads heads = {&SEGMENTS, 2, 2, 1};
    struct tensor *leaf = tape_parameter(tape, ROWS, COLS, X, dX);
    struct tensor *Y = tape_matmul(tape, leaf, tape_parameter(tape, COLS, COLS, W, dW), NULL);
    struct tensor *A = tape_segment_max(tape, &SEGMENTS, Y);
    switch (call) {
    case CALL_DROPOUT:
        Y = tape_dropout(tape, &half, tape_join(tape, Y, tape_dropout(tape, &half, leaf)));
        Y = tape_matmul(tape, Y, tape_parameter(tape, 2 * COLS, COLS, V, dV), NULL);
        break;
    case CALL_LARGEST:
        Y = A;
        break;
    case CALL_ATTENTION:
        Y = tape_segment_sum(
            tape, &SEGMENTS,
            tape_segment_softmax(tape, &SEGMENTS, tape_segment_dot(tape, &heads, A, Y)), Y);
        break;
    case CALL_LSTM:
        Y = tape_lstm(tape, &SEGMENTS, Y, tape_parameter(tape, 1, COLS, V, dV));
        Y = tape_matmul(tape, Y, tape_parameter(tape, 1, COLS, V, dV), NULL);
        break;
    default:
        break;
    }
    if (call == CALL_PAIRS)
        pairs(tape, Y);
    else
        classify(tape, Y);
    return tape_backward(tape);
}

static void fail_each(enum call call)
{
    long n = 0;
    for (; n < STEPS_MAX; n++) {
        struct context *context = NULL;
        struct tape *tape = NULL;
        CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
        CHECK_OK(tape_create(&tape, context));
        faults_hit = 0;
        faults_until = n;
        graco_status status = build(tape, call);
        faults_until = -1;
        bool failed = faults_hit > 0;
        CHECK(status == (failed ? GRACO_ERROR_MEMORY : GRACO_OK));
        tape_free(tape);
        context_free(context);
        if (!failed)
            break;
    }
    CHECK(n > 3 && n < STEPS_MAX);
}

int main(void)
{
    for (int i = 0; i < ROWS * COLS; i++)
        X[i] = W[i] = V[i] = (float)(i % 5) - 2;
    for (int call = 0; call < CALLS; call++)
        fail_each((enum call)call);
    return check_result();
}
