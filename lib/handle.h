/* Inside of the handles that lib/undertrace.h gives out. */
#ifndef LIB_HANDLE_H
#define LIB_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#include "decode/capture/capture.h"
#include "decode/flow/source.h"
#include "lib/undertrace.h"

#define HANDLE_PUBLIC __attribute__((visibility("default")))

struct foreign;

/* What is open: a capture, or a foreign trace, which is CPU 0's. Readers share what is known of a CPU's trace; of a
 * capture it is made when the first one asks for it. */
struct undertrace {
    struct capture *capture; /* NULL: */
    struct foreign *foreign;
    pthread_mutex_t lock; /* of traces */
    struct flow_trace *traces[CAPTURE_MAX_CPUS];
    uint64_t rtit_ctl;
    uint8_t privilege; /* enum undertrace_privilege of all that was traced */
};

/* The trace of a CPU, uncut. NULL: error says why. It stays until the handle is closed. */
const struct flow_trace *handle_trace(struct undertrace *trace, unsigned cpu, struct error *error);

/* Tell the caller why. Returns the status. */
int handle_error(struct undertrace_error *to, const struct error *error);
int handle_refuse(struct undertrace_error *to, const char *why);

/* --- flow_reader.c, packet_reader.c: what makes a reader's items. --- */

struct reader_flow {
    struct source source;
    const struct flow_batch *batch; /* NULL: the next one is to be pulled */
    size_t at;                      /* items of the batch, or losses at a stretch's end, that have been taken */
    uint64_t passed;                /* flow_trace_pass */
    size_t gap;                     /* recorded gaps that have been delivered */
    bool ended;
};

struct reader_packets {
    struct gaps_run run;
    uint64_t at, psb; /* psb: the next one after at, or the run's end */
    uint64_t last_ip;
    bool in_run;
};

struct undertrace_reader {
    const struct undertrace *owner;
    const struct flow_trace *trace;
    struct undertrace_how how;
    /* what comes next: branches in a row, or item */
    const struct undertrace_branch *branches;
    size_t nr_branches;
    struct undertrace_where where; /* of the branches */
    bool has_item;
    struct undertrace_item item; /* also the last one that was given out */
    int status;
    union {
        struct reader_flow flow;
        struct reader_packets packets;
    };
};

/* The next item, to be filled in. */
struct undertrace_item *reader_item(struct undertrace_reader *reader, enum undertrace_kind kind);

/* false: error says why. */
bool flow_reader_open(struct undertrace_reader *reader, struct error *error);
void flow_reader_close(struct undertrace_reader *reader);

/* Find what comes next. false: there is no more. */
bool flow_reader_fill(struct undertrace_reader *reader);
bool packet_reader_fill(struct undertrace_reader *reader);

#endif
