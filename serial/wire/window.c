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

#define MARK_ARRIVED 1u /* although an earlier frame has not */
#define MARK_RESENT 2u
#define MARK_LOST 4u /* and not yet sent again */

static uint8_t *marks_of(const struct window *w, uint32_t seq)
{
    return &w->marks[seq & (w->size - 1)];
}

static void note_marks(struct window *w, uint32_t seq)
{
    if (!seq_before(w->base, w->marks_end)) {
        w->marks_end = w->base;
    }
    w->marks_end = seq_max(w->marks_end, seq + 1);
}

static const struct window_run *run_at(const struct window *w, uint32_t number)
{
    return &w->runs[number & (w->size - 1)];
}

INIT_CODE void window_init(struct window *w, const struct window_memory *memory, uint64_t *released,
                           uint32_t nr_streams)
{
    *w = (struct window){.runs = memory->runs,
                         .marks = memory->marks,
                         .resent = memory->resent,
                         .size = memory->size,
                         .released = released,
                         .reorder = WINDOW_REORDER};
    __builtin_memset(w->marks, 0, w->size);
    for (uint32_t stream = 0; stream < nr_streams; stream++) {
        released[stream] = 0;
    }
}

INIT_CODE void window_begin_at(struct window *w, uint32_t seq)
{
    w->base = w->next = w->lost_from = w->lost_end = w->marks_end = seq;
}

/* A frame has arrived. If it was sent again only after the request, its first copy was not lost. */
static void check_reordering(struct window *w, uint32_t seq, const struct window_sent *sent)
{
    const uint32_t resent = w->resent[seq & (w->size - 1)];

    if (sent != NULL && !seq_before(resent, sent->transmissions) && w->reorder < WINDOW_MOST_REORDER) {
        w->reorder *= 2;
    }
}

static void unmark_before(struct window *w, uint32_t seq, const struct window_sent *sent)
{
    for (uint32_t frame = w->base; frame != seq; frame++) {
        uint8_t *marks = marks_of(w, frame);

        if ((*marks & (MARK_RESENT | MARK_ARRIVED)) == MARK_RESENT) {
            check_reordering(w, frame, sent);
        }
        *marks = 0;
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
static void release_before(struct window *w, uint32_t seq, const struct window_sent *sent)
{
    if (seq_before(w->base, w->marks_end)) {
        unmark_before(w, seq_min(seq, w->marks_end), sent);
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

static void mark_received(struct window *w, const struct window_arrived *arrived, const struct window_sent *sent)
{
    for (uint32_t word = 0; word < arrived->words; word++) {
        for (uint64_t bits = arrived->ack->received[word]; bits != 0; bits &= bits - 1) {
            uint32_t frame = arrived->seq + 1 + 64 * word + (uint32_t)__builtin_ctzll(bits);
            uint8_t *marks = marks_of(w, frame);

            if (!seq_before(frame, w->next)) {
                return;
            }
            if ((*marks & (MARK_RESENT | MARK_ARRIVED)) == MARK_RESENT) {
                check_reordering(w, frame, sent);
            }
            *marks = (uint8_t)((*marks & ~MARK_LOST) | MARK_ARRIVED);
            note_marks(w, frame);
        }
    }
}

static void add_lost(struct window *w, uint32_t seq)
{
    if (!window_has_lost(w)) {
        w->lost_from = w->lost_end = seq;
    }
    w->lost_from = seq_min(w->lost_from, seq);
    w->lost_end = seq_max(w->lost_end, seq + 1);
    note_marks(w, seq);
}

/* Does the acknowledgement lack a frame, which is in flight? */
static bool lacks(const struct window_arrived *arrived, uint32_t seq)
{
    const uint32_t bit = seq - arrived->seq - 1; /* of the first frame: beyond all words */

    return bit / 64 >= arrived->words || (arrived->ack->received[bit / 64] >> bit % 64 & 1) == 0;
}

/* A receiver that was killed and started again has forgotten the frames that it held (RFC 2018, section 8: reneging).
 * They are missing in its answers, although an earlier answer had them. */
static void forget_arrived(struct window *w, const struct window_arrived *arrived, const struct window_sent *sent)
{
    const uint32_t end = seq_min(sent->next, w->marks_end);

    for (uint32_t seq = w->base; seq_before(seq, end); seq++) {
        uint8_t *marks = marks_of(w, seq);

        if ((*marks & MARK_ARRIVED) != 0 && lacks(arrived, seq)) {
            *marks &= (uint8_t)~MARK_ARRIVED;
        }
    }
}

/* Take frames for lost that are missing although reorder later ones had been sent when the acknowledgement was
 * requested. */
static void find_lost(struct window *w, const struct window_sent *sent, uint32_t reorder)
{
    for (uint32_t seq = w->base; seq_before(seq, sent->next); seq++) {
        uint8_t *marks = marks_of(w, seq);
        const uint32_t later =
            *marks & MARK_RESENT ? sent->transmissions - w->resent[seq & (w->size - 1)] - 1 : sent->next - seq - 1;

        if ((*marks & (MARK_ARRIVED | MARK_LOST)) == 0 && (int32_t)later >= (int32_t)reorder) {
            *marks |= MARK_LOST;
            w->nr_lost++;
            add_lost(w, seq);
        }
    }
}

bool window_ack(struct window *w, const struct window_arrived *arrived, const struct window_sent *sent)
{
    if (arrived->seq - w->base > w->next - w->base) {
        return false;
    }
    if (arrived->seq != w->base) {
        release_before(w, arrived->seq, sent);
    }
    mark_received(w, arrived, sent);
    if (sent != NULL && seq_before(w->base, sent->next)) {
        forget_arrived(w, arrived, sent);
        find_lost(w, sent, w->reorder);
    }
    return true;
}

void window_lose(struct window *w, const struct window_sent *sent)
{
    find_lost(w, sent, 0);
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

    if (run->frames == 1) {
        return *run;
    }
    uint32_t before = (seq - run->first) * run->length;
    uint32_t left = run->bytes - before;
    uint16_t length = left < run->length ? (uint16_t)left : run->length;

    return (struct window_run){run->offset + before, run->pa + before, seq, 1, length, length, run->stream};
}

static struct window_run send_again(struct window *w, uint32_t seq)
{
    *marks_of(w, seq) = MARK_RESENT;
    w->resent[seq & (w->size - 1)] = window_transmissions(w);
    note_marks(w, seq);
    w->nr_resent++;
    return window_frame(w, seq);
}

bool window_resend(struct window *w, struct window_run *frame)
{
    if (seq_before(w->lost_from, w->base)) {
        w->lost_from = w->base;
        w->lost_end = seq_max(w->lost_end, w->base);
    }
    while (window_has_lost(w)) {
        const uint32_t seq = w->lost_from++;

        if (*marks_of(w, seq) & MARK_LOST) {
            *frame = send_again(w, seq);
            return true;
        }
    }
    return false;
}

struct window_run window_repeat(struct window *w, bool newest)
{
    uint32_t seq = newest ? w->next - 1 : w->base;

    while (*marks_of(w, seq) & MARK_ARRIVED && seq != w->base) {
        seq--;
    }
    return send_again(w, seq);
}
