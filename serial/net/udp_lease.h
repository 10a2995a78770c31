/*
 * channel=net: the lease of an address from a DHCP server is renewed while the guest runs. Shell.
 */
#ifndef SERIAL_NET_UDP_LEASE_H
#define SERIAL_NET_UDP_LEASE_H

#include "serial/net/dhcp.h"
#include "serial/net/lease.h"

struct udp_sink;

struct udp_lease {
    struct lease lease;
    struct dhcp dhcp;
    bool is_asking, was_renewed;
    const char *news; /* a line that is not in the records yet */
    /* For the card to read: what asks the server that gave the address, and behind DHCP_FRAME_MAX what asks all. While
     * there is no address, what asks for one. */
    uint8_t *frames;
    uint64_t frames_pa;
    uint32_t frame_bytes;
    bool to_all; /* another server has renewed it: from then on all are asked */
};

/* It is time to ask again, or a line waits: to be called under the sink's lock when udp_lease_waits. */
void udp_lease_act(struct udp_sink *s, uint64_t now);

static inline bool udp_lease_waits(const struct udp_lease *lease, uint64_t now)
{
    return now >= lease->lease.due || lease->news;
}

/* While is_asking, a received frame that is nothing else: the answer maybe. */
void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size);

#endif
