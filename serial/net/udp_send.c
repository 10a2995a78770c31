/* Kind: shell, hot */
/*
 * channel=net: putting frames into the transmit ring. put_frames is the cost of a datagram in root mode.
 */
#include "base/init.h"
#include "base/msr.h"
#include "base/phys.h"
#include "serial/net/udp_state.h"
#include "serial/wire/crc32c.h"

/* Slots reclaimed from the NIC at a time. */
#define TX_RECLAIM 64u

/* Checksum offload is requested in a packet's first descriptor. QEMU's 82574 evaluates the last one, so both have it.
 */
#define SUMS_FIELDS (E1000_TX_IXSM | E1000_TX_TXSM)
#define LAST_FIELDS (E1000_TX_EOP | E1000_TX_RS)

static uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The first eight bytes of a frame header, which are the same for all frames of a stream. */
static uint64_t stream_head(uint16_t stream)
{
    uint64_t kind = stream % 2 == 0 ? FRAME_TRACE : FRAME_RECORDS;

    return FRAME_MAGIC | (uint64_t)FRAME_VERSION << 32 | kind << 40 | (uint64_t)(stream / 2) << 48;
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

/* Complete the datagrams in the slots from first up to the head: a frame's CRC or tag covers all of it, and so its
 * flags. This reads each byte of the payload. */
static void seal_frames(const struct udp_sink *s, uint32_t first)
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
    s->payload_fields = s->data_fields | SUMS_FIELDS | LAST_FIELDS;
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

/* The state of put_frames: the next slot, and the fields of its frame. */
struct next_frame {
    struct udp_headers *headers;
    struct udp_slot *slot;
    uint64_t word1, offset, pa, fields;
};

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

/* Put a run of frames into the slots from index on. They must be free and not wrap around. All frames but the last have
 * the same length. */
static void put_frames(struct udp_sink *s, uint32_t index, const struct window_run *run)
{
    const uint64_t head = stream_head(run->stream);
    const uint32_t length = run->length, before_last = run->frames - 1;
    struct next_frame next = {.headers = &s->headers[index],
                              .slot = &s->tx[index],
                              .word1 = s->stream_id | (uint64_t)run->first << 32,
                              .offset = run->offset,
                              .pa = run->pa,
                              .fields = s->payload_fields};
    const struct udp_headers *const last = next.headers + before_last;

    while (next.headers != last) {
        put_frame(s, &next, head, length);
    }
    put_frame(s, &next, head, run->bytes - before_last * length);
}

/* Set the flag that requests an acknowledgement in the last frame of the ring. */
static void ack_request(struct udp_sink *s, uint64_t now)
{
    struct udp_headers *last = &s->headers[(s->tx_head - 1) % UDP_TX_SLOTS];
    const uint64_t flags = flight_request(&s->flight, now);

    last->words[3] = (last->words[3] & ~(0xffffull << 16)) | flags << 16;
    s->unrequested = 0;
    s->request_now = false;
    s->requested_tsc = now;
}

/* Reclaim sent slots. The NIC sends in order: if a slot is done, all earlier ones are. */
static void tx_reclaim(struct udp_sink *s)
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
}

/* The number of free slots. */
static uint32_t tx_space(struct udp_sink *s)
{
    if (s->tx_head - s->tx_done >= UDP_TX_SLOTS / 2) {
        tx_reclaim(s);
    }
    return UDP_TX_SLOTS - 1 - (s->tx_head - s->tx_done);
}

/* The same for rare callers: one copy, which is not inlined. */
static __attribute__((cold, noinline)) bool tx_has_room(struct udp_sink *s)
{
    return tx_space(s) > 0;
}

/* What the limit of bytes in flight still allows. If there is room for a part of a frame, there is for all of it. */
static __attribute__((noinline)) uint32_t paced_bytes(const struct udp_sink *s)
{
    return (flight_room(&s->flight) + s->max_payload - 1) / s->max_payload * s->max_payload;
}

