/* Kind: shell, init */
/* channel=net: starting the channel: memory, rings, link, ARP. */
#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "serial/net/udp_sink.h"
#include "serial/net/udp_state.h"

#define ASK_INTERVAL_MS 200u
#define PAGE_BYTES 4096u
#define STANDARD_MTU 1500u

/* An acknowledgement is requested after this many payload bytes, so that we do not overrun a receiver whose socket
 * buffer has the usual size of about 200 KB. */
#define REQUEST_BYTES (128u * 1440u)
#define REQUEST_PARTS                                                                                                  \
    4u                 /* it is also requested after 1/4 of a CPU's trace memory, so that memory is released in time */
#define TIGHT_PARTS 2u /* it is requested with every run while 1/2 of that memory is in flight */
#define REQUEST_MS 5u  /* it is requested after this time at the latest; a request costs a few hundred instructions */
#define LEAST_BYTES (32u << 10) /* acknowledged in a second, to count as progress: sink_cut.h */
#define END_SECONDS 2u          /* without an answer to the last records */
#define HASTY_SECONDS 5u        /* a receiver that has received END may have exited; one that has not answers sooner */

/* Allocates pieces of the sink's memory; with memory NULL, only adds up their sizes. */
struct pieces {
    uint8_t *memory;
    size_t used;
};

static void *take_piece(struct pieces *pieces, size_t bytes)
{
    uint8_t *piece = pieces->memory == NULL ? NULL : pieces->memory + pieces->used;

    pieces->used += (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    return piece;
}

static size_t lay_out(struct udp_sink *s, struct pieces pieces, uint16_t nr_cpus, uint32_t record_bytes,
                      uint16_t compressed_mtu)
{
    uint8_t *buffers, *packed = NULL;
    struct window_memory *window = &s->window_memory;

    take_piece(&pieces, sizeof(*s));
    s->tx = take_piece(&pieces, UDP_TX_SLOTS * sizeof(*s->tx));
    s->headers = take_piece(&pieces, UDP_TX_SLOTS * sizeof(*s->headers));
    s->rx = take_piece(&pieces, UDP_RX_SLOTS * sizeof(*s->rx));
    s->rx_buffers = take_piece(&pieces, UDP_RX_SLOTS * E1000_RX_BUFFER_BYTES);
    s->released = take_piece(&pieces, 2 * nr_cpus * sizeof(*s->released));
    s->boot_frame = take_piece(&pieces, E1000_RX_BUFFER_BYTES);
    s->lease.frames = take_piece(&pieces, 2 * DHCP_FRAME_MAX);
    s->nic_data = take_piece(&pieces, NIC_DRIVER_BYTES);
    s->cpus = take_piece(&pieces, nr_cpus * sizeof(*s->cpus));
    window->size = compressed_mtu != 0 ? UDP_PACK_FRAMES : UDP_WINDOW_FRAMES;
    window->runs = take_piece(&pieces, UDP_WINDOW_FRAMES * sizeof(*window->runs));
    window->marks = take_piece(&pieces, UDP_WINDOW_FRAMES * sizeof(*window->marks));
    window->resent = take_piece(&pieces, UDP_WINDOW_FRAMES * sizeof(*window->resent));
    if (compressed_mtu != 0) {
        s->packer = take_piece(&pieces, sizeof(*s->packer));
        packed = take_piece(&pieces, UDP_PACK_FRAMES * UDP_PACK_BUFFER_BYTES(compressed_mtu));
    }
    if (packed != NULL) {
        s->packer->buffers = packed;
        s->packer->buffers_pa = virt_to_phys(packed);
    }
    buffers = take_piece(&pieces, (size_t)nr_cpus * record_bytes);
    for (uint16_t cpu = 0; cpu < nr_cpus && pieces.memory != NULL; cpu++) {
        uint8_t *buffer = buffers + (size_t)cpu * record_bytes;

        s->cpus[cpu].records = (struct record_queue){.va = buffer, .pa = virt_to_phys(buffer), .size = record_bytes};
    }
    return pieces.used;
}

size_t udp_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes, uint16_t compressed_mtu)
{
    struct udp_sink scratch;

    return lay_out(&scratch, (struct pieces){.memory = NULL}, nr_cpus, record_bytes, compressed_mtu);
}

