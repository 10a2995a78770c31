/*
 * An address from a DHCP server: what to send, and what the answers say. When to ask again: serial/net/lease.h. Core.
 *
 * Source: RFC 2131 (DHCP), RFC 2132 (its options), RFC 951 (BOOTP's fields). IPv4 addresses are in host byte order.
 */
#ifndef SERIAL_NET_DHCP_H
#define SERIAL_NET_DHCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_FRAME_MAX 400u /* of what is sent, Ethernet header included */

struct dhcp {
    uint8_t mac[6];
    uint32_t xid; /* names the exchange */
    /* What was offered, then what was agreed to. */
    uint32_t ip, server;   /* server 0: any may renew it */
    uint8_t server_mac[6]; /* from where its last agreement came: its own, or the router's in between */
    /* Of the lease; DHCP_FOR_EVER: it has no end; 0: not told. */
    uint32_t lease_seconds, renew_seconds, rebind_seconds;
};
#define DHCP_FOR_EVER 0xffffffffu

enum dhcp_answer {
    DHCP_NOTHING, /* not for us, malformed, or of no use */
    DHCP_OFFERED, /* ip and server are set: dhcp_request */
    DHCP_AGREED,  /* ip is ours, or is ours for longer */
    DHCP_REFUSED  /* from the start; of a renewal: ip is not ours any more */
};

/* A frame that asks all servers for an offer, or this one for what it has offered. Returns its bytes. */
size_t dhcp_discover(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);
size_t dhcp_request(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);

/* A frame that asks to have ip for longer: the server of it, or with server = 0 all of them. Returns its bytes. */
size_t dhcp_renewal(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);

/* Look at a received frame. requested: dhcp_request or dhcp_renewal was sent, so that offers come too
 * late. */
enum dhcp_answer dhcp_take(struct dhcp *dhcp, bool requested, const uint8_t *frame, size_t size);

#endif
