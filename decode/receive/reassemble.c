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
    r->counts.held++;
}

bool reassemble_take(struct reassemble *r, const struct frame_header *header, const uint8_t *payload)
{
    if (header->kind != FRAME_TRACE && header->kind != FRAME_RECORDS) {
        r->counts.foreign++;
        return false;
    }
    if (!r->started) {
        r->started = true;
        r->stream_id = header->stream_id;
        /* Reading from a UART may begin in the middle; a sender that waits for acknowledgements starts at frame 0. */
        r->next_seq = r->in_order_only ? header->seq : 0;
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

void reassemble_ack(const struct reassemble *r, struct frame_header *header, struct frame_ack *ack)
{
    memset(ack, 0, sizeof(*ack));
    for (uint32_t i = 0; i < REASSEMBLE_ACKED; i++) {
        const struct reassemble_slot *slot = &r->slots[(r->next_seq + 1 + i) % REASSEMBLE_SLOTS];
        if (slot->present)
            ack->received[i / 64] |= 1ull << (i % 64);
    }
    *header =
        (struct frame_header){.kind = FRAME_ACK, .stream_id = r->stream_id, .seq = r->next_seq, .length = sizeof(*ack)};
    frame_seal(header, ack);
}
