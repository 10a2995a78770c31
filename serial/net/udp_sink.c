/* Kind: shell, hot */
/* channel=net: the sink's operations, and receiving. */
#include "serial/net/udp_sink.h"

#include "base/trace_clock.h"
#include "serial/net/udp_state.h"

#define ARP_BACKOFF 5u  /* timeouts without an answer, after which the sender repeats its ARP request */
#define ARP_INTERVAL 4u /* timeouts, of up to 250 ms each */

static void take_frame(struct udp_sink *s, const uint8_t *bytes, size_t size, uint64_t now)
{
    struct frame_header header;
    struct frame_ack ack;

    if (frame_parse(&header, bytes, size) != FRAME_OK || !udp_auth_accepts(s, &header, bytes)) {
        s->commands.bad++;
        return;
    }
    bytes += frame_payload_at(&header);
    header.kind &= (uint8_t)~FRAME_TAGGED;
    if (header.kind != FRAME_ACK) {
        command_take(&s->commands, s->stream_id, &header, bytes);
    } else if (header.stream_id == s->stream_id) {
        if (header.length > 0) {
            __builtin_memcpy(&ack, bytes, header.length);
        }
        flight_answer(&s->flight, &header, &ack, now);
    }
}

/* true: reply is to be sent. */
static bool take_packet(struct udp_sink *s, const uint8_t *bytes, size_t size, uint8_t *reply, uint64_t now)
{
    const uint8_t *payload;
    size_t payload_bytes;

    switch (net_receive(&s->link, bytes, size, reply, &payload, &payload_bytes)) {
    case NET_ARP_REQUEST:
        return true;
    case NET_ARP_REPLY:
        s->peer_found = true;
        udp_forget_headers(s);
        break;
    case NET_DATAGRAM:
        take_frame(s, payload, payload_bytes, now);
        break;
    case NET_OTHER:
        if (s->lease.is_requesting) {
            udp_lease_take(s, bytes, size);
        }
        break;
    }
    return false;
}

/* The caller holds the sink's lock, for which the other CPUs wait: however fast packets arrive, take one ring of them
 * and send one reply. Senders of further requests repeat them. */
void udp_receive(struct udp_sink *s, uint64_t now)
{
    uint8_t reply[NET_ARP_FRAME_BYTES];
    bool has_reply = false;
    uint32_t left = UDP_RX_SLOTS;

    do {
        uint32_t index = s->rx_next % UDP_RX_SLOTS;
        volatile struct e1000_rx_descriptor *rx = &s->rx[index];
        uint8_t *buffer = s->rx_buffers + index * E1000_RX_BUFFER_BYTES;
        uint32_t bytes = e1000_rx_bytes(rx, &s->rx_format);

        if (bytes != 0) {
            has_reply |= take_packet(s, buffer, bytes, reply, now);
        }
        rx->address = s->rx_buffers_pa + index * E1000_RX_BUFFER_BYTES;
        rx->written_back = 0;
        s->rx_next++;
    } while (--left > 0 && udp_has_received(s));
    nic_tail_set(s->nic.rx_tail, (s->rx_next - 1) % UDP_RX_SLOTS);
    if (has_reply) {
        udp_send_arp(s, reply);
    }
}

/* Another host may have taken over the receiver's address: ask who has it, about once a second. */
static __attribute__((cold, noinline)) void ask_again(struct udp_sink *s)
{
    if (s->flight.nr_timeouts - s->arp_timeouts >= ARP_INTERVAL) {
        s->arp_timeouts = s->flight.nr_timeouts;
        s->link.asks = true;
        udp_send_arp(s, s->boot_frame);
    }
}

static void udp_poll(struct sink *sink)
{
    struct udp_sink *s = udp_sink_of(sink);
    uint64_t now = trace_clock_here();

    if (udp_has_received(s)) {
        udp_receive(s, now);
    }
    flight_polled(&s->flight, now);
    if (__builtin_expect(s->flight.backoff >= ARP_BACKOFF, 0)) {
        ask_again(s);
    }
    if (udp_lease_waits(&s->lease, now)) {
        udp_lease_act(s, now);
    }
    udp_push(s, now);
}

static bool udp_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    struct udp_sink *s = udp_sink_of(sink);

    s->waiting = true;
    return size == 0 || trace_queue_add(&s->cpus[cpu].trace, (struct span){va, pa, size, offset});
}

static bool udp_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    struct udp_sink *s = udp_sink_of(sink);
    const uint64_t needed = s->released[udp_stream(cpu, FRAME_RECORDS)];

    s->waiting = true;
    if (record_queue_add_pieces(&s->cpus[cpu].records, needed, pieces, nr)) {
        return true;
    }
    s->request_now = true;
    return false;
}

static uint64_t udp_released(const struct sink *sink, uint16_t cpu)
{
    const struct udp_sink *s = (const struct udp_sink *)sink;

    return __atomic_load_n(&s->released[udp_stream(cpu, FRAME_TRACE)], __ATOMIC_ACQUIRE);
}

uint64_t udp_taken(const struct sink *sink, uint16_t cpu)
{
    return trace_queue_taken(&((const struct udp_sink *)sink)->cpus[cpu].trace);
}

static bool udp_busy(const struct sink *sink)
{
    const struct udp_sink *s = (const struct udp_sink *)sink;

    return s->waiting || !window_empty(&s->flight.window);
}

static __attribute__((noinline)) bool all_delivered(const struct udp_sink *s)
{
    for (uint16_t cpu = 0; cpu < s->sink.nr_cpus; cpu++) {
        if (!trace_queue_empty(&s->cpus[cpu].trace) || !record_queue_empty(&s->cpus[cpu].records)) {
            return false;
        }
    }
    return window_empty(&s->flight.window);
}

static bool udp_delivered(struct sink *sink)
{
    struct udp_sink *s = udp_sink_of(sink);

    s->request_now = true;
    udp_poll(sink);
    return all_delivered(s);
}

/* Received packets are copied into our ring before the poll, new ones out of it after the poll. */
static void udp_sync_poll(struct sink *sink)
{
    struct udp_sink *s = udp_sink_of(sink);

    s->nic.sync_rings(&s->nic);
    udp_poll(sink);
    s->nic.sync_rings(&s->nic);
}

static bool udp_sync_delivered(struct sink *sink)
{
    udp_sink_of(sink)->request_now = true;
    udp_sync_poll(sink);
    return all_delivered(udp_sink_of(sink));
}

static struct command_box *udp_commands(struct sink *sink)
{
    return &udp_sink_of(sink)->commands;
}

const struct sink_ops udp_ops = {.name = "net",
                                 .trace = udp_trace,
                                 .record = udp_record,
                                 .released = udp_released,
                                 .poll = udp_poll,
                                 .delivered = udp_delivered,
                                 .busy = udp_busy,
                                 .commands = udp_commands};

const struct sink_ops udp_sync_ops = {.name = "net",
                                      .trace = udp_trace,
                                      .record = udp_record,
                                      .released = udp_released,
                                      .poll = udp_sync_poll,
                                      .delivered = udp_sync_delivered,
                                      .busy = udp_busy,
                                      .commands = udp_commands};
