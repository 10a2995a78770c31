#include "decode/receive/reassemble.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(REASSEMBLE_SLOTS > REASSEMBLE_WINDOW, "each frame of the window has a slot of its own");

void reassemble_init(struct reassemble *r, bool in_order_only, reassemble_deliver deliver, void *context)
{
    memset(r, 0, sizeof(*r));
    r->in_order_only = in_order_only;
    r->deliver = deliver;
    r->context = context;
}

void reassemble_free(struct reassemble *r)
{
    for (size_t i = 0; i < REASSEMBLE_SLOTS; i++)
        free(r->slots[i].payload);
}

void reassemble_resume(struct reassemble *r, uint32_t stream_id, uint32_t next_seq, uint64_t frames)
{
    r->started = true;
    r->stream_id = stream_id;
    r->next_seq = next_seq;
    r->counts.frames = frames;
}

static void deliver_frame(struct reassemble *r, const struct frame_header *header, const uint8_t *payload)
{
    r->counts.frames++;
    r->next_seq = header->seq + 1;
    r->deliver(r->context, header, payload);
}

/* Deliver the held frames whose turn it is. */
static void deliver_held(struct reassemble *r)
{
    struct reassemble_slot *slot;
    while ((slot = &r->slots[r->next_seq % REASSEMBLE_SLOTS])->present && slot->header.seq == r->next_seq) {
        slot->present = false;
        r->nr_present--;
        deliver_frame(r, &slot->header, slot->payload);
    }
}

static void hold_frame(struct reassemble *r, const struct frame_header *header, const uint8_t *payload)
{
    struct reassemble_slot *slot = &r->slots[header->seq % REASSEMBLE_SLOTS];
    if (slot->present) {
        r->counts.duplicates++;
        return;
    }
    if (!slot->payload)
        slot->payload = malloc(FRAME_MAX_PAYLOAD);
    if (!slot->payload) {
        r->counts.beyond++;
        return;
    }
    memcpy(slot->payload, payload, header->length);
    slot->header = *header;
    slot->present = true;
    r->nr_present++;
    r->counts.held++;
}

bool reassemble_take(struct reassemble *r, const struct frame_header *header, const uint8_t *payload)
{
    if (!frame_is_data(header)) {
        r->counts.foreign++;
        return false;
    }
    if (!r->started) {
        r->started = true;
        r->stream_id = header->stream_id;
        /* Reading from a UART may begin in the middle; a sender that waits for acknowledgements begins with the first
         * frame. */
        r->next_seq = r->in_order_only ? header->seq : (uint32_t)r->first;
    }
    if (header->stream_id != r->stream_id) {
        r->counts.foreign++;
        return false;
    }
    uint32_t ahead = header->seq - r->next_seq;
    if (ahead > UINT32_MAX / 2) {
        r->counts.duplicates++;
    } else if (ahead == 0) {
        deliver_frame(r, header, payload);
        deliver_held(r);
    } else if (r->in_order_only) {
        r->counts.lost += ahead;
        deliver_frame(r, header, payload);
    } else if (ahead <= REASSEMBLE_WINDOW) {
        hold_frame(r, header, payload);
    } else {
        r->counts.beyond++;
    }
    return true;
}

/* The last word is not 0. */
static uint32_t list_present(const struct reassemble *r, struct frame_ack *ack)
{
    uint32_t i = 0;
    for (uint32_t left = r->nr_present; left > 0 && i < REASSEMBLE_WINDOW; i++) {
        if (!r->slots[(r->next_seq + 1 + i) % REASSEMBLE_SLOTS].present)
            continue;
        ack->received[i / 64] |= 1ull << (i % 64);
        left--;
    }
    return (i + 63) / 64;
}

void reassemble_ack(const struct reassemble *r, uint16_t flags, struct frame_header *header, struct frame_ack *ack)
{
    memset(ack, 0, sizeof(*ack));
    const uint32_t words = list_present(r, ack);
    *header = (struct frame_header){.kind = FRAME_ACK,
                                    .stream_id = r->stream_id,
                                    .seq = r->next_seq,
                                    .length = (uint16_t)(8 * words),
                                    .flags = flags};
    frame_seal(header, ack);
}
