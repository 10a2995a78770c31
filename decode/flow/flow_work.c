/*
 * The stretches are dealt out in parts, several a thread, since the same number of bytes can be a very different amount
 * of work. Each part begins with the code as it was at its first stretch.
 */
#include "decode/flow/flow_work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "decode/truth.h"

#define MAX_THREADS 64u
#define PARTS_A_THREAD 4u
#define SHOW_NANOSECONDS 250000000L

/* A run of stretches. */
struct part {
    struct flow_work *work;
    size_t first, count;
    struct hot targets, inferred;
    struct error error;
};

struct pool {
    struct part parts[MAX_THREADS * PARTS_A_THREAD];
    size_t nr_parts;
    _Atomic size_t next; /* part that nobody has taken */
    _Atomic size_t done; /* stretches */
    _Atomic unsigned running;
};

static void count_targets(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct part *part = context;
    const struct flow_hooks *hooks = &part->work->hooks;
    for (size_t i = 0; i < count; i++)
        if (branches[i].to != TRUTH_TO_UNRESOLVED)
            hot_add(&part->targets, branches[i].to, 1);
    if (hooks->branches)
        hooks->branches(hooks->context, branches, count, tsc);
}

static void pass_instruction(void *context, uint64_t ip)
{
    const struct flow_hooks *hooks = &((const struct part *)context)->work->hooks;
    hooks->instruction(hooks->context, ip);
}

static void run_part(struct part *part, _Atomic size_t *done)
{
    const struct flow_work *work = part->work;
    const struct flow_input *input = work->input;
    const struct flow_hooks counting = {
        .branches = count_targets, .instruction = work->hooks.instruction ? pass_instruction : NULL, .context = part};
    struct flow *flow = flow_start(input, work->count_targets ? &counting : &work->hooks, &part->error);
    if (!flow)
        return;
    for (size_t i = part->first; i < part->first + part->count; i++) {
        const struct flow_stretch *stretch = &work->stretches[i];
        flow_decode(flow, stretch, &work->results[i]);
        atomic_fetch_add(done, 1);
    }
    hot_merge(&part->inferred, flow_inferred(flow));
    flow_end(flow);
}

static void *run_thread(void *argument)
{
    struct pool *pool = argument;
    size_t i;
    while ((i = atomic_fetch_add(&pool->next, 1)) < pool->nr_parts)
        run_part(&pool->parts[i], &pool->done);
    atomic_fetch_sub(&pool->running, 1);
    return NULL;
}

/* Parts of about the same number of bytes. */
static void deal_parts(struct pool *pool, struct flow_work *work, size_t nr_parts)
{
    uint64_t first = work->stretches[0].begin;
    uint64_t total = work->stretches[work->count - 1].end - first;
    for (size_t i = 0; i < work->count; i++) {
        uint64_t at = work->stretches[i].begin - first;
        if (pool->nr_parts == 0 || (pool->nr_parts < nr_parts && at / pool->nr_parts >= total / nr_parts))
            pool->parts[pool->nr_parts++] = (struct part){.work = work, .first = i};
        pool->parts[pool->nr_parts - 1].count++;
    }
}

/* Until all threads are through. */
static void watch_pool(struct pool *pool, const struct flow_work *work)
{
    const struct timespec pause = {.tv_nsec = SHOW_NANOSECONDS};
    if (!work->progress)
        return;
    while (atomic_load(&pool->running) > 0) {
        nanosleep(&pause, NULL);
        work->progress(work->progress_context, (double)atomic_load(&pool->done) / (double)work->count);
    }
}

static void run_threads(struct pool *pool, const struct flow_work *work)
{
    pthread_t threads[MAX_THREADS];
    unsigned wanted = work->threads < MAX_THREADS ? work->threads : MAX_THREADS, started = 0;
    atomic_store(&pool->running, wanted);
    while (started < wanted && pthread_create(&threads[started], NULL, run_thread, pool) == 0)
        started++;
    atomic_fetch_sub(&pool->running, wanted - started);
    if (started == 0) {
        atomic_store(&pool->running, 1);
        run_thread(pool);
    }
    watch_pool(pool, work);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

bool flow_work(struct flow_work *work, struct error *error)
{
    struct pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return error_set(error, ERROR_MEMORY, 0, "%u threads", work->threads);
    if (work->hooks.branches || work->hooks.instruction)
        work->threads = 1;
    deal_parts(pool, work,
               work->threads == 1 ? 1 : (work->threads < MAX_THREADS ? work->threads : MAX_THREADS) * PARTS_A_THREAD);
    run_threads(pool, work);
    if (work->progress)
        work->progress(work->progress_context, 1);
    bool good = true;
    for (size_t i = 0; i < pool->nr_parts; i++) {
        struct part *part = &pool->parts[i];
        hot_merge(&work->targets, &part->targets);
        hot_merge(&work->inferred, &part->inferred);
        hot_free(&part->targets);
        hot_free(&part->inferred);
        if (good && part->error.kind) {
            *error = part->error;
            good = false;
        }
    }
    free(pool);
    return good;
}
