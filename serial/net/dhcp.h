/*
 * A DHCP client's messages: building requests and parsing answers. serial/net/lease.h decides when to renew. Core.
 *
 * Source: RFC 2131 (DHCP), RFC 2132 (its options), RFC 951 (BOOTP's fields). IPv4 addresses are in host byte order.
 */
#ifndef SERIAL_NET_DHCP_H
#define SERIAL_NET_DHCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_FRAME_MAX 400u /* bytes of a frame that we send, Ethernet header included */

struct dhcp {
    uint8_t mac[6];
    uint32_t xid; /* transaction id */
    /* The offer, then the acknowledged address. */
    uint32_t ip, server;   /* server 0: any server may renew the lease */
    uint8_t server_mac[6]; /* source of its last acknowledgement: the server, or a router on the way */
    /* Lease time, T1 and T2. DHCP_FOR_EVER: infinite; 0: the server did not send it. */
    uint32_t lease_seconds, renew_seconds, rebind_seconds;
};
#define DHCP_FOR_EVER 0xffffffffu

enum dhcp_answer {
    DHCP_IGNORED, /* not for us, malformed, or not useful now */
    DHCP_OFFERED, /* DHCPOFFER: ip and server are set; dhcp_request is next */
    DHCP_AGREED,  /* DHCPACK: ip is ours, for the lease time */
    DHCP_REFUSED  /* DHCPNAK: start again; in answer to a renewal: ip is no longer ours */
};

/* Build a frame that requests an offer from all servers, or the offered address from one. Returns its size in bytes. */
size_t dhcp_discover(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);
size_t dhcp_request(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);

/* Build a frame that renews the lease: from its server, or with server = 0 from all servers. Returns its size in bytes.
 */
size_t dhcp_renewal(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);

/* Parse a received Ethernet frame. requested: dhcp_request or dhcp_renewal was sent, so offers are ignored. */
enum dhcp_answer dhcp_take(struct dhcp *dhcp, bool requested, const uint8_t *frame, size_t size);

#endif
