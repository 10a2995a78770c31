#include "decode/receive/reception.h"

#include "decode/capture/monotonic.h"
#include "decode/receive/unpack.h"

#define FIRST_SECONDS 5.0 /* within which frame 0 must come */

/* Store a delivered frame. One whose block is not valid counts as lost: no sender has made it. */
static void keep_frame(void *context, const struct frame_header *header, const uint8_t *payload)
{
    struct reception *reception = context;
    size_t size = header->length;
    reception->wire_bytes += FRAME_HEADER_SIZE + size;
    store_lost_frames(reception->store, header->seq - reception->due_seq, frame_most_bytes(header));
    reception->due_seq = header->seq + 1;
    if (header->kind & FRAME_PACKED) {
        size = unpack_block(reception->plain, sizeof(reception->plain), payload, size);
        payload = reception->plain;
        if (size == 0) {
            reception->bad_blocks++;
            store_lost_frames(reception->store, 1, FRAME_MAX_PLAIN);
            return;
        }
    }
    bool kept = (header->kind & ~FRAME_PACKED) == FRAME_TRACE
                    ? store_trace(reception->store, header->cpu, header->offset, payload, size)
                    : store_records(reception->store, header->cpu, header->offset, payload, size);
    if (!kept)
        reception->store_failed = true;
}

static void begin(struct reception *reception, bool in_order_only)
{
    reassemble_init(&reception->frames, in_order_only, keep_frame, reception);
    reception->frames.first = reception->first.frame;
    reception->due_seq = (uint32_t)reception->first.frame;
}

void reception_init(struct reception *reception, bool in_order_only)
{
    reception->last_frame = reception->started_at = monotonic_seconds();
    begin(reception, in_order_only);
    store_begin_at(reception->store, reception->first.records);
}

void reception_free(struct reception *reception)
{
    reassemble_free(&reception->frames);
    rivals_free(&reception->rivals);
}

void reception_resume(struct reception *reception, const struct resume_point *point)
{
    if (point->keyed)
        session_recall(reception->session, &point->session);
    if (!point->started)
        return;
    reassemble_resume(&reception->frames, point->stream_id, point->next_seq, point->frames);
    reception->frames.counts.lost = point->lost;
    reception->due_seq = point->next_seq;
    reception->source = point->source;
    reception->answered = point->answered;
    reception->proven = point->proven;
}

bool reception_commit(struct reception *reception)
{
    const struct reassemble *frames = &reception->frames;
    struct resume_point point = {.started = frames->started,
                                 .serial = frames->in_order_only,
                                 .keyed = reception->session != NULL,
                                 .answered = reception->answered,
                                 .proven = reception->proven,
                                 .stream_id = frames->stream_id,
                                 .next_seq = frames->next_seq,
                                 .frames = frames->counts.frames,
                                 .lost = frames->counts.lost,
                                 .source = reception->source};
    if (reception->session)
        session_remember(reception->session, &point.session);
    return store_commit(reception->store, &point);
}

/* No sender has such a CPU: a single datagram must not end the reception, nor create files. */
static bool is_impossible(const struct reception *reception, const struct frame_header *header)
{
    const struct store_totals *totals = store_totals(reception->store);
    return header->cpu >= STORE_MAX_CPUS || (totals->hello && header->cpu >= totals->nr_cpus);
}

/* The stream that was stored so far is not the machine's: store what the rival has sent instead. */
static bool replace_stream(struct reception *reception, struct rival *rival)
{
    struct reassemble *frames = &reception->frames;
    const struct reassemble_counts counts = frames->counts;
    reassemble_free(frames);
    begin(reception, false);
    frames->counts.foreign = counts.foreign + counts.frames + counts.held;
    reception->source = rival->source;
    reception->proven = true;
    reception->replaced++;
    if (!store_restart(reception->store)) {
        reception->store_failed = true;
        return false;
    }
    for (unsigned i = 0; i < RIVAL_FRAMES; i++)
        if (rival->present & 1u << i)
            reassemble_take(frames, &rival->headers[i], rival->payloads[i]);
    rivals_free(&reception->rivals);
    return true;
}

void reception_adopt(struct reception *reception, struct rival *boot)
{
    reception->source = boot->source;
    reception->answered = reception->proven = true;
    for (unsigned i = 0; i < RIVAL_FRAMES; i++)
        if (boot->present & 1u << i)
            reassemble_take(&reception->frames, &boot->headers[i], boot->payloads[i]);
    rival_free(boot);
    if (!reception_commit(reception))
        reception->store_failed = true;
}

/* A data frame of another stream, which may be the machine's next boot: it has the same address. true: it is to be
 * answered. */
