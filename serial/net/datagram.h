/*
 * UDP datagrams between any hosts, for DHCP and announcements. serial/net/net.h is for the datagrams of the channel.
 * Checksums are computed in software. Core.
 *
 * Source: RFC 791 (IPv4), RFC 768 (UDP), RFC 1071 (checksum). IPv4 addresses are in host byte order.
 */
#ifndef SERIAL_NET_DATAGRAM_H
#define SERIAL_NET_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATAGRAM_HEADERS_BYTES 42u

struct datagram {
    const uint8_t *from_mac, *to_mac; /* pointers into the frame */
    uint32_t from, to;
    uint16_t from_port, to_port;
    const uint8_t *payload;
    size_t payload_bytes;
};

/* Parse a received Ethernet frame (without its FCS). false: not UDP over IPv4, a fragment, damaged, or truncated. */
bool datagram_parse(struct datagram *datagram, const uint8_t *frame, size_t size);

/* Write the headers of a datagram whose payload is already at frame + DATAGRAM_HEADERS_BYTES. The payload fields of
 * datagram are not used. Returns the size of the frame in bytes. */
size_t datagram_build(uint8_t *frame, const struct datagram *datagram, size_t payload_bytes);

#endif
