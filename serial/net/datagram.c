/* Kind: core */
#include "serial/net/datagram.h"

#include "base/init.h"
#include "serial/net/net_bytes.h"

/* Offsets in a frame. */
enum { TO_MAC = 0, FROM_MAC = 6, ETHERTYPE = 12, IP = 14, IP_LENGTH = 16, IP_FRAGMENT = 20, IP_TTL = 22 };
enum { IP_PROTOCOL = 23, IP_CHECKSUM = 24, IP_FROM = 26, IP_TO = 30 };
/* Offsets from the end of the IPv4 header, which may have options. */
enum { UDP_FROM = 0, UDP_TO = 2, UDP_LENGTH = 4, UDP_CHECKSUM = 6, UDP_BYTES = 8 };

#define ETHERTYPE_IPV4 0x0800u
#define PROTOCOL_UDP 17u
#define IP_BYTES 20u
#define FRAGMENT_MASK 0x3fffu /* more fragments, and the fragment's offset */

/* Add the 16-bit words, and a last odd byte, to sum. The result is not folded. At most 64 KiB. */
static uint32_t sum_of(const uint8_t *bytes, size_t size, uint32_t sum)
{
    for (; size > 1; size -= 2, bytes += 2)
        sum += net_get16(bytes);
    return size ? sum + ((uint32_t)*bytes << 8) : sum;
}

static uint32_t fold(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffff);
    return (sum >> 16) + (sum & 0xffff);
}

static uint32_t udp_sum(const uint8_t *frame, const uint8_t *udp, size_t udp_bytes)
{
    return fold(sum_of(udp, udp_bytes, sum_of(frame + IP_FROM, 8, PROTOCOL_UDP + (uint32_t)udp_bytes)));
}

/* The size of the IPv4 header in bytes; 0: it is not a valid IPv4 header with a complete UDP datagram. */
static size_t ip_header_bytes(const uint8_t *frame, size_t size)
{
    if (size < IP + IP_BYTES || net_get16(frame + ETHERTYPE) != ETHERTYPE_IPV4 || frame[IP] >> 4 != 4)
        return 0;
    const size_t header = 4u * (frame[IP] & 15), total = net_get16(frame + IP_LENGTH);
    if (header < IP_BYTES || total > size - IP || total < header + UDP_BYTES)
        return 0;
    if ((net_get16(frame + IP_FRAGMENT) & FRAGMENT_MASK) != 0 || frame[IP_PROTOCOL] != PROTOCOL_UDP)
        return 0;
    return fold(sum_of(frame + IP, header, 0)) == 0xffff ? header : 0;
}

bool datagram_parse(struct datagram *datagram, const uint8_t *frame, size_t size)
{
    const size_t header = ip_header_bytes(frame, size);
    if (header == 0)
        return false;
    const uint8_t *udp = frame + IP + header;
    const size_t udp_bytes = net_get16(udp + UDP_LENGTH);
    if (udp_bytes < UDP_BYTES || udp_bytes > net_get16(frame + IP_LENGTH) - header)
        return false;
    if (net_get16(udp + UDP_CHECKSUM) != 0 && udp_sum(frame, udp, udp_bytes) != 0xffff)
        return false;
    *datagram = (struct datagram){.from_mac = frame + FROM_MAC,
                                  .to_mac = frame + TO_MAC,
                                  .from = net_get32(frame + IP_FROM),
                                  .to = net_get32(frame + IP_TO),
                                  .from_port = (uint16_t)net_get16(udp + UDP_FROM),
                                  .to_port = (uint16_t)net_get16(udp + UDP_TO),
                                  .payload = udp + UDP_BYTES,
                                  .payload_bytes = udp_bytes - UDP_BYTES};
    return true;
}

INIT_CODE size_t datagram_build(uint8_t *frame, const struct datagram *datagram, size_t payload_bytes)
{
    const uint32_t udp_bytes = UDP_BYTES + (uint32_t)payload_bytes;
    uint8_t *udp = frame + IP + IP_BYTES;

    __builtin_memset(frame, 0, DATAGRAM_HEADERS_BYTES);
    __builtin_memcpy(frame + TO_MAC, datagram->to_mac, 6);
    __builtin_memcpy(frame + FROM_MAC, datagram->from_mac, 6);
    net_put16(frame + ETHERTYPE, ETHERTYPE_IPV4);
    frame[IP] = 0x45;
    net_put16(frame + IP_LENGTH, IP_BYTES + udp_bytes);
    frame[IP_TTL] = 64;
    frame[IP_PROTOCOL] = PROTOCOL_UDP;
    net_put32(frame + IP_FROM, datagram->from);
    net_put32(frame + IP_TO, datagram->to);
    net_put16(frame + IP_CHECKSUM, ~fold(sum_of(frame + IP, IP_BYTES, 0)));
    net_put16(udp + UDP_FROM, datagram->from_port);
    net_put16(udp + UDP_TO, datagram->to_port);
    net_put16(udp + UDP_LENGTH, udp_bytes);
    const uint32_t sum = ~udp_sum(frame, udp, udp_bytes) & 0xffff;
    net_put16(udp + UDP_CHECKSUM, sum ? sum : 0xffff); /* 0 means none */
    return DATAGRAM_HEADERS_BYTES + payload_bytes;
}
