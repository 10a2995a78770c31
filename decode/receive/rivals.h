/*
 * The senders other than the first one, without a key. Anyone can send a frame that looks like the first of a stream,
 * so the first sender is not certain to be the machine. The machine sends new frames after it has got an
 * acknowledgement; a sender that has only forged some datagrams does not. Until one has done so, the others are held
 * and answered, too.
 *
 * Pure: no sockets, no files. One rival for each source address, so that a single host cannot displace the others.
 */
#ifndef DECODE_RIVALS_H
#define DECODE_RIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define RIVALS_MAX 4u
#define RIVAL_FRAMES 8u /* of numbers 0 to 7; the sender waits for an answer after 4 */

struct rival {
    uint64_t source; /* address and port of its frames */
    uint32_t stream_id;
    uint32_t present; /* bit i: frame i is held */
    bool answered;
    uint64_t used; /* to find the rival that was silent longest */
    struct frame_header headers[RIVAL_FRAMES];
    uint8_t *payloads[RIVAL_FRAMES];
};

struct rivals {
    uint64_t clock;
    struct rival items[RIVALS_MAX];
};

void rivals_free(struct rivals *rivals);
void rival_free(struct rival *rival);

/* The rival with this source and stream id; NULL: there is none. */
struct rival *rivals_find(struct rivals *rivals, uint64_t source, uint32_t stream_id);

/* Hold a data frame of a sender, which becomes a rival. Returns the rival if the frame shows that it has received our
 * answer: it is new, and another frame was answered before. NULL: not yet. */
struct rival *rivals_take(struct rivals *rivals, uint64_t source, const struct frame_header *header,
                          const uint8_t *payload);

/* The acknowledgement that describes what is held of a rival: a sealed header and its payload. flags: of the frame that
 * requests it. */
void rival_ack(struct rival *rival, uint16_t flags, struct frame_header *header, struct frame_ack *ack);

#endif
