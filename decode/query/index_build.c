/*
 * Chunks of all CPUs are dealt out to threads, each with a table of runs of its own; the tables are added up at the
 * end.
 */
#include "decode/query/index_build.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/capture/list.h"
#include "decode/flow/workers.h"
#include "decode/query/index_parts.h"

#define LEAST_CHUNK (256u << 10)
#define MOST_CHUNKS 8192u
#define SHOW_NANOSECONDS 100000000L

struct build {
    const struct capture *capture;
    struct flow_trace *traces; /* of CPUs 0 to capture->nr_cpus - 1 */
    uint32_t *first_stretches; /* the number of each one's first */
    struct index_parts parts;
    size_t room; /* for chunks */
    struct run_spaces spaces;
    _Atomic size_t next, done;
    _Atomic unsigned running;
};

struct worker {
    struct build *build;
    struct run_taker taker;
    struct error error;
};

/* Cut a CPU's stretches into chunks. */
static bool add_chunks(struct build *build, unsigned cpu, uint64_t chunk_bytes)
{
    const struct flow_trace *trace = &build->traces[cpu];
    for (size_t first = 0, next; first < trace->nr_stretches; first = next) {
        void *items = build->parts.chunks;
        struct index_part *part = list_add(&items, &build->parts.nr_chunks, &build->room, sizeof(*part));
        build->parts.chunks = items;
        if (!part)
            return false;
        next = first + 1;
        while (next < trace->nr_stretches && trace->stretches[next].end - trace->stretches[first].begin <= chunk_bytes)
            next++;
        *part = (struct index_part){.chunk = {.cpu = cpu,
                                              .first_stretch = build->first_stretches[cpu] + (uint32_t)first,
                                              .nr_stretches = (uint32_t)(next - first)}};
    }
    return true;
}

static void list_stretches(struct build *build, unsigned cpu)
{
    const struct flow_trace *trace = &build->traces[cpu];
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        const struct flow_stretch *stretch = &trace->stretches[i];
        build->parts.stretches[build->first_stretches[cpu] + i] =
            (struct index_stretch){.begin = stretch->begin, .end = stretch->end, .tsc = stretch->tsc};
    }
}

static bool open_traces(struct build *build, struct error *error)
{
    const struct capture *capture = build->capture;
    uint64_t bytes = 0, stretches = 0;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        struct flow_trace *trace = &build->traces[cpu];
        if (capture->cpus[cpu].present && !flow_trace_open(trace, capture, (uint16_t)cpu, error))
            return false;
        build->first_stretches[cpu] = (uint32_t)stretches;
        stretches += trace->nr_stretches;
        build->parts.header.decode_gaps += trace->lost.count;
        build->parts.header.gaps += trace->gaps.count;
        bytes += trace->input.trace_size;
    }
    const uint64_t chunk_bytes = bytes / MOST_CHUNKS > LEAST_CHUNK ? bytes / MOST_CHUNKS : LEAST_CHUNK;
    build->parts.nr_stretches = (size_t)stretches;
    build->parts.stretches = malloc(((size_t)stretches + 1) * sizeof(*build->parts.stretches));
    bool good = build->parts.stretches != NULL;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++) {
        list_stretches(build, cpu);
        good = add_chunks(build, cpu, chunk_bytes);
    }
    return good || error_set(error, ERROR_MEMORY, 0, "the chunks of an index");
}

/* What the taker has of the chunk. false: no memory, now or before. */
static bool keep_sets(struct index_part *part, const struct run_taker *taker)
{
    part->chunk.nr_set = (uint32_t)taker->set_used;
    part->chunk.nr_spaces = (uint32_t)taker->space_set.count;
    part->set = malloc((taker->set_used + 1) * sizeof(*part->set));
    part->space_set = malloc((taker->space_set.count + 1) * sizeof(*part->space_set));
    if (!part->set || !part->space_set || taker->no_memory)
        return false;
    if (taker->set_used)
        memcpy(part->set, taker->set, taker->set_used * sizeof(*part->set));
    if (taker->space_set.count)
        memcpy(part->space_set, taker->space_set.items, taker->space_set.count * sizeof(*part->space_set));
    return true;
}

