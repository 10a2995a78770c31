/*
 * The private state of channel=net, shared by udp_auth.c, udp_find.c, udp_lease.c, udp_pack.c, udp_send.c, udp_sink.c
 * and udp_start.c. Shell.
 *
 * A datagram has two transmit descriptors, which form a slot: one for its headers, which are in a pool with one entry
 * per slot, and one for its payload, wherever that is. The first descriptor and the headers of Ethernet, IPv4 and UDP
 * are the same for all frames of one size, and are kept in the slot for reuse. serial/wire/flight.h tracks the frames
 * in flight, serial/wire/stream.h the bytes that wait to be sent.
 */
#ifndef SERIAL_NET_UDP_STATE_H
#define SERIAL_NET_UDP_STATE_H

#include <stddef.h>

#include "base/mmio.h"
#include "serial/net/net.h"
#include "serial/net/udp_auth.h"
#include "serial/net/udp_lease.h"
#include "serial/net/udp_pack.h"
#include "serial/nic/e1000.h"
#include "serial/wire/command.h"
#include "serial/wire/flight.h"
#include "serial/wire/frame.h"
#include "serial/wire/sink_cut.h"
#include "serial/wire/stream.h"

#define UDP_WINDOW_FRAMES 1024u /* two regions of 512 KiB at an MTU of 1500 */
#define UDP_PACK_FRAMES 512u    /* the window with compression, where each frame has a buffer */
#define UDP_TX_SLOTS 2048u      /* datagrams in the ring: the window, and as many retransmissions */
#define UDP_RX_SLOTS 64u
_Static_assert(NIC_IPV4_AT == NET_ETHERNET_BYTES && NIC_UDP_AT == NIC_IPV4_AT + NET_IPV4_BYTES,
               "serial/nic/nic.h states where our headers are");
_Static_assert(2 * UDP_TX_SLOTS <= E1000_MAX_DESCRIPTORS, "the longest ring of the cards");

#define UDP_UNBUILT 0xffffu

/* The headers of one datagram. The frame header is aligned to 8; the Ethernet header starts at byte 6. */
struct udp_headers {
    uint8_t align[6];
    uint8_t net[NET_HEADERS_BYTES];
    union {
        struct frame_header frame;
        uint64_t words[4];
    };
    uint8_t tag[FRAME_TAG_SIZE]; /* with a key: sent after the frame header */
    uint8_t tail[30];            /* room for a payload too small for its own buffer: serial/nic/realtek_ring.c */
    uint16_t payload_bytes;      /* the frame payload for which net's lengths are set; UDP_UNBUILT: net must be built */
};
_Static_assert(sizeof(struct udp_headers) == 128, "the size of a pool entry is a power of two");
_Static_assert(offsetof(struct udp_headers, frame) % 8 == 0, "words are aligned");

struct udp_slot {
    struct e1000_tx_descriptor headers, payload;
};

struct udp_queues {
    struct trace_queue trace;
    struct record_queue records;
    uint64_t trace_end; /* trace offset of the end of the last frame */
};

struct udp_sink {
    struct sink sink;
    struct sink_cut cut;
    struct nic nic;
    struct mmio mmio;
    struct net_link link;
    struct flight flight;
    struct window_memory window_memory;
    uint32_t stream_id, dhcp_id;
    uint16_t max_payload; /* bytes of a frame's payload, a multiple of 8 */
    bool peer_found;
    uint64_t arp_timeouts; /* flight.nr_timeouts at the last ARP request */
    struct udp_auth auth;
    uint64_t nr_sent;      /* new frames: the number of the next one, which does not wrap around */
    uint16_t header_bytes; /* of a frame: FRAME_HEADER_SIZE, and its tag */
    struct command_box commands;
    struct udp_lease lease;
    struct udp_packer *packer; /* NULL: frames are not compressed */
    uint64_t frame_head;       /* magic and version of a frame: its first eight bytes have kind and CPU, too */