/* Configure checksum offload once. The first time around the ring, both descriptors of slot 0 are context descriptors.
 * A context is valid until the next one (8254x manual, section 3.3.5) or, on the 82576, while its index is used. */
static void set_checksum_context(struct udp_sink *s)
{
    struct e1000_tx_descriptor context;

    if (s->paylen_unit != 0) {
        context.low = E1000_TX_ADVANCED_CONTEXT(NET_IPV4_BYTES, NET_ETHERNET_BYTES);
        context.high = E1000_TX_DTYP_ADVANCED_CONTEXT | E1000_TX_DEXT | E1000_TX_ADVANCED_IPV4;
    } else {
        context.low =
            E1000_TX_CONTEXT(NET_ETHERNET_BYTES, NIC_IPV4_CHECKSUM_AT, NIC_UDP_AT - 1, NIC_UDP_AT, NIC_UDP_CHECKSUM_AT);
        context.high = E1000_TX_DEXT | E1000_TX_CONTEXT_IP | E1000_TX_RS;
    }
    s->tx[0] = (struct udp_slot){context, context};
    s->tx_head = 1;
    nic_tail_set(s->nic.tx_tail, 2);
}

static void set_formats(struct udp_sink *s, bool advanced)
{
    s->data_fields = (advanced ? E1000_TX_DTYP_ADVANCED_DATA : E1000_TX_DTYP_DATA) | E1000_TX_IFCS | E1000_TX_DEXT;
    s->paylen_unit = advanced ? 1ull << E1000_TX_PAYLEN_SHIFT : 0;
    s->rx_format = advanced ? E1000_RX_ADVANCED : E1000_RX_LEGACY;
}

static void start_rings(struct udp_sink *s, uint16_t mtu)
{
    s->rx_buffers_pa = virt_to_phys(s->rx_buffers);
    for (uint32_t i = 0; i < UDP_RX_SLOTS; i++) {
        s->rx[i].address = s->rx_buffers_pa + i * E1000_RX_BUFFER_BYTES;
    }
    s->nic.driver->start(&s->nic, &(struct nic_rings){.tx = &s->tx->headers,
                                                      .rx = s->rx,
                                                      .tx_pa = virt_to_phys(s->tx),
                                                      .rx_pa = virt_to_phys(s->rx),
                                                      .nr_tx = 2 * UDP_TX_SLOTS,
                                                      .nr_rx = UDP_RX_SLOTS,
                                                      .mtu = mtu,
                                                      .driver_data = s->nic_data,
                                                      .driver_data_pa = virt_to_phys(s->nic_data),
                                                      .memory = phys_to_virt(0)});
    if (s->nic.sync_rings)
        s->sink.ops = &udp_sync_ops;
    else
        set_checksum_context(s);
}

static bool wait_for_link(struct udp_sink *s, uint64_t start, uint64_t timeout)
{
    while (!s->nic.driver->link_is_up(&s->nic, (tsc_read() - start) / (clock_tsc_hz() / 1000000))) {
        if (tsc_read() - start >= timeout) {
            return false;
        }
        io_pause();
    }
    return true;
}

static bool find_peer(struct udp_sink *s, uint64_t start, uint64_t timeout, uint64_t interval)
{
    uint64_t asked = start - interval;
    uint8_t request[NET_ARP_FRAME_BYTES];

    net_arp_request(request, &s->link);
    s->link.asks = true;
    while (!s->peer_found) {
        uint64_t now = tsc_read();

        if (now - start >= timeout) {
            return false;
        }
        if (now - asked >= interval) {
            udp_send_arp(s, request);
            asked = now;
        }
        nic_sync_rings(&s->nic);
        if (udp_has_received(s)) {
            udp_receive(s, now);
        }
        io_pause();
    }
    return true;
}

