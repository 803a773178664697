/* A ring of samples between the workers and the training loop.
 *
 * Step s belongs in slot s % slots. Workers claim steps in order, and only while fewer than `slots`
 * steps separate the claimed from the released ones: a claimed slot is then nobody else's. One
 * mutex guards the counters and the states of the slots, never the drawing itself. The caller's
 * sample stays claimed until the next call, hence one slot more than may be ready. */
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

/* What one thread draws with. */
struct worker {
    struct prefetch *prefetch;
    struct sampler *sampler;
    int32_t *order; /* (count) the roots as shuffled for `epoch` */
    int64_t epoch;  /* -1: none yet */
    pthread_t thread;
};

struct prefetch {
    struct prefetch_options options;
    int slots, started;    /* threads */
    struct worker *worker; /* (max(workers, 1)) */
    struct slot *slot;     /* (slots) */
    bool synchronised;     /* whether the mutex and the conditions exist */
    pthread_mutex_t mutex;
    pthread_cond_t drawn, released; /* a slot became ready; one became free, or it is over */
    int64_t claimed, next;          /* steps: first unclaimed, first not handed out */
    bool holding, stop;             /* the caller has step next - 1; the workers must end */
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
    if (o->workers < 0 || o->workers > PREFETCH_WORKERS)
        return status_fail(GRACO_ERROR_ARGUMENT, "%d sampling threads: expected 0 to %d",
                           o->workers, PREFETCH_WORKERS);
    if (o->ahead < 1 || o->ahead > PREFETCH_AHEAD)
        return status_fail(GRACO_ERROR_ARGUMENT, "%d samples ahead: expected 1 to %d", o->ahead,
                           PREFETCH_AHEAD);
    return GRACO_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The order is made from the given one, not from the last: any epoch can be the first. */
static void shuffle_epoch(struct worker *w, int64_t epoch)
{
    const struct prefetch_options *o = &w->prefetch->options;
    const struct random_key key = {o->seed, RANDOM_ORDER, 0, (uint32_t)epoch};
    memcpy(w->order, o->roots, (size_t)o->count * sizeof *w->order);
    random_shuffle(w->order, o->count, &key);
    w->epoch = epoch;
}

/* A batch of the epoch's order. */
static graco_status draw_batch(struct sample *sample, struct worker *w, int64_t step)
{
    const struct prefetch_options *o = &w->prefetch->options;
    int64_t steps = prefetch_steps(o->count, o->batch, o->least);
    if (w->epoch != step / steps)
        shuffle_epoch(w, step / steps);
    int64_t begin = step % steps * o->batch;
    int64_t roots = step % steps < steps - 1 ? o->batch : o->count - begin;
    return sampler_draw(w->sampler, sample, w->order + begin, roots, (uint32_t)step);
}

/* Roots that somebody else chose. */
static graco_status draw_given(struct sample *sample, struct worker *w, int64_t step)
{
    const struct prefetch_options *o = &w->prefetch->options;
    int32_t *roots = NULL;
    int64_t count = 0;
    graco_status status = GRACO_OK;
    TRY(o->draw(&roots, &count, o->owner, (uint32_t)step));
    TRY(sampler_draw(w->sampler, sample, roots, count, (uint32_t)step));
done:
    memory_free(roots);
    return status;
}

static void draw_step(struct slot *slot, struct worker *w, int64_t step)
{
    bool given = w->prefetch->options.draw;
    slot->status = given ? draw_given(&slot->sample, w, step) : draw_batch(&slot->sample, w, step);
    if (slot->status != GRACO_OK) {
        status_context(slot->status, "sampling step %lld", (long long)step);
        snprintf(slot->message, sizeof slot->message, "%s", graco_message());
    }
}

static void *run_worker(void *argument)
{
    struct worker *w = argument;
    struct prefetch *p = w->prefetch;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        if (p->claimed - (p->next - p->holding) >= p->slots) {
            pthread_cond_wait(&p->released, &p->mutex);
            continue;
        }
        int64_t step = p->claimed++;
        struct slot *slot = &p->slot[step % p->slots];
        pthread_mutex_unlock(&p->mutex);
        draw_step(slot, w, step);
        pthread_mutex_lock(&p->mutex);
        slot->ready = true;
        pthread_cond_signal(&p->drawn);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* ---- The caller's side ----------------------------------------------------------------------- */

static graco_status init_synchronisation(struct prefetch *p)
{
    if (pthread_mutex_init(&p->mutex, NULL) != 0)
        goto failed;
    if (pthread_cond_init(&p->drawn, NULL) != 0)
        goto failed_drawn;
    if (pthread_cond_init(&p->released, NULL) != 0)
        goto failed_released;
    p->synchronised = true;
    return GRACO_OK;
failed_released:
    pthread_cond_destroy(&p->drawn);
failed_drawn:
    pthread_mutex_destroy(&p->mutex);
failed:
    return status_fail(GRACO_ERROR_MEMORY, "the system refused a mutex or a condition");
}

static graco_status init_workers(struct prefetch *p)
{
    graco_status status = GRACO_OK;
    const struct prefetch_options *o = &p->options;
    int workers = o->workers > 0 ? o->workers : 1;
    TRY(memory_zalloc(&p->worker, workers, sizeof *p->worker));
    for (int i = 0; i < workers; i++) {
        struct worker *w = &p->worker[i];
        w->prefetch = p;
        w->epoch = -1;
        TRY(sampler_create(&w->sampler, o->graph, o->hops, o->fanout, o->seed));
        if (!o->draw)
            TRY(memory_alloc(&w->order, o->count, sizeof *w->order));
    }
done:
    return status;
}

static graco_status start_threads(struct prefetch *p)
{
    for (; p->started < p->options.workers; p->started++) {
        struct worker *w = &p->worker[p->started];
        int error = pthread_create(&w->thread, NULL, run_worker, w);
        if (error != 0)
            return status_fail(GRACO_ERROR_MEMORY, "cannot start sampling thread %d of %d: %s",
                               p->started + 1, p->options.workers, strerror(error));
    }
    return GRACO_OK;
}

graco_status prefetch_create(struct prefetch **out, const struct prefetch_options *options)
{
    graco_status status = GRACO_OK;
    struct prefetch *p = NULL;
    TRY(check_options(options));
    TRY(memory_zalloc(&p, 1, sizeof *p));
    p->options = *options;
    p->slots = options->workers > 0 ? options->ahead + 1 : 1;
    p->claimed = p->next = options->first_step;
    TRY(memory_zalloc(&p->slot, p->slots, sizeof *p->slot));
    TRY(init_workers(p));
    TRY(init_synchronisation(p));
    TRY(start_threads(p));
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
        pthread_cond_signal(&p->released);
    }
    while (!next->ready)
        pthread_cond_wait(&p->drawn, &p->mutex);
    if (next->status == GRACO_OK) {
        p->holding = true;
        p->next++;
    }
    pthread_mutex_unlock(&p->mutex);
}

graco_status prefetch_next(struct prefetch *p, const struct sample **out)
{
    struct slot *slot = &p->slot[p->next % p->slots];
    if (p->started > 0)
        exchange_slots(p, slot);
    else if (slot->status == GRACO_OK)
        draw_step(slot, p->worker, p->next++);
    if (slot->status != GRACO_OK)
        return status_fail(slot->status, "%s", slot->message);
    *out = &slot->sample;
    return GRACO_OK;
}

static void stop_threads(struct prefetch *p)
{
    if (!p->synchronised)
        return;
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->released);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < p->started; i++)
        pthread_join(p->worker[i].thread, NULL);
    pthread_cond_destroy(&p->released);
    pthread_cond_destroy(&p->drawn);
    pthread_mutex_destroy(&p->mutex);
}

void prefetch_free(struct prefetch *p)
{
    if (!p)
        return;
    stop_threads(p);
    for (int i = 0; p->worker && i < (p->options.workers > 0 ? p->options.workers : 1); i++) {
        sampler_free(p->worker[i].sampler);
        memory_free(p->worker[i].order);
    }
    for (int i = 0; p->slot && i < p->slots; i++)
        sample_clear(&p->slot[i].sample);
    memory_free(p->worker);
    memory_free(p->slot);
    memory_free(p);
}
