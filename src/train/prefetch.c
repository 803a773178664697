/* A ring of samples between the thread that draws them and the training loop.
 *
 * Step s belongs in slot s % slots. The thread draws step after step, while fewer than `slots` steps separate
 * the drawn from the released ones. One mutex guards the counters and the states of the slots, never the drawing
 * itself; of both sides only one can wait, so one condition serves both. The caller's sample stays claimed until
 * the next call, hence one slot more than may be ready. */
#include "train/prefetch.h"

#include "base/memory.h"
#include "base/random.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

struct slot {
    struct sample sample;
    bool ready; /* drawn or failed, and not released yet */
    graco_status status;
    char message[MESSAGE_SIZE]; /* of the failure: messages belong to a thread */
};

struct prefetch {
    struct prefetch_options options;
    struct sampler *sampler;
    int32_t *order; /* (count) the roots as shuffled for `epoch` */
    int64_t epoch;  /* -1: none yet */
    int slots;
    struct slot *slot; /* (slots) */
    pthread_t thread;
    bool synchronised, started; /* the mutex and the condition exist; the thread does */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a slot became ready; one became free, or it is over */
    int64_t drawn, next;    /* steps: first not begun, first not handed out */
    bool holding, stop;     /* the caller has step next - 1; the thread must end */
};

int64_t prefetch_steps(int64_t count, int64_t batch, int64_t least)
{
    int64_t whole = count / batch, rest = count % batch;
    return whole + (whole == 0 || (rest > 0 && rest >= least));
}