/* Ask the receiver to begin a session, until it does. */
static bool open_session(struct udp_sink *s, uint64_t start, uint64_t timeout, uint64_t interval)
{
    const size_t bytes = udp_auth_build_open(s, s->boot_frame);
    uint64_t asked = start - interval;

    while (!s->auth.is_open) {
        uint64_t now = tsc_read();

        if (now - start >= timeout) {
            return false;
        }
        if (now - asked >= interval) {
            udp_send_frame(s, virt_to_phys(s->boot_frame), (uint32_t)bytes);
            asked = now;
        }
        nic_sync_rings(&s->nic);
        if (udp_has_received(s)) {
            udp_receive(s, now);
        }
        io_pause();
    }
    s->commands.bad = 0;
    return true;
}

/* Fail before the peer's address is known. */
static void *give_up_early(struct udp_sink *s, char *why, size_t why_size, const char *what, uint32_t seconds)
{
    s->nic.driver->stop(&s->nic);
    format_text(why, why_size, "%s within %u s", what, seconds);
    return NULL;
}

static void *give_up(struct udp_sink *s, char *why, size_t why_size, const char *what, uint32_t seconds)
{
    uint32_t peer = s->link.peer;

    s->nic.driver->stop(&s->nic);
    format_text(why, why_size, "%s %u.%u.%u.%u within %u s", what, peer >> 24, peer >> 16 & 255, peer >> 8 & 255,
                peer & 255, seconds);
    return NULL;
}

static void begin_at(struct udp_sink *s, const struct wire_first *first)
{
    s->nr_sent = first->frame;
    window_begin_at(&s->flight.window, (uint32_t)first->frame);
    for (uint16_t cpu = 0; cpu < s->sink.nr_cpus; cpu++) {
        struct udp_queues *queues = &s->cpus[cpu];

        queues->trace.sent = queues->trace_end = first->trace;
        queues->records.sent = queues->records.end = first->records;
        s->released[udp_stream(cpu, FRAME_TRACE)] = first->trace;
        s->released[udp_stream(cpu, FRAME_RECORDS)] = first->records;
    }
}

static void set_up(struct udp_sink *s, const struct udp_sink_params *params)
{
    const uint16_t compressed_mtu = params->compresses ? params->mtu : 0;

    __builtin_memset(s, 0, udp_sink_memory_bytes(params->nr_cpus, params->record_bytes, compressed_mtu));
    lay_out(s, (struct pieces){.memory = (uint8_t *)s}, params->nr_cpus, params->record_bytes, compressed_mtu);
    s->frame_head = FRAME_MAGIC | (uint64_t)(params->compresses ? FRAME_PACKED_VERSION : FRAME_VERSION) << 32;
    set_formats(s, params->driver->is_advanced && params->driver->is_advanced(params->card));
    s->sink.ops = &udp_ops;
    s->sink.nr_cpus = params->nr_cpus;
    s->headers_pa = virt_to_phys(s->headers);
    s->lease.lease.due = LEASE_NEVER;
    s->lease.frames_pa = virt_to_phys(s->lease.frames);
    s->link.ip = params->ip;
    s->link.peer = params->peer;
    s->link.port = params->port;
    s->stream_id = params->stream_id;
    s->dhcp_id = params->dhcp_id;
    s->header_bytes = FRAME_HEADER_SIZE;
    if (params->key) {
        s->header_bytes += FRAME_TAG_SIZE;
        s->auth.required = true;
        s->auth.shared = *params->key;
        __builtin_memcpy(s->auth.nonces.sender, params->nonce, sizeof(params->nonce));
    }
    s->max_payload = (uint16_t)((params->mtu - NET_IPV4_BYTES - NET_UDP_BYTES - s->header_bytes) & ~7u);
    flight_init(&s->flight, s->max_payload, REQUEST_BYTES, params->tsc_hz, &s->window_memory, s->released,
                2u * params->nr_cpus);
    begin_at(s, &params->first);
    s->request_bytes = params->trace_bytes / REQUEST_PARTS < REQUEST_BYTES
                           ? (uint32_t)params->trace_bytes / REQUEST_PARTS
                           : REQUEST_BYTES;
    s->tight_bytes = params->trace_bytes / TIGHT_PARTS;
    s->request_tsc = params->tsc_hz / 1000 * REQUEST_MS;
}

