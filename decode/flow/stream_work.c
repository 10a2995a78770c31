/* What workers do: decode chunks, as far as there is room for what they contain. */
#include <stdlib.h>

#include "decode/flow/stream_state.h"

#define MOST_WAITING ((size_t)2 << 20) /* bytes of a chunk that wait to be pulled; more of it is decoded later */
#define PUBLISH_BYTES ((size_t)256 << 10)

/* What a worker has decoded of a chunk and not published yet. */
struct slice {
    struct stream_page *first, *last;
    size_t bytes;
};

static struct stream_seat *free_seat(const struct stream_lane *lane)
{
    for (size_t i = 0; i < lane->nr_seats; i++)
        if (!lane->seats[i].taken)
            return &lane->seats[i];
    return NULL;
}

static struct flow_part part_of(const struct stream_lane *lane, size_t number)
{
    const uint64_t begin = lane->part.from + number * lane->chunk_bytes;
    return (struct flow_part){begin, number + 1 == lane->nr_chunks ? lane->part.to : begin + lane->chunk_bytes};
}

/* Can the chunk be decoded on now? If it is not begun, it gets a seat. */
static bool may_run(struct stream_lane *lane, size_t number)
{
    struct stream_chunk *chunk = &lane->chunks[number];
    if (chunk->running || chunk->done || chunk->waiting > MOST_WAITING)
        return false;
    if (!chunk->seat) {
        if (!(chunk->seat = free_seat(lane)))
            return false;
        chunk->seat->taken = true;
        source_seek(&chunk->seat->source, part_of(lane, number));
        lane->begun = number + 1;
    }
    chunk->running = true;
    return true;
}

/* The chunk that the consumer will need first: of each lane, the nearest to its head. NULL: none can be decoded now. */
static struct stream_chunk *take_chunk(struct stream *stream, struct stream_lane **of)
{
    size_t deepest = 0;
    for (size_t i = 0; i < stream->nr_lanes; i++)
        deepest = stream->lanes[i].depth > deepest ? stream->lanes[i].depth : deepest;
    for (size_t ahead = 0; ahead < deepest; ahead++)
        for (size_t i = 0; i < stream->nr_lanes; i++) {
            struct stream_lane *lane = &stream->lanes[i];
            const size_t number = lane->head + ahead;
            *of = lane;
            if (ahead < lane->depth && number < lane->nr_chunks && number <= lane->begun && may_run(lane, number))
                return &lane->chunks[number];
        }
    return NULL;
}

/* With the lock. */
static void publish(struct stream *stream, struct stream_chunk *chunk, struct slice *slice)
{
    if (slice->first) {
        if (chunk->last)
            chunk->last->next = slice->first;
        else
            chunk->first = slice->first;
        chunk->last = slice->last;
        chunk->waiting += slice->bytes;
    }
    *slice = (struct slice){0};
    pthread_cond_signal(&stream->filled);
}

static bool put(struct slice *slice, const struct flow_batch *batch)
{
    const size_t bytes = stream_page_put(&slice->first, &slice->last, batch);
    slice->bytes += bytes;
    return bytes > 0;
}

static bool put_text(struct stream_worker *worker, struct slice *slice, const struct flow_batch *batch)
{
    const struct stream_options *options = &worker->stream->options;
    const size_t room = batch->count * STREAM_TEXT_LINE;
    if (room > worker->text_room) {
        char *more = realloc(worker->text, room);
        if (!more)
            return false;
        worker->text = more;
        worker->text_room = room;
    }
    bool good = true;
    for (unsigned list = 0; list < options->nr_lists && good; list++) {
        const size_t size = options->format(options->context, list, worker->text, batch);
        const struct flow_batch text = {
            .kind = FLOW_BATCH_TEXT, .context = batch->context, .count = size, .text = worker->text, .list = list};
        good = size == 0 || put(slice, &text);
    }
    return good;
}

static bool take_batch(struct stream_worker *worker, struct slice *slice, const struct flow_batch *batch)
{
    const struct stream_options *options = &worker->stream->options;
    if (options->observe)
        options->observe(options->context, worker->number, batch);
    if (batch->kind != FLOW_BATCH_ITEMS)
        return put(slice, batch);
    if (options->format)
        return put_text(worker, slice, batch);
    return options->observe || put(slice, batch);
}

/* Until the chunk ends, or enough of it waits. Returns whether it ends; with the lock. */
static bool run_chunk(struct stream_worker *worker, struct stream_chunk *chunk)
{
    struct stream *stream = worker->stream;
    struct slice slice = {0};
    const struct flow_batch *batch;
    bool good = true;
    do {
        pthread_mutex_unlock(&stream->lock);
        while ((batch = source_next(&chunk->seat->source)) && (good = take_batch(worker, &slice, batch)) &&
               slice.bytes < PUBLISH_BYTES)
            ;
        pthread_mutex_lock(&stream->lock);
        publish(stream, chunk, &slice);
        if (!good)
            error_set(&stream->error, ERROR_MEMORY, 0, "what is decoded");
    } while (batch && good && chunk->waiting <= MOST_WAITING && !stream->stop);
    return !batch || !good;
}

bool stream_work_once(struct stream_worker *worker)
{
    struct stream *stream = worker->stream;
    struct stream_lane *lane;
    struct stream_chunk *chunk = take_chunk(stream, &lane);
    if (!chunk)
        return false;
    chunk->done = run_chunk(worker, chunk);
    chunk->running = false;
    if (chunk->done) {
        chunk->seat->taken = false;
        chunk->seat = NULL;
        pthread_cond_signal(&stream->work);
    }
    pthread_cond_signal(&stream->filled);
    return true;
}

void *stream_work(void *context)
{
    struct stream_worker *worker = context;
    struct stream *stream = worker->stream;
    pthread_mutex_lock(&stream->lock);
    while (!stream->stop)
        if (!stream_work_once(worker))
            pthread_cond_wait(&stream->work, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}
