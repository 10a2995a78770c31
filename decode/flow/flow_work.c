/*
 * The bytes are dealt out in chunks, many a thread, since the same number of bytes can be a very different amount of
 * work. Each thread takes the next chunk that nobody has, cuts it and decodes it; so neither the trace nor what is made
 * of it has to be in memory at once.
 */
#include "decode/flow/flow_work.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "decode/capture/capture_map.h"
#include "decode/flow/flow_chunk.h"
#include "decode/flow/flow_order.h"
#include "decode/flow/flow_text.h"
#include "decode/truth.h"

#define MAX_THREADS 64u
#define CHUNKS_A_THREAD 4u
#define LEAST_CHUNK (64u << 10)
#define MOST_CHUNK (1u << 20)
#define TEXT_CHUNK (32u << 10) /* with lists: some megabytes of text */
#define MOST_CHUNKS 65536u
#define SHOW_NANOSECONDS 250000000L

struct pool {
    const struct flow_trace *trace;
    const struct flow_run_options *options;
    struct flow_part part; /* of it; to is not behind its end */
    uint64_t chunk_bytes;
    struct flow_chunk *chunks;
    size_t nr_chunks;
    struct flow_order order;
    struct flow_text_order texts;
    _Atomic size_t next; /* chunk that nobody has taken */
    _Atomic size_t done;
    _Atomic unsigned running;
};

struct worker {
    struct pool *pool;
    pthread_t thread;
    struct flow *flow;
    struct flow_held held;
    struct flow_text_maker text;
    struct hot targets, inferred;
    struct error error;
};

/* A hook. */
static void take_branches(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct worker *worker = context;
    const struct flow_run_options *options = worker->pool->options;
    for (size_t i = 0; i < count && options->count_targets; i++)
        if (branches[i].to != TRUTH_TO_UNRESOLVED)
            hot_add(&worker->targets, branches[i].to, 1);
    if (options->hooks.branches)
        flow_held_branches(&worker->held, branches, count, tsc);
    if (options->text && options->text->branches)
        flow_text_take_branches(&worker->text, branches, count, tsc);
}

/* A hook. */
static void take_instruction(void *context, uint64_t ip)
{
    struct worker *worker = context;
    const struct flow_run_options *options = worker->pool->options;
    if (options->hooks.instruction)
        flow_held_instruction(&worker->held, ip);
    if (options->text && options->text->instruction)
        flow_text_take_instruction(&worker->text, ip);
}

/* A hook. */
static void take_transfers(void *context, const struct flow_transfers *transfers)
{
    flow_held_transfers(&((struct worker *)context)->held, transfers);
}

/* A hook. */
static void take_result(void *context, const struct flow_result *result)
{
    flow_held_result(&((struct worker *)context)->held, result);
}

static bool has_hooks(const struct pool *pool)
{
    const struct flow_hooks *hooks = &pool->options->hooks;
    return hooks->branches || hooks->instruction || hooks->transfers || hooks->result;
}

static struct flow *start_flow(struct worker *worker)
{
    const struct flow_run_options *options = worker->pool->options;
    static const struct flow_text none;
    const struct flow_text *text = options->text ? options->text : &none;
    const struct flow_hooks hooks = {
        .branches = options->hooks.branches || options->count_targets || text->branches ? take_branches : NULL,
        .instruction = options->hooks.instruction || text->instruction ? take_instruction : NULL,
        .context = worker,
        .transfers = options->hooks.transfers ? take_transfers : NULL,
        .result = options->hooks.result ? take_result : NULL,
    };
    return flow_start(&worker->pool->trace->input, &hooks, &worker->error);
}

static void run_chunk(struct worker *worker, size_t number)
{
    struct pool *pool = worker->pool;
    const struct flow_trace *trace = pool->trace;
    const uint64_t begin = pool->part.from + number * pool->chunk_bytes;
    const bool last = number + 1 == pool->nr_chunks;
    const struct flow_part part = {begin, last ? pool->part.to : begin + pool->chunk_bytes};
    worker->held.chunk = number;
    if (pool->options->text)
        flow_text_begin(&worker->text, number);
    if (!flow_chunk_run(&pool->chunks[number], worker->flow, trace, part, !pool->options->sums_only))
        error_set(&worker->error, ERROR_MEMORY, 0, "the stretches of a trace");
    if (has_hooks(pool))
        flow_held_finish(&worker->held);
    if (pool->options->text)
        flow_text_finish(&worker->text);
    const uint64_t end = last ? trace->input.trace_size : part.to;
    if (trace->mapped)
        capture_map_pass(trace->input.trace, begin, end);
    atomic_fetch_add(&pool->done, 1);
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    size_t number;
    worker->flow = start_flow(worker);
    while (worker->flow && (number = atomic_fetch_add(&pool->next, 1)) < pool->nr_chunks)
        run_chunk(worker, number);
    if (worker->flow) {
        hot_merge(&worker->inferred, flow_inferred(worker->flow));
        flow_end(worker->flow);
    }
    flow_held_free(&worker->held);
    atomic_fetch_sub(&pool->running, 1);
    return NULL;
}

