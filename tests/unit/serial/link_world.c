#include "tests/unit/serial/link_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/phys.h"
#include "decode/receive/reassemble.h"
#include "decode/receive/unpack.h"
#include "serial/net/datagram.h"
#include "serial/net/udp_sink.h"
#include "serial/net/udp_state.h"

#define HZ 1000000000u
#define OURS 0x0a000002u
#define PEER 0x0a000001u
#define PORT 21845u
#define STREAM_ID 0x1234567u
#define RECORD_BYTES (64u << 10)
#define FRAMING 24u /* preamble, FCS and the gap between frames */
#define MAX_PACKETS 8192u
#define PACKET_BYTES 256u /* headers and an acknowledgement */

static const uint8_t peer_mac[6] = {2, 0, 0, 0, 0, 1}, new_mac[6] = {2, 0, 0, 0, 0, 3};

struct packet {
    uint64_t arrival;
    uint8_t *payload; /* of a frame with data: a copy, as the sender may reuse its memory */
    size_t size;
    uint8_t bytes[PACKET_BYTES];
};

struct packets {
    struct packet list[MAX_PACKETS];
    uint32_t first, end;
};

static struct world {
    struct link_settings settings;
    uint64_t random_state, now, wire_free;
    uint8_t *memory, *trace;
    uint64_t trace_bytes;
    struct udp_sink *udp;
    uint32_t tx_tail, rx_tail, tx_slot, rx_slot;
    struct packets to_receiver, to_sender;
    bool overtaken;
    struct packet held;
    struct reassemble receiver;
    uint64_t delivered;
    struct link_result result;
} * world;

uint64_t link_now(void)
{
    return world->now;
}

static bool chance(uint32_t per_mille)
{
    world->random_state = world->random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(world->random_state >> 33) % 1000 < per_mille;
}

static struct packet *packet_new(struct packets *packets)
{
    assert_true(packets->end - packets->first < MAX_PACKETS);
    return &packets->list[packets->end++ % MAX_PACKETS];
}

/* The card writes a packet into the sender's next receive buffer; it is lost if there is none. */
static void card_receive(const uint8_t *bytes, size_t size)
{
    struct e1000_rx_descriptor *rx = &world->udp->rx[world->rx_slot % UDP_RX_SLOTS];

    if (rx->written_back != 0) {
        return;
    }
    memcpy(phys_to_virt(rx->address), bytes, size);
    rx->written_back = 3ull << 32 | size; /* DD, EOP */
    world->rx_slot++;
}

/* Of the host that has the receiver's address now. */
static const uint8_t *receiver_mac(void)
{
    return world->settings.moves != 0 && world->now >= world->settings.moves ? new_mac : peer_mac;
}

static void answer_arp(const uint8_t *request)
{
    uint8_t reply[60] = {0};

    memcpy(reply, request + 6, 6);
    memcpy(reply + 6, receiver_mac(), 6);
    memcpy(reply + 12, request + 12, 8);
    reply[21] = 2;
    memcpy(reply + 22, receiver_mac(), 6);
    memcpy(reply + 28, request + 38, 4);
    memcpy(reply + 32, request + 22, 10);
    card_receive(reply, sizeof(reply));
}

static uint8_t *copy_of(const uint8_t *payload, size_t size)
{
    uint8_t *copy = malloc(size);

    assert_non_null(copy);
    memcpy(copy, payload, size);
    return copy;
}

static void to_receiver(const struct packet *packet)
{
    struct packet *copy = packet_new(&world->to_receiver);

    *copy = *packet;
    copy->arrival = world->wire_free + world->settings.latency;
}

/* How long the wire is occupied by an IPv4 packet. */
static uint64_t ns_of(size_t packet_bytes)
{
    return (NET_ETHERNET_BYTES + packet_bytes + FRAMING) * 8 * HZ / world->settings.rate;
}