/* false: the card is off, and why has the reason. */
static bool reset_card(struct udp_sink *s, const struct udp_sink_params *params, char *why, size_t why_size)
{
    const struct nic_driver *driver = params->driver;

    s->nic = (struct nic){
        .driver = driver, .access = mmio_access(&s->mmio, params->registers), .registers = params->registers};
    const char *failure = driver->reset(&s->nic, params->card, s->link.mac);
    if (failure) {
        format_text(why, why_size, "the %s at %lx %s", params->card->name, params->mmio_pa, failure);
        return false;
    }
    const uint16_t most = driver->max_mtu ? driver->max_mtu(&s->nic) : params->card->max_mtu;
    if (params->mtu > most) {
        format_text(why, why_size, "net.mtu=%u is more than this %s sends: net.mtu=%u", params->mtu, params->card->name,
                    most);
        driver->stop(&s->nic);
        return false;
    }
    if (driver->max_mtu && params->mtu > STANDARD_MTU) {
        log_line(
            "channel=net: this card computes no checksums for frames of this size: datagrams have no UDP checksum");
    }
    return true;
}

struct sink *udp_sink_init(void *memory, const struct udp_sink_params *params, char *why, size_t why_size)
{
    struct udp_sink *s = memory;
    uint64_t timeout = params->wait_seconds * params->tsc_hz;
    uint64_t start = tsc_read();

    *params->step = UDP_STEP_CARD;
    if ((cpuid_read(1, 0).ecx & 1u << 20) == 0) {
        format_text(why, why_size, "this CPU has no CRC32 instruction (SSE4.2)");
        return NULL;
    }
    if (params->mtu > params->card->max_mtu) {
        format_text(why, why_size, "net.mtu=%u is more than the %s sends: net.mtu=%u", params->mtu, params->card->name,
                    params->card->max_mtu);
        return NULL;
    }
    set_up(s, params);
    if (!reset_card(s, params, why, why_size)) {
        return NULL;
    }
    *params->step = UDP_STEP_LINK;
    if (!wait_for_link(s, start, timeout)) {
        return give_up_early(s, why, why_size, "no link", params->wait_seconds);
    }
    *params->step = UDP_STEP_PEER;
    start_rings(s, params->mtu);
    if (params->ip == UDP_ADDRESS_DYNAMIC && !udp_find_address(s, start, timeout)) {
        return give_up_early(s, why, why_size, "net.ip=dhcp: no address from a DHCP server", params->wait_seconds);
    }
    if (params->peer == UDP_ADDRESS_DYNAMIC && !udp_find_receiver(s, start, timeout)) {
        return give_up_early(s, why, why_size, "net.peer=announce: no receiver has announced itself",
                             params->wait_seconds);
    }
    if (!find_peer(s, start, timeout, params->tsc_hz / 1000 * ASK_INTERVAL_MS)) {
        return give_up(s, why, why_size, "no answer to ARP from the receiver", params->wait_seconds);
    }
    if (s->auth.required && !open_session(s, start, timeout, params->tsc_hz / 1000 * ASK_INTERVAL_MS)) {
        return give_up(s, why, why_size, "no answer with this key= from the receiver", params->wait_seconds);
    }
    udp_build_headers(s);
    net_arp_request(s->boot_frame, &s->link);
    s->sink.end_tsc = END_SECONDS * params->tsc_hz;
    if (params->stall_seconds != 0) {
        sink_cut_init(&s->sink, &s->cut, params->stall_seconds * params->tsc_hz, &s->flight.window.arrived, udp_taken);
        s->cut.least = (uint64_t)params->stall_seconds * LEAST_BYTES;
        s->cut.hasty = (params->stall_seconds < HASTY_SECONDS ? params->stall_seconds : HASTY_SECONDS) * params->tsc_hz;
    }
    return &s->sink;
}

void udp_sink_stop(struct sink *sink)
{
    const struct nic *nic = &udp_sink_of(sink)->nic;

    nic->driver->stop(nic);
}
