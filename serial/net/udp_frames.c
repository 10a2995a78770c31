/* Kind: shell, hot */
/*
 * channel=net: datagrams in the slots of the transmit ring. udp_put_frames and udp_seal_frames are the cost of a
 * datagram in root mode.
 */
#include "serial/net/udp_frames.h"

#include "base/init.h"
#include "base/phys.h"
#include "serial/wire/crc32c.h"

/* Checksum offload is requested in a packet's first descriptor. QEMU's 82574 evaluates the last one, so both have it.
 */
#define SUMS_FIELDS (E1000_TX_IXSM | E1000_TX_TXSM)

/* The first eight bytes of a frame header, which are the same for all frames of a stream. */
static uint64_t stream_head(const struct udp_sink *s, uint16_t stream)
{
    uint64_t kind = stream % 2 == 0 ? FRAME_TRACE : FRAME_RECORDS;

    return s->frame_head | kind << 40 | (uint64_t)(stream / 2) << 48;
}

/* The CRC of a frame, by the CRC32 instruction. crc: of its payload. */
static inline uint32_t frame_crc(uint64_t crc, const uint64_t words[4])
{
    for (unsigned i = 0; i < 3; i++) {
        crc = __builtin_ia32_crc32di(crc, words[i]);
    }
    return ~__builtin_ia32_crc32si((uint32_t)crc, (uint32_t)words[3]);
}

static void add_crc(struct udp_headers *headers, const uint8_t *payload)
{
    const uint32_t crc = crc32c_update(CRC32C_START, payload, headers->payload_bytes);

    headers->words[3] |= (uint64_t)frame_crc(crc, headers->words) << 32;
}

static __attribute__((noinline)) void add_tag(const struct udp_sink *s, struct udp_headers *headers,
                                              const uint8_t *payload)
{
    headers->words[0] |= (uint64_t)FRAME_TAGGED << 40;
    headers->words[3] |= (uint64_t)frame_crc(CRC32C_START, headers->words) << 32;
    auth_tag(headers->tag, &s->auth.session.to_receiver, auth_number(s->nr_sent, headers->frame.seq), &headers->frame,
             payload);
}

void udp_seal_frames(const struct udp_sink *s, uint32_t first)
{
    for (uint32_t slot = first; slot != s->tx_head; slot++) {
        struct udp_headers *headers = &s->headers[slot % UDP_TX_SLOTS];
        const uint8_t *payload = phys_to_virt(s->tx[slot % UDP_TX_SLOTS].payload.low);

        if (s->auth.required) {
            add_tag(s, headers, payload);
        } else {
            add_crc(headers, payload);
        }
    }
}

static __attribute__((cold, noinline)) void build_slot(const struct udp_sink *s, struct udp_headers *headers,
                                                       struct udp_slot *slot)
{
    net_headers_build(headers->net, &s->link);
    slot->headers.low = s->headers_pa + (uint64_t)((uint8_t *)headers->net - (uint8_t *)s->headers);
}

static __attribute__((noinline)) void set_payload_bytes(const struct udp_sink *s, struct udp_headers *headers,
                                                        struct udp_slot *slot, uint32_t length)
{
    if (headers->payload_bytes == UDP_UNBUILT) {
        build_slot(s, headers, slot);
    }
    headers->payload_bytes = (uint16_t)length;
    slot->headers.high = s->headers_fields + length * s->paylen_unit;
    net_headers_set_length(headers->net, s->pseudo_header_sum, s->header_bytes + length);
}

INIT_CODE void udp_build_headers(struct udp_sink *s)
{
    s->pseudo_header_sum = net_pseudo_header_sum(&s->link);
    s->payload_fields = s->data_fields | SUMS_FIELDS | UDP_LAST_FIELDS;
    const uint32_t headers_bytes = NET_HEADERS_BYTES + s->header_bytes;
    s->headers_fields = (s->data_fields | SUMS_FIELDS | headers_bytes) + headers_bytes * s->paylen_unit;
    for (uint32_t i = 0; i < UDP_TX_SLOTS; i++) {
        s->headers[i].payload_bytes = UDP_UNBUILT;
    }
    /* The NIC may still be reading earlier slots: those are built when they are used. */
    for (uint32_t i = s->tx_head; i < UDP_TX_SLOTS; i++) {
        set_payload_bytes(s, &s->headers[i], &s->tx[i], s->max_payload);
    }
}

__attribute__((cold, noinline)) void udp_forget_headers(struct udp_sink *s)
{
    for (uint32_t i = 0; i < UDP_TX_SLOTS; i++) {
        s->headers[i].payload_bytes = UDP_UNBUILT;
    }
}

/* The state of udp_put_frames: the next slot, and the fields of its frame. */
struct next_frame {
    struct udp_headers *headers;
    struct udp_slot *slot;
    uint64_t word1, offset, pa, fields;
};

static inline __attribute__((always_inline)) struct next_frame next_frame_at(const struct udp_sink *s, uint32_t index,
                                                                             const struct window_run *run)
{
    return (struct next_frame){.headers = &s->headers[index],
                               .slot = &s->tx[index],
                               .word1 = s->stream_id | (uint64_t)run->first << 32,
                               .offset = run->offset,
                               .pa = run->pa,
                               .fields = s->payload_fields};
}

static inline __attribute__((always_inline)) void put_frame(const struct udp_sink *s, struct next_frame *next,
                                                            uint64_t head, uint32_t length)
{
    struct udp_headers *headers = next->headers;

    if (__builtin_expect(headers->payload_bytes != length, 0)) {
        set_payload_bytes(s, headers, next->slot, length);
    }
    headers->words[0] = head;
    headers->words[1] = next->word1;
    headers->words[2] = next->offset;
    headers->words[3] = length;
    next->slot->payload = (struct e1000_tx_descriptor){next->pa, next->fields | length};
    next->word1 += 1ull << 32;
    next->offset += length;
    next->pa += length;
    next->headers++;
    next->slot++;
}

void udp_put_frames(struct udp_sink *s, uint32_t index, const struct window_run *run)
{
    const uint64_t head = stream_head(s, run->stream);
    const uint32_t length = run->length, before_last = run->frames - 1;
    struct next_frame next = next_frame_at(s, index, run);
    const struct udp_headers *const last = next.headers + before_last;

    while (next.headers != last) {
        put_frame(s, &next, head, length);
    }
    put_frame(s, &next, head, run->bytes - before_last * length);
}

__attribute__((noinline)) void udp_put_packed(struct udp_sink *s, uint32_t index, const struct window_run *run)
{
    struct next_frame next = next_frame_at(s, index, run);

    put_frame(s, &next, stream_head(s, run->stream) | (uint64_t)FRAME_PACKED << 40, run->length);
}