/* The wire carries a frame, unless its queue is full; then chance decides. */
static void wire_put(const uint8_t *headers, const uint8_t *payload, size_t payload_bytes)
{
    const uint64_t frame_ns = ns_of(NET_HEADERS_BYTES - NET_ETHERNET_BYTES + FRAME_HEADER_SIZE + payload_bytes);
    const uint64_t waits = world->wire_free > world->now ? world->wire_free - world->now : 0;
    struct packet packet = {.size = payload_bytes};
    const bool lost = chance(world->settings.drop), late = chance(world->settings.reorder);

    world->result.frames_sent++;
    if (world->settings.queue_frames != 0 && waits > world->settings.queue_frames * ns_of(world->settings.mtu)) {
        return;
    }
    if (waits > world->result.longest_queue) {
        world->result.longest_queue = waits;
    }
    world->wire_free = world->now + waits + frame_ns;
    if (lost) {
        return;
    }
    packet.payload = copy_of(payload, payload_bytes);
    memcpy(packet.bytes, headers + NET_HEADERS_BYTES, FRAME_HEADER_SIZE);
    if (late && !world->overtaken) {
        world->overtaken = true;
        world->held = packet;
        return;
    }
    to_receiver(&packet);
    if (world->overtaken) {
        world->overtaken = false;
        to_receiver(&world->held);
    }
}

/* The card sends what is in its ring. */
static void card_sync(struct nic *nic)
{
    (void)nic;
    for (; world->tx_slot != world->tx_tail / 2; world->tx_slot = (world->tx_slot + 1) % UDP_TX_SLOTS) {
        struct udp_slot *slot = &world->udp->tx[world->tx_slot];
        const uint8_t *headers = phys_to_virt(slot->headers.low);

        if (headers[12] == 8 && headers[13] == 6) {
            answer_arp(headers);
        } else if (memcmp(headers, receiver_mac(), 6) == 0) {
            wire_put(headers, phys_to_virt(slot->payload.low), slot->payload.high & 0xffff);
        }
        slot->payload.high |= E1000_TX_DD;
    }
}

static const char *card_reset(struct nic *nic, const struct nic_card *card, uint8_t mac[6])
{
    (void)nic, (void)card;
    memcpy(mac, (const uint8_t[]){2, 0, 0, 0, 0, 2}, 6);
    return NULL;
}

static bool card_link(struct nic *nic, uint64_t waited_us)
{
    (void)nic, (void)waited_us;
    return true;
}

static void card_start(struct nic *nic, const struct nic_rings *rings)
{
    (void)rings;
    nic->tx_tail = &world->tx_tail;
    nic->rx_tail = &world->rx_tail;
    nic->sync_rings = card_sync;
}

static void card_stop(const struct nic *nic)
{
    (void)nic;
}

static void send_ack(const struct frame_header *asked)
{
    struct packet *packet;
    uint8_t frame[PACKET_BYTES];
    struct frame_header header;
    struct frame_ack ack;
    const struct datagram datagram = {.from_mac = peer_mac,
                                      .to_mac = world->udp->link.mac,
                                      .from = PEER,
                                      .to = OURS,
                                      .from_port = PORT,
                                      .to_port = PORT};

    reassemble_ack(&world->receiver, asked->flags, &header, &ack);
    memcpy(frame + DATAGRAM_HEADERS_BYTES, &header, sizeof(header));
    memcpy(frame + DATAGRAM_HEADERS_BYTES + sizeof(header), &ack, sizeof(ack));
    const size_t size = datagram_build(frame, &datagram, sizeof(header) + header.length);
    if (chance(world->settings.drop)) {
        return;
    }
    packet = packet_new(&world->to_sender);
    packet->arrival = world->now + world->settings.latency;
    packet->size = size;
    memcpy(packet->bytes, frame, size);
}

static void deliver_frame(void *context, const struct frame_header *header, const uint8_t *payload)
{
    static uint8_t plain[FRAME_MAX_PLAIN];
    size_t size = header->length;

    (void)context;
    if ((header->kind & FRAME_PACKED) != 0) {
        size = unpack_block(plain, sizeof(plain), payload, size);
        payload = plain;
    }
    assert_int_equal(header->version, world->settings.compresses ? FRAME_PACKED_VERSION : FRAME_VERSION);
    assert_int_equal(header->offset, world->delivered);
    assert_in_range(size, 1, world->trace_bytes - header->offset % world->trace_bytes);
    assert_memory_equal(payload, world->trace + header->offset % world->trace_bytes, size);
    world->delivered += size;
    world->result.frames_stored++;
}

static void receive(const struct packet *packet)
{
    struct frame_header header;
    uint8_t frame[FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD];

    memcpy(frame, packet->bytes, FRAME_HEADER_SIZE);
    memcpy(frame + FRAME_HEADER_SIZE, packet->payload, packet->size);
    assert_int_equal(frame_parse(&header, frame, FRAME_HEADER_SIZE + packet->size), FRAME_OK);
    assert_true(reassemble_take(&world->receiver, &header, frame + FRAME_HEADER_SIZE));
    if (header.flags & FRAME_ACK_REQUEST) {
        send_ack(&header);
    }
    free(packet->payload);
}