static bool run_part(struct worker *worker, struct index_part *part)
{
    struct build *build = worker->build;
    const uint32_t cpu = part->chunk.cpu, number = part->chunk.first_stretch;
    struct run_taker *taker = &worker->taker;
    const size_t first = number - build->first_stretches[cpu];
    if (!run_taker_turn(taker, &build->traces[cpu], &worker->error))
        return false;
    uint64_t *branches = malloc(part->chunk.nr_stretches * sizeof(*branches));
    if (!branches)
        return error_set(&worker->error, ERROR_MEMORY, 0, "the stretches of a chunk");
    run_taker_chunk(taker, first, part->chunk.nr_stretches, number, (uint32_t)(part - build->parts.chunks) + 1,
                    branches, &part->sums);
    for (uint32_t i = 0; i < part->chunk.nr_stretches; i++)
        build->parts.stretches[number + i].branches = branches[i];
    free(branches);
    if (!keep_sets(part, taker))
        return error_set(&worker->error, ERROR_MEMORY, 0, "an index");
    capture_map_pass(taker->trace->input.trace, taker->trace->stretches[first].begin,
                     taker->trace->stretches[first + part->chunk.nr_stretches - 1].end);
    return true;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct build *build = worker->build;
    bool good = true;
    size_t number;
    while (good && (number = atomic_fetch_add(&build->next, 1)) < build->parts.nr_chunks) {
        good = run_part(worker, &build->parts.chunks[number]);
        atomic_fetch_add(&build->done, 1);
    }
    atomic_fetch_sub(&build->running, 1);
    return NULL;
}

static void watch(struct build *build, const struct index_build_options *options)
{
    const struct timespec pause = {.tv_nsec = SHOW_NANOSECONDS};
    if (!options->progress)
        return;
    while (atomic_load(&build->running) > 0) {
        nanosleep(&pause, NULL);
        options->progress(options->progress_context,
                          (double)atomic_load(&build->done) / (double)(build->parts.nr_chunks + 1));
    }
    options->progress(options->progress_context, 1);
}

static void run_workers(struct build *build, struct worker *workers, unsigned wanted,
                        const struct index_build_options *options)
{
    struct workers threads;
    atomic_store(&build->running, wanted);
    const unsigned started = workers_start(&threads, wanted, run_worker, workers, sizeof(*workers));
    atomic_fetch_sub(&build->running, wanted - started);
    if (started == 0) {
        atomic_store(&build->running, 1);
        run_worker(&workers[0]);
    }
    watch(build, options);
    workers_join(&threads);
}

/* What the threads have. */
static bool collect(struct build *build, struct worker *workers, unsigned nr_workers, struct error *error)
{
    for (unsigned i = 0; i < nr_workers; i++) {
        if (workers[i].error.kind) {
            *error = workers[i].error;
            return false;
        }
        if (!run_table_merge(&build->parts.runs, &workers[i].taker.runs))
            return error_set(error, ERROR_MEMORY, 0, "the runs of an index");
        run_taker_free(&workers[i].taker);
    }
    return true;
}

static bool build_all(struct query_index *index, struct build *build, const struct index_build_options *options,
                      struct error *error)
{
    const unsigned threads = workers_count(options->threads);
    struct worker *workers = calloc(threads, sizeof(*workers));
    bool good = workers && open_traces(build, error);
    for (unsigned i = 0; i < threads && good; i++) {
        workers[i].build = build;
        good = run_taker_init(&workers[i].taker, &build->spaces);
    }
    if (good) {
        run_workers(build, workers, threads, options);
        good = collect(build, workers, threads, error) &&
               (index_parts_join(index, &build->parts) || error_set(error, ERROR_MEMORY, 0, "an index"));
    }
    for (unsigned i = 0; i < threads && workers; i++)
        run_taker_free(&workers[i].taker);
    free(workers);
    return good || error_set(error, ERROR_MEMORY, 0, "an index");
}

bool index_build(struct query_index *index, const struct capture *capture, const struct index_build_options *options,
                 struct error *error)
{
    struct build build = {
        .capture = capture,
        .traces = calloc(capture->nr_cpus + 1, sizeof(*build.traces)),
        .first_stretches = calloc(capture->nr_cpus + 1, sizeof(*build.first_stretches)),
        .parts = {.header = {.identity = capture_identify(capture), .damages = capture->damages.count},
                  .spaces = &build.spaces}};
    struct tasks tasks = {0};
    pthread_mutex_init(&build.spaces.lock, NULL);
    bool good = build.traces && build.first_stretches && tasks_collect(&tasks, capture);
    build.spaces.tasks = &tasks;
    good = good && build_all(index, &build, options, error);
    for (unsigned cpu = 0; cpu < capture->nr_cpus && build.traces; cpu++)
        flow_trace_close(&build.traces[cpu]);
    for (size_t i = 0; i < build.parts.nr_chunks; i++) {
        free(build.parts.chunks[i].set);
        free(build.parts.chunks[i].space_set);
    }
    tasks_free(&tasks);
    pthread_mutex_destroy(&build.spaces.lock);
    run_table_free(&build.parts.runs);
    free(build.parts.chunks);
    free(build.parts.stretches);
    free(build.spaces.items);
    free(build.first_stretches);
    free(build.traces);
    return good || error_set(error, ERROR_MEMORY, 0, "an index");
}
