/*
 * A reception, by UDP or over a serial line: what both share. docs/wire.md.
 */
#ifndef DECODE_RECEPTION_H
#define DECODE_RECEPTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/receive/control.h"
#include "decode/receive/reassemble.h"
#include "decode/receive/resume_point.h"
#include "decode/receive/rivals.h"
#include "decode/receive/session.h"
#include "decode/receive/store.h"
#include "serial/wire/first.h"

enum reception_phase { RECEPTION_WAITING, RECEPTION_RECEIVING, RECEPTION_HAS_END };

/* Called often, to show the progress. */
typedef void reception_progress(void *context, enum reception_phase phase, const struct store_totals *totals);

struct reception {
    struct store *store;
    struct control *control;
    const volatile sig_atomic_t *stop; /* set by the owner's signal handlers: stop */
    reception_progress *progress;
    void *progress_context;
    control_send *send; /* sends commands to the machine, with send_context; NULL: this source takes none */
    void *send_context;
    struct reassemble frames;
    uint64_t source;         /* address and port of the stream's frames; others are not taken from elsewhere */
    bool answered;           /* the stream's sender was sent an acknowledgement */
    bool proven;             /* it has received one: it has sent new frames since */
    struct rivals rivals;    /* until it is proven; with follow: other boots */
    struct wire_first first; /* set by the owner: where the stream begins; 0 but in tests */
    bool follow;             /* set by the owner: end when the machine's next boot sends */
    struct rival *next;      /* that boot: some of its frames are acknowledged. NULL: none, or with a key */
    bool has_past;           /* set by the owner: frames of past_stream_id are ignored, which is received already */
    uint32_t past_stream_id;
    unsigned replaced;       /* how often another sender has proven to be the machine: the store was emptied */
    struct session *session; /* set by the owner; NULL: without a key */
    bool tagged;             /* without a key: frames have tags */
    uint64_t strange;        /* frames of our stream id from elsewhere */
    uint64_t bad_frames;     /* datagrams or runs of bytes that were not a frame of a sender */
    uint64_t bad_blocks;     /* compressed frames that could not be decompressed */
    bool cannot_unpack;      /* frames were ignored: the sender compresses, and this program has no liblz4 */
    uint8_t other_version;   /* the wire version of frames that were dropped for it; 0: none */
    bool other_boot;         /* frames of other stream ids were dropped; other_stream_id is the newest */
    uint32_t other_stream_id;
    uint32_t due_seq;    /* of the next frame to be delivered */
    uint64_t wire_bytes; /* of frames that were delivered, with their headers, as they came */
    uint64_t garbage;    /* bytes of a serial line that belonged to no frame */
    bool store_failed;
    bool began_before; /* its frames are not the first ones, which do not arrive: another receiver has taken them */
    double started_at; /* monotonic_seconds() of the first frame */
    double last_frame; /* monotonic_seconds() of the last frame of our stream id, initially of the start */
    double timeout_seconds;         /* give up after so long without a frame, 0 = never */
    uint64_t limit_bytes;           /* stop when the capture has so many, 0 = none */
    bool announce;                  /* UDP: announce this receiver's address until the first frame arrives */
    const char *announce_to;        /* ADDRESS[:PORT] that announcements go to; NULL: all networks */
    double linger_seconds;          /* answer repeated frames so long after the end record */
    struct error error;             /* of RECEPTION_FAILED, if the store has none */
    uint8_t plain[FRAME_MAX_PLAIN]; /* what the frame that is being stored carries, if it is compressed */
};

enum reception_outcome {
    RECEPTION_CONTINUES,
    RECEPTION_ENDED,       /* the end record and everything before it are stored */
    RECEPTION_TIMEOUT,     /* nothing arrived for timeout_seconds */
    RECEPTION_INTERRUPTED, /* *stop was set */
    RECEPTION_LIMIT,       /* the capture has limit_bytes */
    RECEPTION_NEXT,        /* with follow: another boot of the machine sends */
    RECEPTION_SOURCE_END,  /* the UART's file or socket ended before the end record */
    RECEPTION_FAILED       /* see error and store_error */
};

/* Initialise the fields from frames on; the owner sets those before and the options. in_order_only: a serial line. */
void reception_init(struct reception *reception, bool in_order_only);
void reception_free(struct reception *reception);

/* Continue where an earlier receiver has ended; call it after reception_init. session must be set if it had a key. */
void reception_resume(struct reception *reception, const struct resume_point *point);

/* Begin with the frames of a boot that another reception has acknowledged (its next), and free them. */
void reception_adopt(struct reception *reception, struct rival *boot);

/* Write what was received, and the position of the reception. false: see store_error. */
bool reception_commit(struct reception *reception);

/* Take a checked frame, as reassemble_take. source: where it came from, 0 on a serial line. false: it does not belong
 * to our stream, and must not be answered. */
bool reception_take(struct reception *reception, uint64_t source, const struct frame_header *header,
                    const uint8_t *payload);

/* The answer to a frame, asked, that reception_take has taken and that requests an acknowledgement: header and
 * header->length bytes of ack. What it acknowledges is written, unless a rival sent the frame. false: see store_error.
 */
bool reception_answer(struct reception *reception, uint64_t source, const struct frame_header *asked,
                      struct frame_header *header, struct frame_ack *ack);

/* Call at least a few times a second: shows progress, serves commands, and returns whether the reception continues. */
enum reception_outcome reception_check(struct reception *reception);

#endif
