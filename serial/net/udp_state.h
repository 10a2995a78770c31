/*
 * The inside of channel=net, shared by udp_send.c, udp_sink.c and udp_start.c. Shell.
 *
 * A datagram is two transmit descriptors: its headers, from a pool with one place per pair of descriptors, and its
 * payload, where it lies. The first descriptor and the headers of Ethernet, IPv4 and UDP are the same for all frames of
 * one size and stay in their slot. serial/wire/window.h says what is on the way; serial/wire/stream.h what waits.
 */
#ifndef SERIAL_NET_UDP_STATE_H
#define SERIAL_NET_UDP_STATE_H

#include <stddef.h>

#include "base/mmio.h"
#include "serial/net/net.h"
#include "serial/net/udp_lease.h"
#include "serial/nic/e1000.h"
#include "serial/wire/command.h"
#include "serial/wire/frame.h"
#include "serial/wire/pace.h"
#include "serial/wire/sink_cut.h"
#include "serial/wire/stream.h"
#include "serial/wire/window.h"

#define UDP_WINDOW_FRAMES 1024u /* two regions of 512 KiB at an MTU of 1500 */
#define UDP_TX_SLOTS 2048u      /* datagrams in the ring: the window, and as many sent again */
#define UDP_RX_SLOTS 64u
_Static_assert(NIC_IPV4_AT == NET_ETHERNET_BYTES && NIC_UDP_AT == NIC_IPV4_AT + NET_IPV4_BYTES,
               "serial/nic/nic.h states where our headers are");
_Static_assert(2 * UDP_TX_SLOTS <= E1000_MAX_DESCRIPTORS, "the cards' longest ring");

#define UDP_UNBUILT 0xffffu

/* The headers of one datagram. The frame header is aligned to 8; the Ethernet header starts at byte 6. */
struct udp_headers {
    uint8_t align[6];
    uint8_t net[NET_HEADERS_BYTES];
    union {
        struct frame_header frame;
        uint64_t words[4];
    };
    uint8_t tail[46];       /* a payload too small for a descriptor of its own: serial/nic/realtek_ring.c */
    uint16_t payload_bytes; /* of the frame that net's lengths are set for; UDP_UNBUILT: net is to be built */
};
_Static_assert(sizeof(struct udp_headers) == 128, "a place in the pool is a power of two");
_Static_assert(offsetof(struct udp_headers, frame) % 8 == 0, "words are aligned");

struct udp_slot {
    struct e1000_tx_descriptor headers, payload;
};

struct udp_queues {
    struct trace_queue trace;
    struct record_queue records;
    uint64_t trace_end; /* of what is in frames */
};

struct udp_sink {
    struct sink sink;
    struct sink_cut cut;
    struct nic nic;
    struct mmio mmio;
    struct net_link link;
    struct window window;
    uint32_t stream_id;
    uint16_t max_payload; /* bytes of a frame's payload, a multiple of 8 */
    bool peer_found;
    struct command_box commands;
    struct udp_lease lease;

    bool waiting;              /* there is something in the queues */
    bool trace_first;          /* before records: there was not room for all */
    uint16_t first_cpu;        /* whose records and trace come first: where room is short, each CPU in its turn */
    uint32_t tx_head, tx_done; /* slots given to the NIC, and done; counted, not wrapped */
    uint32_t unasked;          /* bytes sent since an acknowledgement was asked for, headers included */
    uint32_t ask_bytes;        /* ... after which one is asked for with the run's last frame */
    uint64_t tight_bytes;      /* where so many are on the way, one is asked for with each run: memory is short */
    uint64_t asked_tsc;        /* when one was asked for last */
    uint64_t ask_tsc;          /* ... and after so many ticks one is asked for in any case */
    struct pace pace;          /* how far apart they may be: a run is no longer */
    bool ask_now;              /* somebody waits for it */
    struct udp_slot *tx;
    struct udp_headers *headers;
    uint64_t headers_pa;
    uint16_t pseudo_header_sum;
    uint64_t data_fields;    /* of each transmit descriptor with data */
    uint64_t payload_fields; /* of one with the payload of a frame, but for its length */
    uint64_t headers_fields; /* of one with headers, but for what the payload adds to it */
    uint64_t paylen_unit;    /* the first descriptor of a packet has its bytes times this, besides; 0: it has none */

    uint32_t rx_next;
    struct e1000_rx_format rx_format;
    struct e1000_rx_descriptor *rx;
    uint8_t *rx_buffers;
    uint64_t rx_buffers_pa;

    uint8_t *boot_frame; /* E1000_RX_BUFFER_BYTES: what udp_find.c looks at */
    void *nic_data;      /* NIC_DRIVER_BYTES for the driver, page-aligned */

    uint64_t *released; /* per stream */
    struct udp_queues *cpus;
};

static inline struct udp_sink *udp_sink_of(struct sink *sink)
{
    return (struct udp_sink *)sink;
}

/* A stream's index in the window: two a CPU. */
static inline uint16_t udp_stream(uint16_t cpu, enum frame_kind kind)
{
    return (uint16_t)(2 * cpu + (kind == FRAME_RECORDS ? 1 : 0));
}

/* Build the headers in all slots, for the size that most frames have. */
void udp_build_headers(struct udp_sink *s);

/* Send what is to be sent again, then what waits, as far as the window and the ring have room; ask for an
 * acknowledgement where it is time to. */
void udp_push(struct udp_sink *s, uint64_t now);

/* Send a packet that is complete, from where it lies until it has been sent. It is dropped where the ring is full. */
void udp_send_frame(struct udp_sink *s, uint64_t pa, uint32_t bytes);

/* Send an ARP packet (it is copied). It is dropped where the ring is full: whoever asked asks again. */
void udp_send_arp(struct udp_sink *s, const uint8_t frame[NET_ARP_FRAME_BYTES]);

static inline bool udp_has_received(const struct udp_sink *s)
{
    const volatile struct e1000_rx_descriptor *rx = &s->rx[s->rx_next % UDP_RX_SLOTS];

    return (rx->written_back & s->rx_format.dd) != 0;
}

/* Take in all packets that have arrived; there is one. */
void udp_receive(struct udp_sink *s, uint64_t now);

/* serial/net/udp_find.c: by DHCP s->link.ip, and s->link.peer by what a receiver announces. false: not in time. */
bool udp_find_address(struct udp_sink *s, uint64_t start, uint64_t timeout);
bool udp_find_receiver(struct udp_sink *s, uint64_t start, uint64_t timeout);

/* The trace offset behind the last byte that was taken of a CPU. */
uint64_t udp_taken(const struct sink *sink, uint16_t cpu);

/* udp_sync_ops is for cards whose driver must copy descriptors between rings (sync_rings in serial/nic/nic.h). */
extern const struct sink_ops udp_ops, udp_sync_ops;

#endif
