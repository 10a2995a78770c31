#include "decode/receive/rivals.h"

#include <stdlib.h>
#include <string.h>

void rival_free(struct rival *rival)
{
    for (unsigned i = 0; i < RIVAL_FRAMES; i++)
        free(rival->payloads[i]);
    *rival = (struct rival){0};
}

void rivals_free(struct rivals *rivals)
{
    for (unsigned i = 0; i < RIVALS_MAX; i++)
        rival_free(&rivals->items[i]);
}

struct rival *rivals_find(struct rivals *rivals, uint64_t source, uint32_t stream_id)
{
    for (unsigned i = 0; i < RIVALS_MAX; i++)
        if (rivals->items[i].present && rivals->items[i].source == source && rivals->items[i].stream_id == stream_id)
            return &rivals->items[i];
    return NULL;
}

/* The place for a new rival: that of its own address, or of the rival that was silent longest. */
static struct rival *place_for(struct rivals *rivals, uint64_t source)
{
    struct rival *place = &rivals->items[0];
    for (unsigned i = 0; i < RIVALS_MAX; i++) {
        struct rival *rival = &rivals->items[i];
        if (rival->present && rival->source == source)
            return rival;
        if (rival->used < place->used)
            place = rival;
    }
    return place;
}

static bool hold(struct rival *rival, const struct frame_header *header, const uint8_t *payload)
{
    uint8_t *copy = malloc(header->length + 1u);
    if (!copy)
        return false;
    memcpy(copy, payload, header->length);
    rival->payloads[header->seq] = copy;
    rival->headers[header->seq] = *header;
    rival->present |= 1u << header->seq;
    return true;
}

struct rival *rivals_take(struct rivals *rivals, uint64_t source, const struct frame_header *header,
                          const uint8_t *payload)
{
    struct rival *rival = rivals_find(rivals, source, header->stream_id);
    if (header->seq >= RIVAL_FRAMES)
        return NULL;
    if (!rival) {
        rival = place_for(rivals, source);
        rival_free(rival);
        rival->source = source;
        rival->stream_id = header->stream_id;
    }
    rival->used = ++rivals->clock;
    if (rival->present & 1u << header->seq || !hold(rival, header, payload))
        return NULL;
    return rival->answered ? rival : NULL;
}

void rival_ack(struct rival *rival, uint16_t flags, struct frame_header *header, struct frame_ack *ack)
{
    const unsigned next = (unsigned)__builtin_ctz(~rival->present);
    memset(ack, 0, sizeof(*ack));
    ack->received[0] = rival->present >> next >> 1;
    *header = (struct frame_header){.kind = FRAME_ACK,
                                    .stream_id = rival->stream_id,
                                    .seq = next,
                                    .length = ack->received[0] ? sizeof(ack->received[0]) : 0,
                                    .flags = flags};
    frame_seal(header, ack);
    rival->answered = true;
}
