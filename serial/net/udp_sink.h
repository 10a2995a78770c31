/*
 * channel=net: frames in UDP datagrams over a card of serial/nic/nic.h, acknowledged by the receiver.
 * Shell.
 *
 * Trace bytes are never copied nor read: transmit descriptors point at the trace regions. Records wait in a buffer of
 * the sink's until they are acknowledged.
 */
#ifndef SERIAL_NET_UDP_SINK_H
#define SERIAL_NET_UDP_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "serial/nic/nic.h"
#include "serial/wire/sink.h"

#define UDP_ADDRESS_FOUND 0u

/* What udp_sink_init was at when it failed. */
enum udp_step { UDP_STEP_CARD, UDP_STEP_LINK, UDP_STEP_PEER };

struct udp_sink_params {
    enum udp_step *step; /* out */
    const struct nic_driver *driver;
    const struct nic_card *card;
    uint64_t mmio_pa;         /* its registers, for messages */
    volatile void *registers; /* ... mapped uncacheable */
    uint32_t ip, peer; /* IPv4 addresses, ours and the receiver's, host byte order. UDP_ADDRESS_FOUND: by DHCP; by its
                          announcement */
    uint16_t port;     /* UDP port, ours and the receiver's */
    uint16_t mtu;      /* bytes of the largest IPv4 packet: 576 to 16110, and to the card's */
    uint32_t wait_seconds;  /* how long the link and the receiver's ARP reply may take */
    uint32_t stall_seconds; /* how long root waits without an answer while the guest runs; 0: for ever */
    uint64_t tsc_hz;        /* base/clock.h */
    uint32_t stream_id;     /* names this boot */
    uint16_t nr_cpus;       /* CPUs that trace and make records, from 0 */
    uint64_t trace_bytes;   /* trace memory per CPU */
    uint32_t record_bytes;  /* buffer for records not yet acknowledged, per CPU: a power of two, at least 64 KiB */
};

/* Bytes that udp_sink_init needs. */
size_t udp_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes);

/* Reset the NIC, wait for the link and find the receiver by ARP. memory: page-aligned, in the direct map, below 4 GiB
 * or not; it and the NIC are the sink's from then on. NULL: the NIC is switched off again and may be forgotten; why
 * says what is missing, without a prefix. Whether a receiver listens is only known once drain() has delivered a
 * record. */
struct sink *udp_sink_init(void *memory, const struct udp_sink_params *params, char *why, size_t why_size);

/* Switch the NIC off: nothing is transferred to or from memory afterwards. The sink is dead. For the case that drain()
 * failed at start and the boot goes on without a channel. */
void udp_sink_stop(struct sink *sink);

#endif
