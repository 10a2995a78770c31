/*
 * channel=e1000: frames into the transmit ring. Shell. put_frame is what root mode pays per datagram.
 */
#include "pt/msr.h"
#include "serial/udp_state.h"

/* Slots that are taken back from the NIC at a time. */
#define TX_RECLAIM 64u

#define HEADERS_BYTES (NET_HEADERS_BYTES + FRAME_HEADER_SIZE)
#define DATA_FIELDS (E1000_TX_DTYP_DATA | E1000_TX_IFCS | E1000_TX_DEXT)
#define HEADERS_FIELDS (DATA_FIELDS | E1000_TX_IXSM | E1000_TX_TXSM | HEADERS_BYTES)
#define PAYLOAD_FIELDS (DATA_FIELDS | E1000_TX_EOP | E1000_TX_RS)

/* The first eight bytes of the frame headers of a stream. */
static uint64_t stream_head(uint16_t stream)
{
    uint64_t kind = stream % 2 == 0 ? FRAME_TRACE : FRAME_RECORDS;

    return FRAME_MAGIC | (uint64_t)FRAME_VERSION << 32 | kind << 40 | (uint64_t)(stream / 2) << 48;
}

/* The frame's CRC, by the CRC32 instruction. last: the four bytes before the CRC. */
static inline uint32_t frame_crc(uint64_t head_crc, uint64_t word1, uint64_t word2, uint32_t last)
{
    uint64_t crc = __builtin_ia32_crc32di(__builtin_ia32_crc32di(head_crc, word1), word2);

    return ~__builtin_ia32_crc32si((uint32_t)crc, last);
}

static inline uint64_t crc_of_head(uint64_t head)
{
    return __builtin_ia32_crc32di(0xffffffff, head);
}

/* What put_frame needs, apart from the sink so that it stays in registers over a span. */
struct cursor {
    struct udp_headers *headers;
    struct udp_slot *tx;
    uint64_t headers_pa; /* of the first Ethernet header in the pool */
    uint64_t head, head_crc, stream_id;
    uint32_t tx_head, since_ack_request, ack_every;
};

static inline struct cursor cursor_begin(const struct udp_sink *s, uint16_t stream)
{
    uint64_t head = stream_head(stream);

    return (struct cursor){.headers = s->headers,
                           .tx = s->tx,
                           .headers_pa = s->headers_pa + offsetof(struct udp_headers, net),
                           .head = head,
                           .head_crc = crc_of_head(head),
                           .stream_id = s->stream_id,
                           .tx_head = s->tx_head,
                           .since_ack_request = s->since_ack_request,
                           .ack_every = s->ack_every};
}

static inline void cursor_end(struct udp_sink *s, const struct cursor *c)
{
    s->tx_head = c->tx_head;
    s->since_ack_request = c->since_ack_request;
}

static __attribute__((noinline)) void set_payload_bytes(const struct udp_sink *s, struct udp_headers *headers,
                                                        uint16_t length)
{
    if (headers->payload_bytes == 0) {
        net_headers_build(headers->net, &s->link);
    }
    headers->payload_bytes = length;
    net_headers_set_length(headers->net, (uint16_t)(FRAME_HEADER_SIZE + length));
}

/* Put a frame into the next slot of the ring. There is room. */
static inline __attribute__((always_inline)) void put_frame(const struct udp_sink *s, struct cursor *c, uint32_t seq,
                                                            uint64_t offset, uint64_t pa, uint16_t length)
{
    uint32_t index = c->tx_head++ % UDP_TX_SLOTS;
    struct udp_headers *headers = &c->headers[index];
    struct udp_slot *slot = &c->tx[index];
    uint64_t word1 = c->stream_id | (uint64_t)seq << 32;
    uint32_t last = length;

    if (__builtin_expect(headers->payload_bytes != length, 0)) {
        set_payload_bytes(s, headers, length);
    }
    if (__builtin_expect(++c->since_ack_request == c->ack_every, 0)) {
        c->since_ack_request = 0;
        last |= FRAME_ACK_REQUEST << 16;
    }
    headers->words[0] = c->head;
    headers->words[1] = word1;
    headers->words[2] = offset;
    headers->words[3] = last | (uint64_t)frame_crc(c->head_crc, word1, offset, last) << 32;
    slot->headers.low = c->headers_pa + index * sizeof(struct udp_headers);
    slot->headers.high = HEADERS_FIELDS;
    slot->payload.low = pa;
    slot->payload.high = PAYLOAD_FIELDS | length;
}

/* The batch ends: its last frame asks for an acknowledgement, and the NIC gets it all. */
static void end_batch(struct udp_sink *s)
{
    if (s->since_ack_request != 0) {
        struct udp_headers *last = &s->headers[(s->tx_head - 1) % UDP_TX_SLOTS];

        s->since_ack_request = 0;
        last->frame.flags |= FRAME_ACK_REQUEST;
        last->frame.crc =
            frame_crc(crc_of_head(last->words[0]), last->words[1], last->words[2], (uint32_t)last->words[3]);
    }
    e1000_give_tx(&s->nic, 2 * s->tx_head % (2 * UDP_TX_SLOTS));
}

