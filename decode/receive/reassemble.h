/*
 * Frames in any order in, frames in sending order out: the receiver's half of docs/wire.md.
 *
 * Pure: no sockets, no files. Frames are numbered across all streams of a stream id, so handing them on by number keeps
 * every stream in order.
 */
#ifndef DECODE_REASSEMBLE_H
#define DECODE_REASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

/* Frames ahead of the expected one that can be held, and those of them that an acknowledgement can tell of. */
#define REASSEMBLE_WINDOW 1024u
#define REASSEMBLE_TOLD (8u * (uint32_t)sizeof(struct frame_ack))
#define REASSEMBLE_SLOTS 2048u /* a power of two above the window: numbers wrap */

/* Takes the frames in order. payload has header->length bytes, and is the callee's only during the call. */
typedef void (*reassemble_deliver)(void *context, const struct frame_header *header, const uint8_t *payload);

struct reassemble_counts {
    uint64_t frames;     /* handed on */
    uint64_t held;       /* came ahead of their turn */
    uint64_t duplicates; /* came again */
    uint64_t foreign;    /* another stream id: another machine, or an earlier boot */
    uint64_t beyond;     /* too far ahead to hold; the sender sends them again */
    uint64_t lost;       /* skipped numbers, where nothing is sent again (UART) */
};

struct reassemble_slot {
    bool present;
    struct frame_header header;
    uint8_t *payload;
};

struct reassemble {
    bool in_order_only; /* UART: bytes come in order or not at all, so never wait for a missing frame */
    bool started;       /* stream_id is known */
    uint32_t stream_id;
    uint32_t next_seq;
    struct reassemble_slot slots[REASSEMBLE_SLOTS]; /* of seq, at seq modulo their number */
    struct reassemble_counts counts;
    reassemble_deliver deliver;
    void *context;
};

void reassemble_init(struct reassemble *r, bool in_order_only, reassemble_deliver deliver, void *context);
void reassemble_free(struct reassemble *r);

/* Take a checked frame (frame_header_parse said FRAME_OK). Returns false where the frame belongs to another stream id
 * or is no data frame: it must not be answered. All others are answered where they ask for it, also duplicates. */
bool reassemble_take(struct reassemble *r, const struct frame_header *header, const uint8_t *payload);

/* The acknowledgement that describes the state now: a sealed header and its payload. */
void reassemble_ack(const struct reassemble *r, struct frame_header *header, struct frame_ack *ack);

#endif