    bool waiting;              /* the queues are not empty */
    bool trace_first;          /* send trace before records, because the last time there was not room for both */
    uint16_t first_cpu;        /* the CPU whose streams come first; it changes if there is not room for all */
    uint32_t tx_head, tx_done; /* counts, which do not wrap: slots passed to the NIC, and sent by it */

    /* When to request an acknowledgement. */
    uint32_t unrequested;   /* bytes sent since the last request, headers included */
    uint32_t request_bytes; /* request with the last frame of a run after this many */
    uint64_t tight_bytes;   /* request with each run while this many bytes of a stream are in flight: memory is short */
    uint64_t requested_tsc; /* time of the last request */
    uint64_t request_tsc;   /* request after this many ticks */
    bool request_now;       /* a caller waits for the acknowledgement */

    struct udp_slot *tx;
    struct udp_headers *headers;
    uint64_t headers_pa;
    uint16_t pseudo_header_sum;
    /* The high half of transmit descriptors. */
    uint64_t data_fields;    /* common to all data descriptors */
    uint64_t payload_fields; /* of a payload, without its length */
    uint64_t headers_fields; /* of headers, without the payload's share of PAYLEN */
    uint64_t paylen_unit;    /* one byte in PAYLEN, a field of a packet's first descriptor; 0: no such field */

    uint32_t rx_next;
    struct e1000_rx_format rx_format;
    struct e1000_rx_descriptor *rx;
    uint8_t *rx_buffers;
    uint64_t rx_buffers_pa;

    uint8_t *boot_frame; /* E1000_RX_BUFFER_BYTES: udp_find.c parses received frames here; later an ARP request */
    void *nic_data;      /* NIC_DRIVER_BYTES for the driver, page-aligned */

    uint64_t *released; /* [stream]: the window's */
    struct udp_queues *cpus;
};

static inline struct udp_sink *udp_sink_of(struct sink *sink)
{
    return (struct udp_sink *)sink;
}

/* The window's index of a stream: each CPU has two. */
static inline uint16_t udp_stream(uint16_t cpu, enum frame_kind kind)
{
    return (uint16_t)(2 * cpu + (kind == FRAME_RECORDS ? 1 : 0));
}

/* Build the headers in all slots, for full frames. */
void udp_build_headers(struct udp_sink *s);

/* The peer has another MAC address: headers are built again at the next use of their slot. */
void udp_forget_headers(struct udp_sink *s);

/* Send retransmissions, then waiting bytes, as far as the window and the ring have room. Request an acknowledgement if
 * it is time to. */
void udp_push(struct udp_sink *s, uint64_t now);

/* Send a complete packet, which must stay in place until the card has sent it. It is dropped if the ring is full. */
void udp_send_frame(struct udp_sink *s, uint64_t pa, uint32_t bytes);

/* Send a copy of an ARP packet. It is dropped if the ring is full: the other side repeats its request. */
void udp_send_arp(struct udp_sink *s, const uint8_t frame[NET_ARP_FRAME_BYTES]);

static inline bool udp_has_received(const struct udp_sink *s)
{
    const volatile struct e1000_rx_descriptor *rx = &s->rx[s->rx_next % UDP_RX_SLOTS];

    return (rx->written_back & s->rx_format.dd) != 0;
}

/* Process received packets, at most UDP_RX_SLOTS of them. Call it only if udp_has_received. */
void udp_receive(struct udp_sink *s, uint64_t now);

/* Set s->link.ip by DHCP, and s->link.peer from a receiver's announcement. start: TSC when waiting began. timeout: in
 * ticks. false: it took too long. */
bool udp_find_address(struct udp_sink *s, uint64_t start, uint64_t timeout);
bool udp_find_receiver(struct udp_sink *s, uint64_t start, uint64_t timeout);

/* The trace offset of the end of the bytes taken from a CPU. */
uint64_t udp_taken(const struct sink *sink, uint16_t cpu);

/* udp_sync_ops is for cards whose driver must copy descriptors between rings (sync_rings in serial/nic/nic.h). */
extern const struct sink_ops udp_ops, udp_sync_ops;

#endif
