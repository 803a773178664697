/* NCCL itself, one rank and a GPU: messages that a rank sends itself, behind kernels and before them. */
#include "check.h"
#include "compute/context.h"

enum { FLOATS = 100000, HALF = FLOATS / 2 };

int main(void)
{
    const struct backend *backend = NULL;
    struct context *c = NULL;
    struct comm *peers = NULL;
    float *from = NULL, *to = NULL;
    static float host[FLOATS], back[FLOATS];
    if (backend_find(&backend, "cuda") != GRACO_OK)
        check_skip(graco_message());
    CHECK_OK(context_create(&c, backend, 1, 0));
    CHECK_OK(backend->connect(c, &peers));
    if (!peers)
        check_skip("there is no libnccl.so.2");
    CHECK_OK(context_take(c, &from, FLOATS, sizeof *from));
    CHECK_OK(context_take(c, &to, FLOATS, sizeof *to));
    for (int i = 0; i < FLOATS; i++)
        host[i] = (float)i;
    CHECK_OK(c->buffers->upload(c, from, host, sizeof host));
    CHECK_OK(c->buffers->zero(c, to, sizeof host));
    CHECK_OK(c->kernels->add(c, FLOATS, from, from)); /* what is sent is what this leaves */
    for (int half = 0; half < 2; half++) {
        int64_t first = half * HALF, bytes = HALF * (int64_t)sizeof(float);
        CHECK_OK(peers->start(peers, 1, &(struct comm_message){0, false, to + first, bytes}));
        CHECK_OK(peers->start(peers, 1, &(struct comm_message){0, true, from + first, bytes}));
    }
    CHECK_OK(peers->finish(peers, 0));
    CHECK_OK(c->kernels->add(c, FLOATS, to, to)); /* and this reads what came */
    CHECK_OK(c->buffers->download(c, back, to, sizeof back));
    for (int i = 0; i < FLOATS; i++)
        CHECK(back[i] == 4 * host[i]);
    peers->free(peers);
    context_give(c, from);
    context_give(c, to);
    context_free(c);
    return check_result();
}
