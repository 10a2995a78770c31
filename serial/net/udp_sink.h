/*
 * channel=net: frames in UDP datagrams over a network card (serial/nic/nic.h), acknowledged by the receiver. Shell.
 *
 * Trace bytes are not copied: transmit descriptors point at the trace regions. They are read once, for the frame's CRC
 * or tag. Records stay in a buffer of the sink until they are acknowledged. With compression (udp_pack.h) the
 * descriptors point at compressed blocks.
 */
#ifndef SERIAL_NET_UDP_SINK_H
#define SERIAL_NET_UDP_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "serial/nic/nic.h"
#include "serial/wire/auth.h"
#include "serial/wire/first.h"
#include "serial/wire/sink.h"

#define UDP_ADDRESS_DYNAMIC 0u

/* The step at which udp_sink_init failed. */
enum udp_step { UDP_STEP_CARD, UDP_STEP_LINK, UDP_STEP_PEER };

struct udp_sink_params {
    enum udp_step *step; /* out */
    const struct nic_driver *driver;
    const struct nic_card *card;
    uint64_t mmio_pa;         /* physical address of its registers, for messages */
    volatile void *registers; /* the registers, mapped uncacheable */
    /* IPv4 addresses of ours and of the receiver, in host byte order. UDP_ADDRESS_DYNAMIC: get ours by DHCP, and the
     * receiver's from its announcement. */
    uint32_t ip, peer;
    uint16_t port;                 /* UDP port of both ends */
    uint16_t mtu;                  /* bytes of the largest IPv4 packet: 576 to 16110, and no more than the card sends */
    uint32_t wait_seconds;         /* how long the link and the receiver's ARP reply may take */
    uint32_t stall_seconds;        /* longest wait without an acknowledgement while the guest runs; 0: for ever */
    uint64_t tsc_hz;               /* base/clock.h */
    uint32_t stream_id;            /* identifies this boot; only the receiver gets it */
    uint32_t dhcp_id;              /* of DHCP transactions, which are broadcast */
    const struct siphash_key *key; /* shared with the receiver; NULL: frames are not authenticated */
    uint8_t nonce[AUTH_NONCE_BYTES]; /* with a key: a random number of this boot */
    struct wire_first first;
    uint16_t nr_cpus;      /* CPUs that trace and make records, from 0 */
    uint64_t trace_bytes;  /* trace memory per CPU */
    uint32_t record_bytes; /* buffer for records not yet acknowledged, per CPU: a power of two, at least 64 KiB */
    bool compresses;
};

/* Bytes that udp_sink_init needs. compressed_mtu: mtu if it compresses, else 0. */
size_t udp_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes, uint16_t compressed_mtu);

/* Reset the NIC, wait for the link and find the receiver by ARP. memory: page-aligned, in the direct map, at any
 * address. The sink owns it and the NIC afterwards. NULL: it failed, the NIC is off, and why has the reason, without a
 * prefix. Only after sink_drain has delivered a record is it certain that a receiver listens. */
struct sink *udp_sink_init(void *memory, const struct udp_sink_params *params, char *why, size_t why_size);

/* Switch the NIC off: it no longer accesses memory, and the sink must not be used again. For a boot that continues
 * without a channel because sink_drain has failed. */
void udp_sink_stop(struct sink *sink);

#endif
