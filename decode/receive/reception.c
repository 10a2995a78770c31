#include "decode/receive/reception.h"

#include "decode/capture/monotonic.h"

/* Store a delivered frame. */
static void keep_frame(void *context, const struct frame_header *header, const uint8_t *payload)
{
    struct reception *reception = context;
    store_lost_frames(reception->store, header->seq - reception->due_seq);
    reception->due_seq = header->seq + 1;
    bool kept = header->kind == FRAME_TRACE
                    ? store_trace(reception->store, header->cpu, header->offset, payload, header->length)
                    : store_records(reception->store, header->cpu, header->offset, payload, header->length);
    if (!kept)
        reception->store_failed = true;
}

void reception_init(struct reception *reception, bool in_order_only)
{
    reception->last_frame = monotonic_seconds();
    reassemble_init(&reception->frames, in_order_only, keep_frame, reception);
}

void reception_free(struct reception *reception)
{
    reassemble_free(&reception->frames);
}

bool reception_take(struct reception *reception, const struct frame_header *header, const uint8_t *payload)
{
    struct reassemble *frames = &reception->frames;
    if (header->cpu >= STORE_MAX_CPUS) { /* no sender has it: a single datagram must not end the reception */
        reception->bad_frames++;
        return false;
    }
    if (reassemble_take(frames, header, payload)) {
        reception->last_frame = monotonic_seconds();
        return true;
    }
    if ((header->kind == FRAME_TRACE || header->kind == FRAME_RECORDS) && header->stream_id != frames->stream_id) {
        reception->other_boot = true;
        reception->other_stream_id = header->stream_id;
    }
    return false;
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
    double quiet = monotonic_seconds() - reception->last_frame;
    if (reception->store_failed)
        return RECEPTION_FAILED;
    if (totals->ended && (quiet >= reception->linger_seconds || *reception->stop))
        return RECEPTION_ENDED;
    if (*reception->stop)
        return RECEPTION_INTERRUPTED;
    if (reception->timeout_seconds > 0 && quiet >= reception->timeout_seconds)
        return RECEPTION_TIMEOUT;
    return RECEPTION_CONTINUES;
}
