/*
 * channel=net: renewing the lease of an address from a DHCP server while the guest runs. Shell.
 */
#ifndef SERIAL_NET_UDP_LEASE_H
#define SERIAL_NET_UDP_LEASE_H

#include "serial/net/dhcp.h"
#include "serial/net/lease.h"

struct udp_sink;

struct udp_lease {
    struct lease lease;
    struct dhcp dhcp;
    bool is_requesting; /* waiting for the answer to a request */
    bool was_renewed;
    const char *news; /* a log line that is not in the records yet; NULL: none */
    /* Read by the card. Once there is an address, two frames: the renewal request to its server, and at offset
     * DHCP_FRAME_MAX that to all servers. Before, the request for an address. */
    uint8_t *frames;
    uint64_t frames_pa;
    uint32_t frame_bytes;
    bool to_all; /* rebinding has begun: from then on requests go to all servers */
};

/* Send a request that is due, and record a log line that waits. Call it under the sink's lock if udp_lease_waits. */
void udp_lease_act(struct udp_sink *s, uint64_t now);

static inline bool udp_lease_waits(const struct udp_lease *lease, uint64_t now)
{
    return now >= lease->lease.due || lease->news;
}

/* While is_requesting: take a received frame of no other kind, which may be the answer. */
void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size);

#endif