/* Send the start of a span, as much as fits into one run. Returns its size in bytes; 0: there is no room. */
static uint32_t send_run(struct udp_sink *s, uint16_t stream, struct span span, uint64_t now)
{
    const uint32_t full = s->max_payload, index = s->tx_head % UDP_TX_SLOTS;
    const uint32_t room = smaller_of(window_space(&s->flight.window), tx_space(s));
    const uint32_t most = smaller_of(smaller_of(room, s->flight.pace.frames), UDP_TX_SLOTS - index);
    uint32_t bytes = smaller_of(span.size, most * full);

    if (__builtin_expect(flight_bytes(&s->flight) + bytes > s->flight.pace.limit, 0)) {
        bytes = smaller_of(bytes, paced_bytes(s));
    }
    const uint32_t frames = (bytes + full - 1) / full;

    if (bytes == 0) {
        return 0;
    }
    struct window_run *run = window_push(&s->flight.window, frames);
    run->offset = span.offset;
    run->pa = span.pa;
    run->bytes = bytes;
    run->length = (uint16_t)smaller_of(bytes, full);
    run->stream = stream;
    put_frames(s, index, run);
    s->tx_head += frames;
    s->nr_sent += frames;
    s->unrequested += bytes + frames * (NET_HEADERS_BYTES + s->header_bytes);
    s->flight.sent_bytes += bytes;
    if (s->unrequested >= smaller_of(s->request_bytes, s->flight.pace.frames * full) ||
        span.offset + bytes - s->released[stream] >= s->tight_bytes) {
        ack_request(s, now);
    }
    return bytes;
}

static __attribute__((cold)) bool send_again(struct udp_sink *s, uint64_t now)
{
    struct window_run frame;
    uint32_t sent = 0;

    for (uint32_t room = tx_space(s); sent < room; sent++) {
        const bool probe = s->flight.probes > 0;

        if (!flight_resend(&s->flight, &frame)) {
            break;
        }
        put_frames(s, s->tx_head++ % UDP_TX_SLOTS, &frame);
        if (probe || (sent + 1) % s->flight.pace.frames == 0) {
            ack_request(s, now);
        }
    }
    return sent > 0;
}

/* There is nothing new to send, but an acknowledgement must be requested: send a frame again for that. */
static __attribute__((cold)) void send_for_request(struct udp_sink *s)
{
    struct window_run frame;

    flight_probe(&s->flight);
    if (tx_has_room(s) && flight_resend(&s->flight, &frame)) {
        put_frames(s, s->tx_head++ % UDP_TX_SLOTS, &frame);
    }
}

static void send_records(struct udp_sink *s, uint16_t cpu, uint64_t now)
{
    struct record_queue *q = &s->cpus[cpu].records;

    while (!record_queue_empty(q)) {
        uint32_t sent = send_run(s, udp_stream(cpu, FRAME_RECORDS), record_queue_peek(q), now);

        if (sent == 0) {
            s->waiting = true;
            return;
        }
        record_queue_take(q, sent);
    }
}

/* records_wait: send only bytes that continue the stream. After a gap, its record must be sent first. */
static inline __attribute__((always_inline)) void send_trace(struct udp_sink *s, uint16_t cpu, bool records_wait,
                                                             uint64_t now)
{
    struct udp_queues *queues = &s->cpus[cpu];

    while (!trace_queue_empty(&queues->trace)) {
        const struct span span = trace_queue_peek(&queues->trace);
        if (records_wait && span.offset != queues->trace_end) {
            s->waiting = true;
            return;
        }
        uint32_t sent = send_run(s, udp_stream(cpu, FRAME_TRACE), span, now);

        if (sent == 0) {
            s->waiting = true;
            return;
        }
        queues->trace_end = span.offset + sent;
        trace_queue_take(&queues->trace, sent);
    }
}

static uint16_t cpu_before(const struct udp_sink *s, uint16_t cpu)
{
    return cpu > 0 ? cpu - 1 : (uint16_t)(s->sink.nr_cpus - 1);
}

/* Each CPU has priority twice: for its trace, then for its records. */
static void rotate_priority(struct udp_sink *s)
{
    if (s->trace_first) {
        s->first_cpu = cpu_before(s, s->first_cpu);
    }
    s->trace_first = !s->trace_first;
}

