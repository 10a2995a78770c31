/* Kind: shell, hot */
#include "serial/net/udp_pack.h"

#include "serial/net/udp_state.h"

/* While a CPU compresses, the others wait for the sink's lock: about a million instructions at most. */
#define BYTES_PER_POLL (128u << 10)
/* Where bytes do not shrink, so many are sent as they are, in whole frames, or one frame, before the next attempt. */
#define PLAIN_BYTES 4320u

static uint64_t buffer_at(const struct udp_sink *s)
{
    return (uint64_t)(s->flight.window.next & (s->flight.window.size - 1)) * UDP_PACK_BUFFER_BYTES(s->max_payload);
}

uint64_t udp_packed_pa(const struct udp_sink *s)
{
    return s->packer->buffers_pa + buffer_at(s);
}

__attribute__((noinline)) struct lz4_block udp_pack(struct udp_sink *s, struct span span, uint64_t now)
{
    struct udp_packer *p = s->packer;

    if (p->polled != now) {
        p->polled = now;
        p->left = BYTES_PER_POLL;
    }
    if (p->left == 0) {
        return (struct lz4_block){0, 0};
    }
    struct lz4_block block = lz4_pack(&p->table, p->buffers + buffer_at(s), s->max_payload, span.va, span.size);

    p->left -= block.plain < p->left ? block.plain : p->left;
    if (!lz4_shrinks(block)) {
        const uint32_t whole =
            s->max_payload > PLAIN_BYTES ? s->max_payload : PLAIN_BYTES - PLAIN_BYTES % s->max_payload;

        block.plain = span.size < whole ? span.size : whole;
        block.packed = block.plain;
    }
    s->sink.plain_bytes += block.plain;
    s->sink.packed_bytes += block.packed;
    return block;
}
