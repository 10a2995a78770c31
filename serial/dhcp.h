/*
 * An address from a DHCP server: what to send, and what the answers say. Core; only a boot uses it.
 *
 * Source: RFC 2131 (DHCP), RFC 2132 (its options), RFC 951 (BOOTP's fields). IPv4 addresses are in host byte order.
 */
#ifndef SERIAL_DHCP_H
#define SERIAL_DHCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_FRAME_MAX 400u /* of what is sent, Ethernet header included */

struct dhcp {
    uint8_t mac[6];
    uint32_t xid; /* names the exchange */
    /* What was offered, then what was agreed to. */
    uint32_t ip, server;
    uint32_t lease_seconds; /* 0xffffffff: for ever; 0: not told */
};

enum dhcp_answer {
    DHCP_NOTHING, /* not for us, malformed, or of no use */
    DHCP_OFFERED, /* ip and server are set: dhcp_request */
    DHCP_AGREED,  /* ip is ours */
    DHCP_REFUSED  /* from the start */
};

/* A frame that asks all servers for an offer, or this one for what it has offered. Returns its bytes. */
size_t dhcp_discover(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);
size_t dhcp_request(uint8_t frame[DHCP_FRAME_MAX], const struct dhcp *dhcp);

/* Look at a received frame. requested: dhcp_request was sent, so that offers come too late. */
enum dhcp_answer dhcp_take(struct dhcp *dhcp, bool requested, const uint8_t *frame, size_t size);

#endif