static bool take_next(struct reception *reception, uint64_t source, const struct frame_header *header,
                      const uint8_t *payload)
{
    const unsigned port_bits = 16;
    if (reception->next || source >> port_bits != reception->source >> port_bits)
        return false;
    reception->next = rivals_take(&reception->rivals, source, header, payload);
    return rivals_find(&reception->rivals, source, header->stream_id) != NULL;
}

static void note_other(struct reception *reception, const struct frame_header *header)
{
    if (!frame_is_data(header) || header->stream_id == reception->frames.stream_id)
        return;
    reception->other_boot = true;
    reception->other_stream_id = header->stream_id;
}

/* A data frame of another sender than the first. true: it is to be answered. */
static bool take_rival(struct reception *reception, uint64_t source, const struct frame_header *header,
                       const uint8_t *payload)
{
    const uint32_t first = reception->frames.stream_id;
    struct rival *proven = rivals_take(&reception->rivals, source, header, payload);
    if (!proven)
        return rivals_find(&reception->rivals, source, header->stream_id) != NULL;
    reception->other_stream_id = first;
    return replace_stream(reception, proven);
}

static bool is_new(const struct reassemble *frames, const struct frame_header *header)
{
    return header->seq - frames->next_seq <= UINT32_MAX / 2;
}

bool reception_take(struct reception *reception, uint64_t source, const struct frame_header *header,
                    const uint8_t *payload)
{
    struct reassemble *frames = &reception->frames;
    if (is_impossible(reception, header)) {
        reception->bad_frames++;
        return false;
    }
    if (reception->has_past && header->stream_id == reception->past_stream_id)
        return false;
    if (header->version == FRAME_PACKED_VERSION && !unpack_is_there()) {
        reception->cannot_unpack = true;
        return false;
    }
    if (!frames->started && frame_is_data(header)) {
        reception->source = source;
        reception->started_at = monotonic_seconds();
    }
    if (frames->started && source != reception->source && header->stream_id == frames->stream_id) {
        reception->strange++;
        return false;
    }
    const bool proves = reception->answered && is_new(frames, header);
    if (reassemble_take(frames, header, payload)) {
        reception->proven = reception->proven || proves;
        reception->last_frame = monotonic_seconds();
        return true;
    }
    if (frame_is_data(header) && !reception->proven && !frames->in_order_only)
        return take_rival(reception, source, header, payload);
    if (reception->follow && frame_is_data(header) && header->stream_id != frames->stream_id &&
        take_next(reception, source, header, payload))
        return true;
    note_other(reception, header);
    return false;
}

/* Acknowledge only what is written: the receiver may be killed at any time. */
bool reception_answer(struct reception *reception, uint64_t source, const struct frame_header *asked,
                      struct frame_header *header, struct frame_ack *ack)
{
    if (source != reception->source || asked->stream_id != reception->frames.stream_id) {
        rival_ack(rivals_find(&reception->rivals, source, asked->stream_id), asked->flags, header, ack);
        return true;
    }
    reception->answered = true;
    if (!reception_commit(reception))
        return false;
    reassemble_ack(&reception->frames, asked->flags, header, ack);
    return true;
}

/* A sender repeats its oldest frame at least every 250 ms. */
static void check_beginning(struct reception *reception)
{
    const struct reassemble *frames = &reception->frames;
    reception->began_before =
        frames->started && frames->counts.frames == 0 && monotonic_seconds() - reception->started_at > FIRST_SECONDS;
}

enum reception_outcome reception_check(struct reception *reception)
{
    const struct store_totals *totals = store_totals(reception->store);
    enum reception_phase phase = !reception->frames.started ? RECEPTION_WAITING
                                 : totals->ended            ? RECEPTION_HAS_END
                                                            : RECEPTION_RECEIVING;
    reception->progress(reception->progress_context, phase, totals);
    control_serve(reception->control, reception->frames.started, reception->frames.stream_id, reception->store,
                  reception->send, reception->send_context);
    check_beginning(reception);
    double quiet = monotonic_seconds() - reception->last_frame;
    if (reception->store_failed)
        return RECEPTION_FAILED;
    if (reception->next || (reception->session && reception->session->next))
        return totals->ended ? RECEPTION_ENDED : RECEPTION_NEXT;
    if (totals->ended && (quiet >= reception->linger_seconds || *reception->stop))
        return RECEPTION_ENDED;
    if (*reception->stop)
        return RECEPTION_INTERRUPTED;
    if (reception->limit_bytes > 0 && store_bytes(reception->store) >= reception->limit_bytes)
        return RECEPTION_LIMIT;
    if (reception->timeout_seconds > 0 && quiet >= reception->timeout_seconds)
        return RECEPTION_TIMEOUT;
    return RECEPTION_CONTINUES;
}
