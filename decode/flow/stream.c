/* The consumer's side of the scheduler. */
#include "decode/flow/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "decode/capture/monotonic.h"
#include "decode/engine/hot.h"
#include "decode/flow/stream_state.h"

#define CHUNKS_A_THREAD 4u
#define LEAST_CHUNK (64u << 10)
#define MOST_CHUNK (1u << 20)
#define TEXT_CHUNK (32u << 10) /* some megabytes of text */
#define MOST_CHUNKS 65536u
#define SHOW_SECONDS 0.25

/* The same number of bytes can be very different amounts of work: so there are many chunks a thread. */
static void size_chunks(struct stream_lane *lane, const struct stream_options *options, unsigned threads)
{
    const uint64_t size = lane->trace->input.trace_size, from = lane->part.from;
    const uint64_t end = lane->part.to < size ? lane->part.to : size, bytes = end > from ? end - from : 0;
    uint64_t chunk = bytes / (threads * CHUNKS_A_THREAD) + 1;
    chunk = chunk < LEAST_CHUNK ? LEAST_CHUNK : chunk > MOST_CHUNK ? MOST_CHUNK : chunk;
    if (options->format)
        chunk = TEXT_CHUNK;
    /* A gap can be larger than all disks. */
    if (chunk < bytes / MOST_CHUNKS + 1)
        chunk = bytes / MOST_CHUNKS + 1;
    lane->chunk_bytes = chunk;
    lane->nr_chunks = (size_t)(bytes / chunk + 1);
}

static bool open_lane(struct stream *stream, const struct stream_part *part, size_t nr_lanes, struct error *error)
{
    struct stream_lane *lane = &stream->lanes[stream->nr_lanes++];
    const unsigned threads = stream->nr_workers;
    const size_t seats = nr_lanes > 1 ? (threads + nr_lanes - 1) / nr_lanes + (threads > 1) : threads;
    *lane = (struct stream_lane){
        .trace = part->trace, .part = part->part, .time = part->time, .depth = CHUNKS_A_THREAD * seats};
    size_chunks(lane, &stream->options, threads);
    lane->chunks = calloc(lane->nr_chunks, sizeof(*lane->chunks));
    lane->seats = calloc(seats, sizeof(*lane->seats));
    if (!lane->chunks || !lane->seats)
        return error_set(error, ERROR_MEMORY, 0, "the stretches of a trace");
    const size_t wanted = seats < lane->nr_chunks ? seats : lane->nr_chunks;
    for (; lane->nr_seats < wanted; lane->nr_seats++)
        if (!source_open(&lane->seats[lane->nr_seats].source, lane->trace, lane->part, stream->options.needs, error))
            return false;
    return true;
}

static bool start(struct stream *stream, const struct stream_part *parts, size_t count, struct error *error)
{
    stream->lanes = calloc(count + 1, sizeof(*stream->lanes));
    stream->contexts = calloc(stream->nr_workers + 1, sizeof(*stream->contexts));
    if (!stream->lanes || !stream->contexts)
        return error_set(error, ERROR_MEMORY, 0, "%u threads", stream->nr_workers);
    for (size_t i = 0; i < count; i++)
        if (!open_lane(stream, &parts[i], count, error))
            return false;
    for (unsigned i = 0; i <= stream->nr_workers; i++)
        stream->contexts[i] = (struct stream_worker){.stream = stream, .number = i};
    workers_start(&stream->workers, stream->nr_workers, stream_work, stream->contexts, sizeof(*stream->contexts));
    return true;
}

struct stream *stream_open(const struct stream_part *parts, size_t count, const struct stream_options *options,
                           struct error *error)
{
    pthread_condattr_t by_monotonic;
    struct stream *stream = calloc(1, sizeof(*stream));
    if (!stream) {
        error_set(error, ERROR_MEMORY, 0, "a stream");
        return NULL;
    }
    stream->options = *options;
    stream->nr_workers = workers_count(options->threads);
    stream->shown = monotonic_seconds();
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->work, NULL);
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->filled, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    if (start(stream, parts, count, error))
        return stream;
    stream_close(stream);
    return NULL;
}

static void free_pages(struct stream_page *page)
{
    while (page) {
        struct stream_page *next = page->next;
        free(page);
        page = next;
    }
}

static void close_lane(struct stream_lane *lane)
{
    for (size_t i = 0; lane->chunks && i < lane->nr_chunks; i++)
        free_pages(lane->chunks[i].first);
    for (size_t i = 0; i < lane->nr_seats; i++)
        source_close(&lane->seats[i].source);
    free(lane->page);
    free(lane->chunks);
    free(lane->seats);
}