/* Until all threads are through. */
static void watch_pool(struct pool *pool)
{
    const struct timespec pause = {.tv_nsec = SHOW_NANOSECONDS};
    const struct flow_run_options *options = pool->options;
    if (!options->progress)
        return;
    while (atomic_load(&pool->running) > 0) {
        nanosleep(&pause, NULL);
        options->progress(options->progress_context, (double)atomic_load(&pool->done) / (double)pool->nr_chunks);
    }
    options->progress(options->progress_context, 1);
}

static void run_workers(struct pool *pool, struct worker *workers, unsigned wanted)
{
    unsigned started = 0;
    atomic_store(&pool->running, wanted);
    while (started < wanted && pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) == 0)
        started++;
    atomic_fetch_sub(&pool->running, wanted - started);
    if (started == 0) {
        atomic_store(&pool->running, 1);
        run_worker(&workers[0]);
    }
    watch_pool(pool);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}

/* false: no memory. */
static bool deal_chunks(struct pool *pool, unsigned threads)
{
    const uint64_t size = pool->trace->input.trace_size;
    const uint64_t bytes = (pool->part.to < size ? pool->part.to : size) - pool->part.from;
    pool->chunk_bytes = bytes / (threads * CHUNKS_A_THREAD) + 1;
    if (pool->chunk_bytes < LEAST_CHUNK)
        pool->chunk_bytes = LEAST_CHUNK;
    if (pool->chunk_bytes > MOST_CHUNK)
        pool->chunk_bytes = MOST_CHUNK;
    if (pool->options->text)
        pool->chunk_bytes = TEXT_CHUNK;
    /* A gap can be larger than all disks. */
    if (pool->chunk_bytes < bytes / MOST_CHUNKS + 1)
        pool->chunk_bytes = bytes / MOST_CHUNKS + 1;
    pool->nr_chunks = (size_t)(bytes / pool->chunk_bytes + 1);
    pool->chunks = calloc(pool->nr_chunks, sizeof(*pool->chunks));
    return pool->chunks != NULL;
}

/* What the threads have made, in order. */
static bool collect(struct flow_run *run, struct pool *pool, struct worker *workers, unsigned nr_workers,
                    struct error *error)
{
    bool good = flow_chunks_join(run, pool->chunks, pool->nr_chunks) ||
                error_set(error, ERROR_MEMORY, 0, "the stretches of a trace");
    for (unsigned i = 0; i < nr_workers; i++) {
        hot_merge(&run->targets, &workers[i].targets);
        hot_merge(&run->inferred, &workers[i].inferred);
        hot_free(&workers[i].targets);
        hot_free(&workers[i].inferred);
        if (good && workers[i].error.kind) {
            *error = workers[i].error;
            good = false;
        }
    }
    return good;
}

bool flow_work(struct flow_run *run, const struct flow_trace *trace, const struct flow_run_options *options,
               struct error *error)
{
    struct pool pool = {.trace = trace,
                        .options = options,
                        .part = flow_part(trace->input.trace_size, options->part, options->nr_parts)};
    if (options->part == 0)
        pool.part = (struct flow_part){options->from, options->to ? options->to : UINT64_MAX};
    unsigned threads = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    struct worker *workers = calloc(threads, sizeof(*workers));
    bool good = flow_text_init(&pool.texts, options->text, threads) && workers && deal_chunks(&pool, threads);
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "%u threads", threads);
    flow_order_init(&pool.order, &options->hooks);
    for (unsigned i = 0; i < threads && good; i++) {
        workers[i] = (struct worker){.pool = &pool, .held.order = &pool.order};
        flow_text_maker_init(&workers[i].text, &pool.texts, i);
    }
    if (good) {
        run_workers(&pool, workers, threads);
        good = collect(run, &pool, workers, threads, error);
    }
    flow_order_destroy(&pool.order);
    flow_text_destroy(&pool.texts);
    free(pool.chunks);
    free(workers);
    return good;
}
