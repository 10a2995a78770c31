/* The sender's acknowledgement window. Core. */
#include "serial/window.h"

/* Frame numbers wrap: a comes before b where the distance from a to b is less than half of the circle. */
static bool seq_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static uint32_t seq_min(uint32_t a, uint32_t b)
{
    return seq_before(a, b) ? a : b;
}

static uint32_t seq_max(uint32_t a, uint32_t b)
{
    return seq_before(a, b) ? b : a;
}

void window_init(struct window *w, struct window_slot *slots, uint32_t size, uint64_t *released, uint32_t nr_streams,
                 uint64_t timeout)
{
    *w = (struct window){.slots = slots, .size = size, .released = released, .timeout = timeout};
    for (uint32_t stream = 0; stream < nr_streams; stream++) {
        released[stream] = 0;
    }
}

/* Everything before seq has arrived: walk the runs from the youngest back. A stream's first run on this way is its
 * youngest, so an offset only ever grows. */
static void release_before(struct window *w, uint32_t seq)
{
    uint32_t last = seq;

    while (seq_before(w->base, last)) {
        const struct window_slot *slot = window_slot(w, last - 1);
        uint64_t end = slot->offset + slot->length;

        if (w->released[slot->stream] < end) {
            w->released[slot->stream] = end;
        }
        last = slot->run;
    }
    w->base = seq;
}

/* Mark the frames that have arrived out of turn. Returns the end of the last one, seq where there is none. */
static uint32_t mark_received(struct window *w, uint32_t seq, const struct frame_ack *ack)
{
    uint32_t end = seq;

    for (uint32_t word = 0; word < 4; word++) {
        for (uint64_t bits = ack->received[word]; bits != 0; bits &= bits - 1) {
            uint32_t frame = seq + 1 + 64 * word + (uint32_t)__builtin_ctzll(bits);

            if (!seq_before(frame, w->next)) {
                return end;
            }
            window_slot(w, frame)->acked = true;
            end = frame + 1;
        }
    }
    return end;
}

/* Frames before end are to be looked at, from the oldest on. */
static void resend_up_to(struct window *w, uint32_t end)
{
    w->resend_next = w->base;
    w->resend_end = end;
}

/* The base has moved: where it has not reached the end of what was on the way at the last loss, look at twice as many
 * frames as before. */
static void continue_recovery(struct window *w)
{
    if (seq_before(w->base, w->recover)) {
        w->burst = w->burst < w->size ? w->burst * 2 : w->size;
        resend_up_to(w, seq_min(w->base + w->burst, w->recover));
    } else {
        w->recover = w->base; /* kept close, because numbers wrap */
        resend_up_to(w, w->base);
    }
}

bool window_ack(struct window *w, uint32_t seq, const struct frame_ack *ack, uint64_t now)
{
    uint32_t received_end;

    if (seq - w->base > w->next - w->base) {
        return false;
    }
    if (seq != w->base) {
        release_before(w, seq);
        w->timer_start = now;
        w->backoff = 0;
        continue_recovery(w);
    }
    received_end = mark_received(w, seq, ack);
    if (received_end != seq) {
        if (!seq_before(w->base, w->recover)) {
            w->burst = WINDOW_FIRST_BURST;
        }
        w->recover = seq_max(w->recover, w->next);
        resend_up_to(w, seq_max(received_end, w->resend_end));
    }
    return true;
}

void window_check_timeout(struct window *w, uint64_t now)
{
    if (window_empty(w) || now - w->timer_start < w->timeout << w->backoff) {
        return;
    }
    for (uint32_t seq = w->base; seq != w->next; seq++) {
        window_slot(w, seq)->resent = false;
    }
    w->nr_timeouts++;
    w->timer_start = now;
    w->backoff += w->backoff < WINDOW_MAX_BACKOFF ? 1 : 0;
    w->recover = w->next;
    w->burst = WINDOW_FIRST_BURST;
    resend_up_to(w, seq_min(w->base + w->burst, w->recover));
}

bool window_resend(struct window *w, uint32_t *seq)
{
    w->resend_next = seq_max(w->resend_next, w->base);
    for (; seq_before(w->resend_next, w->resend_end); w->resend_next++) {
        struct window_slot *slot = window_slot(w, w->resend_next);

        if (!slot->acked && !slot->resent) {
            slot->resent = true;
            w->nr_resent++;
            *seq = w->resend_next++;
            return true;
        }
    }
    return false;
}