static graco_status check_options(const struct prefetch_options *o)
{
    if (o->count < 1 || o->count > o->graph->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld nodes to train on in a graph of %lld",
                           (long long)o->count, (long long)o->graph->nodes);
    if (o->batch < 1)
        return status_fail(GRACO_ERROR_ARGUMENT, "batch %lld: expected at least 1",
                           (long long)o->batch);
    if (o->first_step < 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "first step %lld: expected at least 0",
                           (long long)o->first_step);
    if (o->ahead < 1 || o->ahead > PREFETCH_AHEAD)
        return status_fail(GRACO_ERROR_ARGUMENT, "%d samples ahead: expected 1 to %d", o->ahead,
                           PREFETCH_AHEAD);
    return GRACO_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The order is made from the given one, not from the last: any epoch can be the first. */
static void shuffle_epoch(struct prefetch *p, int64_t epoch)
{
    const struct prefetch_options *o = &p->options;
    const struct random_key key = {o->seed, RANDOM_ORDER, 0, (uint32_t)epoch};
    memcpy(p->order, o->roots, (size_t)o->count * sizeof *p->order);
    random_shuffle(p->order, o->count, &key);
    p->epoch = epoch;
}

/* A batch of the epoch's order. */
static graco_status draw_batch(struct sample *sample, struct prefetch *p, int64_t step)
{
    const struct prefetch_options *o = &p->options;
    int64_t steps = prefetch_steps(o->count, o->batch, o->least);
    if (p->epoch != step / steps)
        shuffle_epoch(p, step / steps);
    int64_t begin = step % steps * o->batch;
    int64_t roots = step % steps < steps - 1 ? o->batch : o->count - begin;
    return sampler_draw(p->sampler, sample, p->order + begin, roots, (uint32_t)step);
}

/* Roots that somebody else chose. */
static graco_status draw_given(struct sample *sample, struct prefetch *p, int64_t step)
{
    int32_t *roots = NULL;
    int64_t count = 0;
    graco_status status = GRACO_OK;
    TRY(p->options.draw(&roots, &count, p->options.owner, (uint32_t)step));
    TRY(sampler_draw(p->sampler, sample, roots, count, (uint32_t)step));
done:
    memory_free(roots);
    return status;
}

static void draw_step(struct slot *slot, struct prefetch *p, int64_t step)
{
    slot->status = (p->options.draw ? draw_given : draw_batch)(&slot->sample, p, step);
    if (slot->status != GRACO_OK) {
        status_context(slot->status, "sampling step %lld", (long long)step);
        snprintf(slot->message, sizeof slot->message, "%s", graco_message());
    }
}

static void *run_thread(void *argument)
{
    struct prefetch *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        if (p->drawn - (p->next - p->holding) >= p->slots) {
            pthread_cond_wait(&p->changed, &p->mutex);
            continue;
        }
        int64_t step = p->drawn++;
        struct slot *slot = &p->slot[step % p->slots];
        pthread_mutex_unlock(&p->mutex);
        draw_step(slot, p, step);
        pthread_mutex_lock(&p->mutex);
        slot->ready = true;
        pthread_cond_signal(&p->changed);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* ---- The caller's side ----------------------------------------------------------------------- */

static graco_status start_thread(struct prefetch *p)
{
    if (pthread_mutex_init(&p->mutex, NULL) != 0)
        return status_fail(GRACO_ERROR_MEMORY, "the system refused a mutex");
    if (pthread_cond_init(&p->changed, NULL) != 0) {
        pthread_mutex_destroy(&p->mutex);
        return status_fail(GRACO_ERROR_MEMORY, "the system refused a condition");
    }
    p->synchronised = true;
    int error = pthread_create(&p->thread, NULL, run_thread, p);
    p->started = error == 0;
    return p->started ? GRACO_OK
                      : status_fail(GRACO_ERROR_MEMORY, "cannot start the sampling thread: %s",
                                    strerror(error));
}

graco_status prefetch_create(struct prefetch **out, const struct prefetch_options *options)
{
    graco_status status = GRACO_OK;
    struct prefetch *p = NULL;
    TRY(check_options(options));
    TRY(memory_zalloc(&p, 1, sizeof *p));
    p->options = *options;
    p->slots = options->thread ? options->ahead + 1 : 1;
    p->drawn = p->next = options->first_step;
    p->epoch = -1;
    TRY(memory_zalloc(&p->slot, p->slots, sizeof *p->slot));
    TRY(sampler_create(&p->sampler, options->graph, options->hops, options->fanout, options->seed));
    if (!options->draw)
        TRY(memory_alloc(&p->order, options->count, sizeof *p->order));
    if (options->thread)
        TRY(start_thread(p));
    *out = p;
    p = NULL;
done:
    prefetch_free(p);
    return status;
}

/* Frees the slot of the sample that the caller had, and waits for the next one's. */
static void exchange_slots(struct prefetch *p, struct slot *next)
{
    pthread_mutex_lock(&p->mutex);
    if (p->holding) {
        p->slot[(p->next - 1) % p->slots].ready = false;
        p->holding = false;
        pthread_cond_signal(&p->changed);
    }
    while (!next->ready)
        pthread_cond_wait(&p->changed, &p->mutex);
    if (next->status == GRACO_OK) {
        p->holding = true;
        p->next++;
    }
    pthread_mutex_unlock(&p->mutex);
}

graco_status prefetch_next(struct prefetch *p, const struct sample **out)
{
    struct slot *slot = &p->slot[p->next % p->slots];
    if (p->started)
        exchange_slots(p, slot);
    else if (slot->status == GRACO_OK)
        draw_step(slot, p, p->next++);
    if (slot->status != GRACO_OK)
        return status_fail(slot->status, "%s", slot->message);
    *out = &slot->sample;
    return GRACO_OK;
}

static void stop_thread(struct prefetch *p)
{
    if (p->started) {
        pthread_mutex_lock(&p->mutex);
        p->stop = true;
        pthread_cond_signal(&p->changed);
        pthread_mutex_unlock(&p->mutex);
        pthread_join(p->thread, NULL);
    }
    if (p->synchronised) {
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->mutex);
    }
}

void prefetch_free(struct prefetch *p)
{
    if (!p)
        return;
    stop_thread(p);
    sampler_free(p->sampler);
    for (int i = 0; p->slot && i < p->slots; i++)
        sample_clear(&p->slot[i].sample);
    memory_free(p->order);
    memory_free(p->slot);
    memory_free(p);
}