/* Everything that arrives before the next poll, in order of time. */
static void advance(uint64_t to)
{
    struct packets *data = &world->to_receiver, *acks = &world->to_sender;

    for (; data->first != data->end && data->list[data->first % MAX_PACKETS].arrival <= to; data->first++) {
        world->now = data->list[data->first % MAX_PACKETS].arrival;
        receive(&data->list[data->first % MAX_PACKETS]);
    }
    for (; acks->first != acks->end && acks->list[acks->first % MAX_PACKETS].arrival <= to; acks->first++) {
        const struct packet *ack = &acks->list[acks->first % MAX_PACKETS];

        card_receive(ack->bytes, ack->size);
    }
    world->now = to;
}

static void start_sender(uint64_t trace_bytes)
{
    static const struct nic_card card = {.name = "simulated", .max_mtu = 9000};
    static const struct nic_driver driver = {
        .reset = card_reset, .link_is_up = card_link, .start = card_start, .stop = card_stop};
    static uint32_t registers[4];
    enum udp_step step;
    char why[128];
    const struct udp_sink_params params = {.step = &step,
                                           .driver = &driver,
                                           .card = &card,
                                           .registers = registers,
                                           .ip = OURS,
                                           .peer = PEER,
                                           .port = PORT,
                                           .mtu = world->settings.mtu,
                                           .wait_seconds = 60,
                                           .stall_seconds = 0,
                                           .tsc_hz = HZ,
                                           .stream_id = STREAM_ID,
                                           .nr_cpus = 1,
                                           .trace_bytes = trace_bytes,
                                           .record_bytes = RECORD_BYTES,
                                           .compresses = world->settings.compresses};
    const size_t bytes = udp_sink_memory_bytes(1, RECORD_BYTES, params.compresses ? params.mtu : 0);

    world->memory = aligned_alloc(4096, (bytes + 4095) & ~4095ul);
    assert_non_null(world->memory);
    world->udp = (struct udp_sink *)world->memory;
    if (!udp_sink_init(world->memory, &params, why, sizeof(why)))
        fail_msg("%s", why);
}

static void fill_trace(uint64_t bytes)
{
    world->trace = malloc(bytes);
    assert_non_null(world->trace);
    world->trace_bytes = bytes;
    memset(world->trace, 0xb6, bytes);
    for (uint64_t at = 0; at + 4 <= bytes; at += 32) {
        chance(0);
        memcpy(world->trace + at, (const uint8_t *)&world->random_state + 4, 4);
    }
}

static void begin(const struct link_settings *settings, uint64_t seed, uint64_t trace_bytes)
{
    world = calloc(1, sizeof(*world));
    assert_non_null(world);
    world->settings = *settings;
    fill_trace(trace_bytes);
    world->random_state = seed;
    reassemble_init(&world->receiver, false, deliver_frame, NULL);
    start_sender(trace_bytes);
    /* The address was found by the host's clock; the simulation begins at 0. */
    world->now = 0;
    world->udp->requested_tsc = 0;
}

static void end(void)
{
    for (; world->to_receiver.first != world->to_receiver.end; world->to_receiver.first++) {
        free(world->to_receiver.list[world->to_receiver.first % MAX_PACKETS].payload);
    }
    if (world->overtaken) {
        free(world->held.payload);
    }
    reassemble_free(&world->receiver);
    free(world->memory);
    free(world->trace);
    free(world);
}

struct link_result link_run(const struct link_settings *settings, uint64_t seed)
{
    const uint64_t trace_bytes = 8ull * settings->region_bytes;
    struct link_result result;
    uint64_t given = 0;

    begin(settings, seed, trace_bytes);
    struct sink *sink = &world->udp->sink;
    while (sink_released(sink, 0) < settings->bytes) {
        while (given < settings->bytes && given + settings->region_bytes - sink_released(sink, 0) <= trace_bytes) {
            const uint8_t *va = world->trace + given % trace_bytes;

            sink_trace(sink, 0, given, va, virt_to_phys(va), settings->region_bytes);
            given += settings->region_bytes;
        }
        world->udp->request_now = given >= settings->bytes;
        sink->ops->poll(sink);
        advance(world->now + settings->poll);
        assert_true(world->now < 1000ull * HZ);
    }
    world->result.ns = world->now;
    world->result.payload_bytes = world->delivered;
    world->result.reordering_seen = world->receiver.counts.duplicates;
    result = world->result;
    end();
    return result;
}
