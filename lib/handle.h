/* The content of lib/undertrace.h's handles. */
#ifndef LIB_HANDLE_H
#define LIB_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#include "decode/capture/capture.h"
#include "decode/flow/source.h"
#include "lib/undertrace.h"
#include "pt/packet/packet.h"

#define HANDLE_PUBLIC __attribute__((visibility("default")))

struct foreign;

/* An open capture, or a foreign trace as CPU 0. Readers of a CPU share its flow_trace; that of a capture is opened when
 * the first reader needs it. */
struct undertrace {
    struct capture *capture; /* NULL: */
    struct foreign *foreign;
    pthread_mutex_t lock; /* guards traces */
    struct flow_trace *traces[CAPTURE_MAX_CPUS];
    uint64_t rtit_ctl;
    uint8_t privilege; /* enum undertrace_privilege of the whole trace */
};

/* Open the trace of a CPU, without its stretches. NULL: error says why. Valid until the handle is closed. */
const struct flow_trace *handle_trace(struct undertrace *trace, unsigned cpu, struct error *error);

/* Set the caller's error. Returns the status. */
int handle_error(struct undertrace_error *to, const struct error *error);
int handle_refuse(struct undertrace_error *to, const char *why);

/* --- flow_reader.c, packet_reader.c: the sources of a reader's items --- */

struct reader_flow {
    struct source source;
    const struct flow_batch *batch; /* NULL: pull the next one */
    size_t at;                      /* items of the batch, or losses at a stretch's end, that have been taken */
    uint64_t passed;                /* flow_trace_pass */
    size_t gap;                     /* number of recorded gaps delivered */
    bool ended;
};

struct reader_packets {
    struct gaps_run run;
    uint64_t at, psb; /* psb: the next one after at, or the run's end */
    uint64_t last_ip;
    enum packet_block block; /* of the packet at at */
    bool in_run;
};

struct undertrace_reader {
    const struct undertrace *owner;
    const struct flow_trace *trace;
    struct undertrace_how how;
    /* the next item: consecutive branches, or item */
    const struct undertrace_branch *branches;
    size_t nr_branches;
    struct undertrace_where where; /* of the branches */
    bool has_item;
    struct undertrace_item item; /* also the last one delivered */
    int status;
    union {
        struct reader_flow flow;
        struct reader_packets packets;
    };
};

/* Begin the next item, which the caller fills in. */
static inline struct undertrace_item *reader_item(struct undertrace_reader *reader, enum undertrace_kind kind)
{
    reader->item = (struct undertrace_item){
        .kind = (int)kind,
        .where = {.cr3 = UNDERTRACE_NO_CR3, .cpu = (uint16_t)reader->how.cpu, .tsc_error = UNDERTRACE_NO_ERROR}};
    reader->has_item = true;
    return &reader->item;
}

/* false: error says why. */
bool flow_reader_open(struct undertrace_reader *reader, struct error *error);
void flow_reader_close(struct undertrace_reader *reader);

/* Find the next item. false: the end. */
bool flow_reader_fill(struct undertrace_reader *reader);
bool packet_reader_fill(struct undertrace_reader *reader);

#endif
