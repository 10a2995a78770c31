/* Kind: core, hot */
/* The sender's acknowledgement window. */
#include "serial/wire/window.h"

#include "base/init.h"

/* Frame numbers wrap around: a is before b if the distance from a to b is less than 2^31. */
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

#define MARK_ARRIVED 1u /* out of order: an earlier frame has not */
#define MARK_RESENT 2u  /* since the last timeout */

static uint8_t *marks_of(const struct window *w, uint32_t seq)
{
    return &w->marks[seq & (w->size - 1)];
}

static const struct window_run *run_at(const struct window *w, uint32_t number)
{
    return &w->runs[number & (w->size - 1)];
}

INIT_CODE void window_init(struct window *w, struct window_run *runs, uint8_t *marks, uint32_t size, uint64_t *released,
                           uint32_t nr_streams, uint64_t timeout)
{
    *w = (struct window){.runs = runs, .marks = marks, .size = size, .released = released, .timeout = timeout};
    __builtin_memset(marks, 0, size);
    for (uint32_t stream = 0; stream < nr_streams; stream++) {
        released[stream] = 0;
    }
}

static void unmark_before(struct window *w, uint32_t seq)
{
    for (uint32_t frame = w->base; frame != seq; frame++) {
        *marks_of(w, frame) = 0;
    }
}

/* The first bytes of a run are acknowledged. */
static void release(struct window *w, const struct window_run *run, uint32_t bytes)
{
    uint64_t *released = &w->released[run->stream];
    const uint64_t end = run->offset + bytes;

    w->arrived += end - (*released > run->offset ? *released : run->offset);
    *released = end;
}

/* All frames before seq are acknowledged. */
static void release_before(struct window *w, uint32_t seq)
{
    if (w->marked) {
        unmark_before(w, seq);
    }
    while (w->oldest_run != w->next_run) {
        const struct window_run *run = run_at(w, w->oldest_run);
        uint32_t arrived = seq - run->first;

        if (arrived < run->frames) {
            release(w, run, arrived * run->length);
            break;
        }
        release(w, run, run->bytes);
        w->oldest_run++;
    }
    w->base = seq;
}

/* Mark the frames that have arrived out of order. Returns the number after the last of them; seq if there are none. */
static uint32_t mark_received(struct window *w, uint32_t seq, const struct frame_ack *ack)
{
    uint32_t end = seq;

    for (uint32_t word = 0; word < 4; word++) {
        for (uint64_t bits = ack->received[word]; bits != 0; bits &= bits - 1) {
            uint32_t frame = seq + 1 + 64 * word + (uint32_t)__builtin_ctzll(bits);

            if (!seq_before(frame, w->next)) {
                return end;
            }
            *marks_of(w, frame) |= MARK_ARRIVED;
            w->marked = true;
            end = frame + 1;
        }
    }
    return end;
}

/* Make all frames from the oldest up to end candidates for retransmission. */
static void resend_up_to(struct window *w, uint32_t end)
{
    w->resend_next = w->base;
    w->resend_end = end;
}

/* base has advanced. Until it reaches the end of the frames that were in flight at the last loss, double the number of
 * candidates. */
static void continue_recovery(struct window *w)
{
    if (seq_before(w->base, w->recover)) {
        w->burst = w->burst < w->size ? w->burst * 2 : w->size;
        resend_up_to(w, seq_min(w->base + w->burst, w->recover));
    } else {
        w->recover = w->base; /* keep it near base, because numbers wrap around */
        w->marked = false;    /* only frames before base had marks */
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

void window_ack_requested(struct window *w, uint64_t now)
{
    if (!seq_before(w->base, w->requested)) {
        w->timer_start = now;
    }
    w->requested = w->next;
}

void window_check_timeout(struct window *w, uint64_t now)
{
    if (!seq_before(w->base, w->requested) || (int64_t)(now - w->timer_start) < (int64_t)(w->timeout << w->backoff)) {
        return;
    }
    for (uint32_t seq = w->base; seq != w->next; seq++) {
        *marks_of(w, seq) &= MARK_ARRIVED;
    }
    w->nr_timeouts++;
    w->timer_start = now;
    w->backoff += w->backoff < WINDOW_MAX_BACKOFF ? 1 : 0;
    w->recover = w->next;
    w->burst = WINDOW_FIRST_BURST;
    resend_up_to(w, seq_min(w->base + w->burst, w->recover));
}

/* The run that contains a frame in flight: the last run that does not begin after it. */
static const struct window_run *run_of(const struct window *w, uint32_t seq)
{
    uint32_t low = w->oldest_run, high = w->next_run;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (seq_before(seq, run_at(w, middle)->first)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return run_at(w, low);
}

struct window_run window_frame(const struct window *w, uint32_t seq)
{
    const struct window_run *run = run_of(w, seq);
    uint32_t before = (seq - run->first) * run->length;
    uint32_t left = run->bytes - before;
    uint16_t length = left < run->length ? (uint16_t)left : run->length;

    return (struct window_run){run->offset + before, run->pa + before, seq, 1, length, length, run->stream};
}

bool window_resend(struct window *w, struct window_run *frame)
{
    w->resend_next = seq_max(w->resend_next, w->base);
    for (; seq_before(w->resend_next, w->resend_end); w->resend_next++) {
        uint8_t *marks = marks_of(w, w->resend_next);

        if (*marks == 0) {
            *marks = MARK_RESENT;
            w->marked = true;
            w->nr_resent++;
            *frame = window_frame(w, w->resend_next++);
            return true;
        }
    }
    return false;
}
