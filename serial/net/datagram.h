/*
 * UDP datagrams from and to anybody, before the channel has a peer: serial/net/net.h is for those of the channel.
 * Checksums are computed here. Core.
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
    const uint8_t *from_mac, *to_mac; /* in the frame */
    uint32_t from, to;
    uint16_t from_port, to_port;
    const uint8_t *payload;
    size_t payload_bytes;
};

/* Look at a received frame (without its FCS). false: no UDP over IPv4, a fragment, damaged, or cut short. */
bool datagram_parse(struct datagram *datagram, const uint8_t *frame, size_t size);

/* Write the headers in front of the payload of payload_bytes that stands at frame + DATAGRAM_HEADERS_BYTES. All of
 * datagram but its payload is used. Returns the frame's bytes. */
size_t datagram_build(uint8_t *frame, const struct datagram *datagram, size_t payload_bytes);

#endif
