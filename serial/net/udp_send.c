/* Kind: shell, hot */
/*
 * channel=net: what is sent next, as far as the window, the pace and the transmit ring have room.
 */
#include "serial/net/udp_frames.h"

/* Slots reclaimed from the NIC at a time. */
#define TX_RECLAIM 64u

static uint32_t smaller_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
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
    udp_put_frames(s, index, run);
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

/* The same with compression: one frame that is compressed, or some that are not, where bytes do not shrink. 0: there is
 * no room, or this poll has compressed enough. */
static __attribute__((noinline)) uint32_t send_packed(struct udp_sink *s, uint16_t stream, struct span span,
                                                      uint64_t now)
{
    if (window_space(&s->flight.window) == 0 || !tx_has_room(s) || flight_room(&s->flight) == 0) {
        return 0;
    }
    const struct lz4_block block = udp_pack(s, span, now);

    if (block.packed == block.plain) {
        span.size = block.plain;
        return span.size == 0 ? 0 : send_run(s, stream, span, now);
    }
    const uint64_t pa = udp_packed_pa(s);
    struct window_run *run = window_push(&s->flight.window, 1);

    run->offset = span.offset;
    run->pa = pa;
    run->bytes = block.plain;
    run->length = (uint16_t)block.packed;
    run->stream = stream;
    udp_put_packed(s, s->tx_head++ % UDP_TX_SLOTS, run);
    s->nr_sent++;
    s->unrequested += block.packed + NET_HEADERS_BYTES + s->header_bytes;
    s->flight.sent_bytes += block.packed;
    if (s->unrequested >= smaller_of(s->request_bytes, s->flight.pace.frames * s->max_payload) ||
        span.offset + block.plain - s->released[stream] >= s->tight_bytes) {
        ack_request(s, now);
    }
    return block.plain;
}

static inline __attribute__((always_inline)) uint32_t send_some(struct udp_sink *s, uint16_t stream, struct span span,
                                                                uint64_t now)
{
    return __builtin_expect(s->packer != NULL, 0) ? send_packed(s, stream, span, now) : send_run(s, stream, span, now);
}

static __attribute__((cold, noinline)) void put_again(struct udp_sink *s, const struct window_run *frame)
{
    const uint32_t index = s->tx_head++ % UDP_TX_SLOTS;

    if (window_is_packed(frame)) {
        udp_put_packed(s, index, frame);
    } else {
        udp_put_frames(s, index, frame);
    }
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
        put_again(s, &frame);
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
        put_again(s, &frame);
    }
}

static void send_records(struct udp_sink *s, uint16_t cpu, uint64_t now)
{
    struct record_queue *q = &s->cpus[cpu].records;

    while (!record_queue_empty(q)) {
        uint32_t sent = send_some(s, udp_stream(cpu, FRAME_RECORDS), record_queue_peek(q), now);

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
        uint32_t sent = send_some(s, udp_stream(cpu, FRAME_TRACE), span, now);

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
    udp_seal_frames(s, before);
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
                                                 s->data_fields | UDP_LAST_FIELDS | (bytes - NET_ETHERNET_BYTES)};
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
