/* channel=e1000: the operations of the sink, and what comes back from the receiver. Shell. */
#include "serial/udp_sink.h"

#include "pt/msr.h"
#include "serial/io.h"
#include "serial/udp_state.h"

static void take_frame(struct udp_sink *s, const uint8_t *bytes, size_t size, uint64_t now)
{
    struct frame_header header;
    struct frame_ack ack;

    if (frame_header_parse(&header, bytes, size) != FRAME_OK) {
        s->commands.bad++;
    } else if (header.kind != FRAME_ACK) {
        command_take(&s->commands, s->stream_id, &header, bytes + FRAME_HEADER_SIZE);
    } else if (header.stream_id == s->stream_id) {
        __builtin_memcpy(&ack, bytes + FRAME_HEADER_SIZE, sizeof(ack));
        window_ack(&s->window, header.seq, &ack, now);
    }
}

static void take_packet(struct udp_sink *s, const uint8_t *bytes, size_t size, uint64_t now)
{
    uint8_t reply[NET_ARP_FRAME_BYTES];
    const uint8_t *payload;
    size_t payload_bytes;

    switch (net_receive(&s->link, bytes, size, reply, &payload, &payload_bytes)) {
    case NET_ARP_REQUEST:
        udp_send_arp(s, reply);
        break;
    case NET_ARP_REPLY:
        s->peer_found = true;
        break;
    case NET_DATAGRAM:
        take_frame(s, payload, payload_bytes, now);
        break;
    case NET_OTHER:
        break;
    }
}

void udp_receive(struct udp_sink *s, uint64_t now)
{
    do {
        uint32_t index = s->rx_next % UDP_RX_SLOTS;
        volatile struct e1000_rx_descriptor *rx = &s->rx[index];

        if ((rx->status & E1000_RX_STATUS_EOP) != 0 && rx->errors == 0 && rx->length <= E1000_RX_BUFFER_BYTES) {
            take_packet(s, s->rx_buffers + index * E1000_RX_BUFFER_BYTES, rx->length, now);
        }
        rx->status = 0;
        rx->errors = 0;
        s->rx_next++;
    } while (udp_has_received(s));
    e1000_give_rx(&s->nic, (s->rx_next - 1) % UDP_RX_SLOTS);
}

static void udp_poll(struct sink *sink)
{
    struct udp_sink *s = udp_sink_of(sink);
    uint64_t now = tsc_read();

    if (udp_has_received(s)) {
        udp_receive(s, now);
    }
    udp_set_pace(s, now);
    window_check_timeout(&s->window, now);
    udp_push(s, now);
}

static void udp_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    struct udp_sink *s = udp_sink_of(sink);
    struct trace_queue *q = &s->cpus[cpu].trace;

    if (size == 0) {
        return;
    }
    while (!trace_queue_add(q, (struct span){va, pa, size, offset})) {
        udp_poll(sink);
    }
    s->waiting = true;
}

static void udp_record(struct sink *sink, uint16_t cpu, const void *bytes, uint32_t size)
{
    struct udp_sink *s = udp_sink_of(sink);
    struct record_queue *q = &s->cpus[cpu].records;

    while (record_queue_space(q, s->released[udp_stream(cpu, FRAME_RECORDS)]) < size) {
        s->ask_now = true;
        udp_poll(sink);
        io_pause();
    }
    record_queue_add(q, bytes, size);
    s->waiting = true;
}

static uint64_t udp_released(struct sink *sink, uint16_t cpu)
{
    return udp_sink_of(sink)->released[udp_stream(cpu, FRAME_TRACE)];
}

static bool all_delivered(const struct udp_sink *s)
{
    for (uint16_t cpu = 0; cpu < s->nr_cpus; cpu++) {
        if (!trace_queue_empty(&s->cpus[cpu].trace) || !record_queue_empty(&s->cpus[cpu].records)) {
            return false;
        }
    }
    return window_empty(&s->window);
}

static bool udp_drain(struct sink *sink, uint64_t timeout_tsc)
{
    struct udp_sink *s = udp_sink_of(sink);
    uint64_t start = tsc_read();

    for (;;) {
        s->ask_now = true;
        udp_poll(sink);
        if (all_delivered(s)) {
            return true;
        }
        if (tsc_read() - start >= timeout_tsc) {
            return false;
        }
        io_pause();
    }
}

static struct command_box *udp_commands(struct sink *sink)
{
    return &udp_sink_of(sink)->commands;
}

const struct sink_ops udp_ops = {.name = "e1000",
                                 .trace = udp_trace,
                                 .record = udp_record,
                                 .released = udp_released,
                                 .poll = udp_poll,
                                 .drain = udp_drain,
                                 .commands = udp_commands};
