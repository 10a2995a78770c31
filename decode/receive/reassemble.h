/*
 * Takes frames in any order and delivers them in sending order: the receiver's half of docs/wire.md.
 *
 * Pure: no sockets, no files. Frames are numbered across all streams of a stream id, so delivery by number keeps every
 * stream in order.
 */
#ifndef DECODE_REASSEMBLE_H
#define DECODE_REASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

/* How many frames after the expected one can be held, and are listed in acknowledgements. */
#define REASSEMBLE_WINDOW (64u * FRAME_ACK_WORDS)
#define REASSEMBLE_SLOTS 2048u /* a power of two above the window: numbers wrap */

/* Gets the frames in order. payload has header->length bytes, and is valid only during the call. */
typedef void (*reassemble_deliver)(void *context, const struct frame_header *header, const uint8_t *payload);

struct reassemble_counts {
    uint64_t frames;     /* delivered */
    uint64_t held;       /* received early, and kept until their turn */
    uint64_t duplicates; /* received again */
    uint64_t foreign;    /* of another stream id: another machine, or an earlier boot */
    uint64_t beyond;     /* too far ahead to hold; the sender repeats them */
    uint64_t lost;       /* skipped numbers, where nothing is repeated (UART) */
};

struct reassemble_slot {
    bool present;
    struct frame_header header;
    uint8_t *payload;
};

struct reassemble {
    bool in_order_only; /* UART: bytes arrive in order or not at all, so never wait for a missing frame */
    bool started;       /* stream_id is known */
    uint32_t stream_id;
    uint32_t next_seq;
    uint64_t first;                                 /* number of the first frame; set by the owner, 0 but in tests */
    uint32_t nr_present;                            /* slots with a frame */
    struct reassemble_slot slots[REASSEMBLE_SLOTS]; /* frame seq is in slot seq % REASSEMBLE_SLOTS */
    struct reassemble_counts counts;
    reassemble_deliver deliver;
    void *context;
};

void reassemble_init(struct reassemble *r, bool in_order_only, reassemble_deliver deliver, void *context);
void reassemble_free(struct reassemble *r);

/* Continue with a stream of which so many frames were delivered, up to next_seq. */
void reassemble_resume(struct reassemble *r, uint32_t stream_id, uint32_t next_seq, uint64_t frames);

/* Take a checked frame (frame_header_parse returned FRAME_OK). false: the frame belongs to another stream id or is not
 * a data frame, and must not be answered. All others, duplicates too, are answered if they request it. */
bool reassemble_take(struct reassemble *r, const struct frame_header *header, const uint8_t *payload);

/* The acknowledgement that describes the state now: a sealed header and its payload, of which header->length bytes are
 * to be sent. flags: of the frame that requests it. */
void reassemble_ack(const struct reassemble *r, uint16_t flags, struct frame_header *header, struct frame_ack *ack);

#endif