static void send_all_records(struct udp_sink *s, uint64_t now)
{
    uint16_t cpu = s->first_cpu;

    do {
        send_records(s, cpu, now);
        cpu = cpu_before(s, cpu);
    } while (cpu != s->first_cpu);
}

static __attribute__((cold, noinline)) void send_waiting_trace(struct udp_sink *s, uint64_t now)
{
    uint16_t cpu = s->first_cpu;

    do {
        send_trace(s, cpu, true, now);
        cpu = cpu_before(s, cpu);
    } while (cpu != s->first_cpu);
}

/* Records have priority: if the connection is lost, the code pages of the trace that did arrive should be there. If
 * there is not room for everything, trace has priority the next time, and after that the records of another CPU;
 * otherwise CPUs that keep changing code would block the others. Priorities change only after something was sent. */
static void send_queues(struct udp_sink *s, uint64_t now)
{
    const uint32_t before = s->tx_head;
    uint16_t cpu = s->first_cpu;

    s->waiting = false;
    if (s->trace_first) {
        send_waiting_trace(s, now);
    }
    send_all_records(s, now);
    do {
        send_trace(s, cpu, !record_queue_empty(&s->cpus[cpu].records), now);
        cpu = cpu_before(s, cpu);
    } while (cpu != s->first_cpu);
    if (!s->waiting) {
        s->trace_first = false;
    } else if (s->tx_head != before) {
        rotate_priority(s);
    }
}

/* Is it time to request an acknowledgement? (After retransmissions udp_push requests one in any case.) */
static bool ack_is_due(const struct udp_sink *s, uint64_t now)
{
    return s->unrequested > 0 && !window_empty(&s->flight.window) &&
           (s->request_now || (int64_t)(now - s->requested_tsc) >= (int64_t)s->request_tsc);
}

void udp_push(struct udp_sink *s, uint64_t now)
{
    uint32_t before = s->tx_head;
    bool again = s->flight.may_resend && send_again(s, now);

    if (!again && !s->waiting && !ack_is_due(s, now)) {
        return;
    }
    send_queues(s, now);
    const bool request = again || ack_is_due(s, now);
    if (request && s->tx_head == before && !flight_is_answer_due(&s->flight)) {
        send_for_request(s);
    }
    if (s->tx_head == before) {
        return;
    }
    if (request) {
        ack_request(s, now);
    }
    seal_frames(s, before);
    nic_tail_set(s->nic.tx_tail, 2 * s->tx_head % (2 * UDP_TX_SLOTS));
}

/* The packet replaces the slot's descriptors, so the next datagram in this slot must build its headers again. */
void udp_send_frame(struct udp_sink *s, uint64_t pa, uint32_t bytes)
{
    uint32_t index = s->tx_head % UDP_TX_SLOTS;
    struct udp_slot *slot = &s->tx[index];

    if (!tx_has_room(s)) {
        return;
    }
    s->headers[index].payload_bytes = UDP_UNBUILT;
    slot->headers = (struct e1000_tx_descriptor){pa, (s->data_fields | NET_ETHERNET_BYTES) + bytes * s->paylen_unit};
    slot->payload = (struct e1000_tx_descriptor){pa + NET_ETHERNET_BYTES,
                                                 s->data_fields | LAST_FIELDS | (bytes - NET_ETHERNET_BYTES)};
    s->tx_head++;
    nic_tail_set(s->nic.tx_tail, 2 * s->tx_head % (2 * UDP_TX_SLOTS));
}

/* The packet is copied into the slot's headers. If the ring is full, the NIC may still be reading them. */
void udp_send_arp(struct udp_sink *s, const uint8_t frame[NET_ARP_FRAME_BYTES])
{
    const uint32_t index = s->tx_head % UDP_TX_SLOTS;
    const size_t at = index * sizeof(*s->headers) + offsetof(struct udp_headers, net);

    if (!tx_has_room(s)) {
        return;
    }
    __builtin_memcpy((uint8_t *)s->headers + at, frame, NET_ARP_FRAME_BYTES);
    udp_send_frame(s, s->headers_pa + at, NET_ARP_FRAME_BYTES);
}
