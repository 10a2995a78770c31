/*
 * A reception: what its ways, UDP and a serial line, share. docs/wire.md.
 */
#ifndef DECODE_RECEPTION_H
#define DECODE_RECEPTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/receive/control.h"
#include "decode/receive/reassemble.h"
#include "decode/receive/store.h"

enum reception_phase { RECEPTION_WAITING, RECEPTION_RECEIVING, RECEPTION_HAS_END };

/* Called often, to show how it goes. */
typedef void reception_progress(void *context, enum reception_phase phase, const struct store_totals *totals);

struct reception {
    struct store *store;
    struct control *control;
    const volatile sig_atomic_t *stop; /* set by the owner's signal handlers: stop */
    reception_progress *progress;
    void *progress_context;
    control_send *send; /* how commands go to the sender, with send_context; NULL: this source takes none */
    void *send_context;
    struct reassemble frames;
    uint64_t bad_frames;   /* datagrams or runs of bytes that were no frame */
    uint8_t other_version; /* of the wire, that frames came in and were not kept; 0: none */
    bool other_boot;       /* frames of another stream id came in, and were not kept: other_stream_id, the newest */
    uint32_t other_stream_id;
    uint32_t due_seq; /* of the frame whose turn is next */
    uint64_t garbage; /* bytes of a serial line that belonged to no frame */
    bool store_failed;
    double last_frame;       /* monotonic_seconds() of the last frame of our stream id; the start before the first */
    double timeout_seconds;  /* give up after so long without a frame, 0 = never */
    bool announce;           /* UDP: say where this receiver is until the first frame comes */
    const char *announce_to; /* ... to this ADDRESS[:PORT] alone; NULL: to all */
    double linger_seconds;   /* answer repeated frames so long after the end record */
    struct error error;      /* of RECEPTION_FAILED, where the store has none */
};

enum reception_outcome {
    RECEPTION_GOES_ON,
    RECEPTION_ENDED,       /* the end record is stored, and so is everything before it */
    RECEPTION_TIMEOUT,     /* nothing came for timeout_seconds */
    RECEPTION_INTERRUPTED, /* *stop was set */
    RECEPTION_SOURCE_END,  /* the UART's file or socket ended before the end record */
    RECEPTION_FAILED       /* see error and store_error */
};

/* Set up what takes the frames; in_order_only: a serial line. The fields above it are the owner's. */
void reception_init(struct reception *reception, bool in_order_only);
void reception_free(struct reception *reception);

/* Take a checked frame, as reassemble_take: false where it is none of ours, which is not answered. */
bool reception_take(struct reception *reception, const struct frame_header *header, const uint8_t *payload);

/* Call at least a few times a second: shows progress, serves commands, and says whether to go on. */
enum reception_outcome reception_check(struct reception *reception);

#endif
