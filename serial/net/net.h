/*
 * Ethernet, ARP, IPv4 and UDP, for a channel between two hosts. Core.
 *
 * Source: RFC 826 (ARP), RFC 791 (IPv4), RFC 768 (UDP), RFC 1071 (checksum). IPv4 addresses are in host byte order.
 */
#ifndef SERIAL_NET_NET_H
#define SERIAL_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_MAC_BYTES 6u
#define NET_ETHERNET_BYTES 14u
#define NET_IPV4_BYTES 20u
#define NET_UDP_BYTES 8u
#define NET_HEADERS_BYTES (NET_ETHERNET_BYTES + NET_IPV4_BYTES + NET_UDP_BYTES)
#define NET_ARP_FRAME_BYTES 60u /* an ARP packet, padded to Ethernet's minimum without FCS */

/* Both ends of the channel: ours, and the peer, which is the receiver. */
struct net_link {
    uint8_t mac[NET_MAC_BYTES], peer_mac[NET_MAC_BYTES];
    uint32_t ip, peer;
    uint16_t port; /* both ends use it */
    bool asks;     /* for the peer's MAC address: an ARP reply is taken only then, and ends it */
};

/* Build the headers of a datagram to the peer, except for the lengths: net_headers_set_length. DF is set, so the
 * identification may be 0 (RFC 6864). */
void net_headers_build(uint8_t headers[NET_HEADERS_BYTES], const struct net_link *link);

/* The folded sum of UDP's pseudo-header without the length: the same for all datagrams of a link. */
uint16_t net_pseudo_header_sum(const struct net_link *link);

/* Set the lengths for a payload of payload_bytes (at most 65507). The NIC computes the checksums: IPv4's field is 0,
 * and UDP's is the sum of the pseudo-header, not inverted. sum: the result of net_pseudo_header_sum. */
void net_headers_set_length(uint8_t headers[NET_HEADERS_BYTES], uint16_t sum, uint32_t payload_bytes);

/* Build the broadcast ARP request for the MAC address of link->peer. */
void net_arp_request(uint8_t frame[NET_ARP_FRAME_BYTES], const struct net_link *link);

enum net_kind {
    NET_OTHER,       /* not for us, damaged, or not used by the channel */
    NET_ARP_REQUEST, /* a request for our MAC address: reply is the answer to send */
    NET_ARP_REPLY,   /* the peer's MAC address, now in link->peer_mac */
    NET_DATAGRAM     /* from the peer to our port, with correct checksums: *payload, *payload_bytes are set */
};

/* Parse a received frame (without its FCS). *payload points into it. reply has room for NET_ARP_FRAME_BYTES. */
enum net_kind net_receive(struct net_link *link, const uint8_t *frame, size_t size, uint8_t *reply,
                          const uint8_t **payload, size_t *payload_bytes);

#endif
