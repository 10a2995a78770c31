/*
 * The scheduler: the traces of one or several CPUs are cut into chunks of stretches, which worker threads decode in
 * parallel; one consumer pulls the batches, each CPU's in the order of its trace, or those of all CPUs by time.
 *
 * Workers never wait for the consumer while they hold a chunk: where too much of it is waiting to be pulled they put it
 * aside, and continue it later. So memory is bounded, whatever the order in which the consumer pulls.
 */
#ifndef DECODE_FLOW_STREAM_H
#define DECODE_FLOW_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_trace.h"

#define STREAM_TEXT_LINE 96u /* bytes of text that an item becomes, at most */

/* Called several times a second with the share of the work that is done, 0 to 1, and at the end with 1. */
typedef void flow_progress(void *context, double done);

/* What to decode of a CPU: what begins in these trace offsets. */
struct stream_part {
    const struct flow_trace *trace;
    struct flow_part part;
    uint64_t time; /* TSC of what comes before the part: stream_item.time begins with it */
};

struct stream_options {
    unsigned needs;   /* flags of enum flow_need */
    unsigned threads; /* 0: as many as there are processors */
    bool by_time;     /* of all parts together; else one part after another. Needs FLOW_NEED_TIME */
    /* In the worker threads, in place of delivering batches of items. NULL: none. */
    void (*observe)(void *context, unsigned worker, const struct flow_batch *batch);
    /* The same: write an item batch as text of the list, STREAM_TEXT_LINE bytes an item at most, which is delivered as
     * FLOW_BATCH_TEXT. Returns its size. NULL: none. */
    size_t (*format)(void *context, unsigned list, char *text, const struct flow_batch *batch);
    unsigned nr_lists;
    void *context;           /* of both */
    flow_progress *progress; /* NULL: none; called by the consumer's thread */
    void *progress_context;
};

struct stream_item {
    const struct flow_batch *batch; /* valid until the next item is pulled */
    size_t part;                    /* index of the part */
    uint64_t time; /* TSC, of this batch or of an earlier one of the part: it never decreases. 0: not known yet */
};

struct stream;

/* NULL: error says why. The traces must stay. */
struct stream *stream_open(const struct stream_part *parts, size_t count, const struct stream_options *options,
                           struct error *error);

/* The next item. NULL: there is none; stream_error says whether that is because of an error. */
const struct stream_item *stream_next(struct stream *stream);
bool stream_good(const struct stream *stream, struct error *error);

/* End the workers, before the last item or after it; no more items can be pulled then. */
void stream_stop(struct stream *stream);

/* After stream_stop: pages whose address space was inferred, added up over all workers. */
void stream_inferred(struct stream *stream, size_t part, struct hot *sum);
void stream_close(struct stream *stream);

#endif