void stream_stop(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->stop = true;
    pthread_cond_broadcast(&stream->work);
    pthread_mutex_unlock(&stream->lock);
    workers_join(&stream->workers);
}

void stream_close(struct stream *stream)
{
    stream_stop(stream);
    for (size_t i = 0; i < stream->nr_lanes; i++)
        close_lane(&stream->lanes[i]);
    for (unsigned i = 0; stream->contexts && i <= stream->nr_workers; i++)
        free(stream->contexts[i].text);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->filled);
    free(stream->contexts);
    free(stream->lanes);
    free(stream);
}

static void show(struct stream *stream)
{
    const struct stream_options *options = &stream->options;
    const double now = options->progress ? monotonic_seconds() : 0;
    size_t done = 0, all = 0;
    if (!options->progress || now - stream->shown < SHOW_SECONDS)
        return;
    stream->shown = now;
    for (size_t i = 0; i < stream->nr_lanes; i++) {
        done += stream->lanes[i].head;
        all += stream->lanes[i].nr_chunks;
    }
    options->progress(options->progress_context, (double)done / (double)(all + 1));
}

/* Until a worker has something for the consumer; without workers, this thread is one. With the lock. */
static void wait_for_work(struct stream *stream)
{
    struct timespec until;
    if (stream->workers.started == 0) {
        stream_work_once(&stream->contexts[stream->nr_workers]);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&stream->filled, &stream->lock, &until);
}

/* The lane's next page. NULL: there is none, or an error. */
static struct stream_page *next_page(struct stream *stream, struct stream_lane *lane)
{
    struct stream_page *page = NULL;
    pthread_mutex_lock(&stream->lock);
    while (!page && lane->head < lane->nr_chunks && !stream->error.kind) {
        struct stream_chunk *chunk = &lane->chunks[lane->head];
        page = chunk->first;
        if (page) {
            chunk->first = page->next;
            chunk->last = chunk->first ? chunk->last : NULL;
            chunk->waiting -= page->used;
            pthread_cond_signal(&stream->work);
        } else if (chunk->done) {
            lane->head++;
            pthread_cond_broadcast(&stream->work);
        } else {
            wait_for_work(stream);
            show(stream);
        }
    }
    pthread_mutex_unlock(&stream->lock);
    return page;
}

/* Get the lane's next batch, if it has none. */
static void fetch(struct stream *stream, struct stream_lane *lane)
{
    while (!lane->has_batch && !lane->ended) {
        lane->has_batch = lane->page && stream_page_read(&lane->batch, lane->page, &lane->at);
        if (lane->has_batch)
            continue;
        free(lane->page);
        lane->page = next_page(stream, lane);
        lane->at = 0;
        lane->ended = !lane->page;
        show(stream);
    }
    const struct flow_batch *batch = &lane->batch;
    const bool has_time = lane->has_batch && (batch->kind != FLOW_BATCH_END || batch->conditional > 0);
    if (has_time && batch->context.tsc > lane->time)
        lane->time = batch->context.tsc;
}

static struct stream_lane *first_by_time(struct stream *stream)
{
    struct stream_lane *first = NULL;
    for (size_t i = 0; i < stream->nr_lanes; i++) {
        struct stream_lane *lane = &stream->lanes[i];
        fetch(stream, lane);
        if (lane->has_batch && (!first || lane->time < first->time))
            first = lane;
    }
    return first;
}

static struct stream_lane *first_by_trace(struct stream *stream)
{
    for (; stream->lane < stream->nr_lanes; stream->lane++) {
        struct stream_lane *lane = &stream->lanes[stream->lane];
        fetch(stream, lane);
        if (lane->has_batch)
            return lane;
    }
    return NULL;
}

const struct stream_item *stream_next(struct stream *stream)
{
    struct stream_lane *lane = stream->options.by_time ? first_by_time(stream) : first_by_trace(stream);
    if (!lane || stream->error.kind) {
        if (stream->options.progress)
            stream->options.progress(stream->options.progress_context, 1);
        return NULL;
    }
    lane->has_batch = false;
    stream->item = (struct stream_item){&lane->batch, (size_t)(lane - stream->lanes), lane->time};
    if (lane->batch.kind == FLOW_BATCH_END)
        flow_trace_pass(lane->trace, &lane->passed, lane->batch.result->end);
    return &stream->item;
}

bool stream_good(const struct stream *stream, struct error *error)
{
    if (stream->error.kind)
        *error = stream->error;
    return !stream->error.kind;
}

void stream_inferred(struct stream *stream, size_t part, struct hot *sum)
{
    const struct stream_lane *lane = &stream->lanes[part];
    for (size_t i = 0; i < lane->nr_seats; i++)
        hot_merge(sum, flow_inferred(lane->seats[i].source.flow));
}
