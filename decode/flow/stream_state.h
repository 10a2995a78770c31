/* Inside of the scheduler: stream.c delivers to the consumer, stream_work.c is what workers do, stream_page.c holds
 * what is decoded and not pulled yet. */
#ifndef DECODE_FLOW_STREAM_STATE_H
#define DECODE_FLOW_STREAM_STATE_H

#include <pthread.h>

#include "decode/flow/source.h"
#include "decode/flow/stream.h"
#include "decode/flow/workers.h"

/* Copies of batches. */
struct stream_page {
    struct stream_page *next;
    size_t used, room;
    _Alignas(16) char bytes[];
};

/* An engine of a lane. */
struct stream_seat {
    struct source source;
    bool taken; /* by a chunk */
};

/* A part of a lane's trace that is decoded by one thread at a time. */
struct stream_chunk {
    struct stream_page *first, *last; /* decoded and not pulled yet */
    size_t waiting;                   /* bytes of them */
    struct stream_seat *seat;         /* NULL: not begun, or at its end */
    bool running, done;
};

/* A part to decode: of one CPU. */
struct stream_lane {
    const struct flow_trace *trace;
    struct flow_part part;
    uint64_t chunk_bytes;
    struct stream_chunk *chunks;
    size_t nr_chunks, begun, head; /* chunks that workers have begun; that the consumer is at */
    size_t depth;                  /* so many chunks may be begun and not pulled */
    struct stream_seat *seats;
    size_t nr_seats;
    /* the consumer's */
    struct stream_page *page; /* which it reads, from at on */
    size_t at;
    struct flow_batch batch; /* the next one, if has_batch */
    bool has_batch, ended;
    uint64_t time, passed;
};

struct stream_worker {
    struct stream *stream;
    unsigned number;
    char *text; /* room to format into */
    size_t text_room;
};

struct stream {
    struct stream_options options;
    struct stream_lane *lanes;
    size_t nr_lanes, lane; /* lane: the current one, in the order of traces */
    struct stream_item item;
    struct stream_worker *contexts;
    unsigned nr_workers;
    struct workers workers;
    pthread_mutex_t lock;  /* of lanes' chunks and seats, and of these: */
    pthread_cond_t work;   /* for workers: something may be decoded */
    pthread_cond_t filled; /* for the consumer: a page was added, or a chunk is done */
    bool stop;
    struct error error;
    double shown; /* when progress was called last */
};

/* Keep a copy of the batch, on the last page of the list or on a new one. Returns its bytes; 0: no memory. */
size_t stream_page_put(struct stream_page **first, struct stream_page **last, const struct flow_batch *batch);

/* Read the batch at *at, and step over it. false: the page ends there. */
bool stream_page_read(struct flow_batch *batch, const struct stream_page *page, size_t *at);

/* The work of a thread; context is a struct stream_worker. */
void *stream_work(void *context);

/* Do some of it. With the lock, which is released meanwhile. false: there is nothing to do now. */
bool stream_work_once(struct stream_worker *worker);

#endif