/* How many slots may be filled. The NIC sends in order, so that a slot that is done says that those before are. */
static uint32_t tx_space(struct udp_sink *s)
{
    while (s->tx_done != s->tx_head) {
        uint32_t waiting = s->tx_head - s->tx_done;
        uint32_t step = waiting < TX_RECLAIM ? waiting : TX_RECLAIM;
        const volatile struct udp_slot *slot = &s->tx[(s->tx_done + step - 1) % UDP_TX_SLOTS];

        if ((slot->payload.high & E1000_TX_DD) == 0) {
            break;
        }
        s->tx_done += step;
    }
    return UDP_TX_SLOTS - 1 - (s->tx_head - s->tx_done);
}

/* Put as much of a span into frames as there is room for. Returns the bytes. */
static uint32_t send_span(struct udp_sink *s, uint16_t stream, struct span span)
{
    uint32_t max_payload = s->max_payload;
    uint32_t space = window_space(&s->window);
    uint32_t room = tx_space(s);
    uint32_t left = span.size;
    uint64_t offset = span.offset;
    struct cursor c;

    room = space < room ? space : room;
    if (room == 0) {
        return 0;
    }
    window_begin(&s->window, stream, tsc_read());
    c = cursor_begin(s, stream);
    do {
        uint32_t length = left < max_payload ? left : max_payload;
        uint32_t seq = window_push(&s->window, offset, span.pa, (uint16_t)length);

        put_frame(s, &c, seq, offset, span.pa, (uint16_t)length);
        offset += length;
        span.pa += length;
        left -= length;
    } while (left > 0 && --room > 0);
    cursor_end(s, &c);
    return span.size - left;
}

static void send_again(struct udp_sink *s)
{
    uint32_t seq;

    for (uint32_t room = tx_space(s); room > 0 && window_resend(&s->window, &seq); room--) {
        const struct window_slot *slot = window_slot(&s->window, seq);
        struct cursor c = cursor_begin(s, slot->stream);

        put_frame(s, &c, seq, slot->offset, slot->pa, slot->length);
        cursor_end(s, &c);
    }
}

static void send_records(struct udp_sink *s, uint16_t cpu)
{
    struct record_queue *q = &s->cpus[cpu].records;

    while (!record_queue_empty(q)) {
        uint32_t sent = send_span(s, udp_stream(cpu, FRAME_RECORDS), record_queue_peek(q));

        if (sent == 0) {
            return;
        }
        record_queue_take(q, sent);
    }
}

static void send_trace(struct udp_sink *s, uint16_t cpu)
{
    struct trace_queue *q = &s->cpus[cpu].trace;

    while (!trace_queue_empty(q)) {
        uint32_t sent = send_span(s, udp_stream(cpu, FRAME_TRACE), trace_queue_peek(q));

        if (sent == 0) {
            return;
        }
        trace_queue_take(q, sent);
    }
}

/* Records first: the decoder needs the code pages before the trace that runs in them. */
void udp_push(struct udp_sink *s)
{
    uint32_t before = s->tx_head;

    if (s->window.resend_next != s->window.resend_end) {
        send_again(s);
    }
    for (uint16_t cpu = 0; cpu < s->nr_cpus; cpu++) {
        send_records(s, cpu);
    }
    for (uint16_t cpu = 0; cpu < s->nr_cpus; cpu++) {
        send_trace(s, cpu);
    }
    if (s->tx_head != before) {
        end_batch(s);
    }
}

/* The packet lies where a datagram's headers would; they are built anew afterwards. */
void udp_send_arp(struct udp_sink *s, const uint8_t frame[NET_ARP_FRAME_BYTES])
{
    uint32_t index = s->tx_head % UDP_TX_SLOTS;
    struct udp_headers *headers = &s->headers[index];
    struct udp_slot *slot = &s->tx[index];
    uint64_t pa = s->headers_pa + index * sizeof(*headers) + offsetof(struct udp_headers, net);

    if (tx_space(s) == 0) {
        return;
    }
    __builtin_memcpy((uint8_t *)headers + offsetof(struct udp_headers, net), frame, NET_ARP_FRAME_BYTES);
    headers->payload_bytes = 0;
    slot->headers = (struct e1000_tx_descriptor){pa, DATA_FIELDS | NET_ETHERNET_BYTES};
    slot->payload = (struct e1000_tx_descriptor){pa + NET_ETHERNET_BYTES,
                                                 PAYLOAD_FIELDS | (NET_ARP_FRAME_BYTES - NET_ETHERNET_BYTES)};
    s->tx_head++;
    e1000_give_tx(&s->nic, 2 * s->tx_head % (2 * UDP_TX_SLOTS));
}
