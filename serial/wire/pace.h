/*
 * Pacing: how many bytes may be in flight, and how many frames are sent between two requests for an acknowledgement.
 *
 * What is in flight beyond what the wire carries in one round trip waits in a queue on the way. The queue should be
 * long enough that the wire does not run dry while root mode does not poll, and short enough that a switch can hold it,
 * and that a lost frame is soon noticed. So the limit is what the wire carries in the shortest round trip and 25 ms
 * more, by the throughput that answers show. Losses by themselves do not lower it, since a wire may lose frames at
 * random. Only if more than a fifth of the frames are lost does the sender assume that a queue on the way is too short.
 * But as long as frames are lost the queue is kept so short that one can be sent again several times before the window
 * ends.
 *
 * Root mode polls late while the guest runs. So an answer has taken between the time until the poll before, which did
 * not find it, and the time until now. The lower bound must show that the wire is slow, the upper one that it is fast.
 *
 * Core. Times are TSC ticks.
 */
#ifndef SERIAL_WIRE_PACE_H
#define SERIAL_WIRE_PACE_H

#include <stdint.h>

#define PACE_FIRST_BYTES 46080u  /* 32 frames of 1440 bytes */
#define PACE_LEAST_BYTES 11520u  /* 8 of them; at 9000 bytes one: see pace_make */
#define PACE_REQUESTS 8u         /* in flight if all of the limit is */
#define PACE_ROUND_FRAMES 128u   /* losses are counted over this many frames, or over those that may be in flight */
#define PACE_LOSS_DENOMINATOR 5u /* too many are lost if it is more than one in five */

struct pace {
    uint32_t limit;                   /* bytes in flight */
    uint32_t frames;                  /* between two requests */
    uint32_t frame_bytes, max_frames; /* payload of a full frame; the most between two requests */
    uint32_t least, most;             /* of limit */
    uint32_t ceiling;                 /* of limit, after too many losses; otherwise most */
    uint64_t queue_tsc;               /* 25 ms */
    uint64_t polled;                  /* time of the last poll */
    uint32_t lossy_rounds;            /* so many rounds more count as rounds with losses */
    uint32_t round_sent, round_lost;  /* frames until the start of the round in which losses are counted */
};

/* One answer. */
struct pace_answer {
    uint64_t bytes;    /* in flight when the request was sent, its own frame included, without lost ones */
    uint64_t since;    /* they have arrived after this time: that of the answer before the request, or of the request */
    uint64_t sent;     /* time of the request */
    uint64_t now;      /* time of the poll that found the answer */
    uint64_t shortest; /* round trip so far, this one included */
};

/* frame_bytes: payload of a full frame. window_frames: the most frames in flight. max_bytes: limit of the payload bytes
 * between two requests; several frames at least. */
struct pace pace_make(uint32_t frame_bytes, uint32_t window_frames, uint32_t max_bytes, uint64_t tsc_hz);

/* Adapt the limit to the throughput. */
void pace_adapt(struct pace *pace, const struct pace_answer *answer);

/* Adapt the limit to the losses. sent: frames sent so far, modulo 2^32, without those whose fate is unknown. lost: how
 * many of them, modulo 2^32. */
void pace_count_losses(struct pace *pace, uint32_t sent, uint32_t lost);

#endif
