/* Kind: core, hot */
/* Ethernet, ARP, IPv4 and UDP, for a channel between two hosts. */
#include "serial/net/net.h"

#include "base/init.h"
#include "serial/net/net_bytes.h"

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_ARP 0x0806u
#define ARP_HARDWARE_ETHERNET 1u
#define ARP_OP_REQUEST 1u
#define ARP_OP_REPLY 2u
#define ARP_BYTES 28u
#define IPV4_VERSION_AND_LENGTH 0x45u
#define IPV4_DONT_FRAGMENT 0x4000u
#define IPV4_FRAGMENT_MASK 0x3fffu /* more fragments, and the fragment's offset */
#define IPV4_TTL 64u
#define PROTOCOL_UDP 17u

/* The fields' offsets in a frame. */
enum { ETH_DESTINATION = 0, ETH_SOURCE = 6, ETH_TYPE = 12 };
enum {
    ARP_HARDWARE = 14,
    ARP_PROTOCOL = 16,
    ARP_SIZES = 18,
    ARP_OPERATION = 20,
    ARP_SENDER_MAC = 22,
    ARP_SENDER_IP = 28,
    ARP_TARGET_MAC = 32,
    ARP_TARGET_IP = 38
};
enum {
    IPV4_VERSION = 14,
    IPV4_TOTAL_LENGTH = 16,
    IPV4_FRAGMENT = 20,
    IPV4_TIME_TO_LIVE = 22,
    IPV4_PROTOCOL = 23,
    IPV4_SOURCE = 26,
    IPV4_DESTINATION = 30
};
enum { UDP_SOURCE_PORT = 34, UDP_DESTINATION_PORT = 36, UDP_LENGTH = 38, UDP_CHECKSUM = 40 };

/* RFC 1071: sums of 16-bit words with end-around carry. An unfolded sum is any number with the same remainder modulo
 * FFFFH; folding reduces it to 16 bits. The sum does not depend on the byte order (section 2B), so we add eight bytes
 * at a time in the machine's order and swap once at the end. */
static uint32_t checksum_fold(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffff);
    return (sum >> 16) + (sum & 0xffff);
}

static uint32_t sum_words(const uint8_t *bytes, size_t size, uint32_t sum)
{
    uint64_t swapped = 0, eight;

#pragma GCC unroll 4
    for (; size >= sizeof(eight); size -= sizeof(eight), bytes += sizeof(eight)) {
        __builtin_memcpy(&eight, bytes, sizeof(eight));
        swapped += eight;
        swapped += swapped < eight; /* end-around carry */
    }
    if (size > 0) {
        eight = 0;
        __builtin_memcpy(&eight, bytes, size);
        swapped += eight;
        swapped += swapped < eight;
    }
    swapped = (swapped >> 32) + (swapped & 0xffffffff);
    swapped = (swapped >> 32) + (swapped & 0xffffffff);
    return sum + __builtin_bswap16((uint16_t)checksum_fold((uint32_t)swapped));
}

/* The sum of UDP's pseudo-header: addresses, protocol, UDP length. Not folded. */
static uint32_t sum_pseudo_header(const uint8_t *frame, uint32_t udp_bytes)
{
    return sum_words(frame + IPV4_SOURCE, 8, PROTOCOL_UDP + udp_bytes);
}

void net_headers_build(uint8_t headers[NET_HEADERS_BYTES], const struct net_link *link)
{
    __builtin_memset(headers, 0, NET_HEADERS_BYTES);
    __builtin_memcpy(headers + ETH_DESTINATION, link->peer_mac, NET_MAC_BYTES);
    __builtin_memcpy(headers + ETH_SOURCE, link->mac, NET_MAC_BYTES);
    net_put16(headers + ETH_TYPE, ETHERTYPE_IPV4);
    headers[IPV4_VERSION] = IPV4_VERSION_AND_LENGTH;
    net_put16(headers + IPV4_FRAGMENT, IPV4_DONT_FRAGMENT);
    headers[IPV4_TIME_TO_LIVE] = IPV4_TTL;
    headers[IPV4_PROTOCOL] = PROTOCOL_UDP;
    net_put32(headers + IPV4_SOURCE, link->ip);
    net_put32(headers + IPV4_DESTINATION, link->peer);
    net_put16(headers + UDP_SOURCE_PORT, link->port);
    net_put16(headers + UDP_DESTINATION_PORT, link->port);
}

uint16_t net_pseudo_header_sum(const struct net_link *link)
{
    uint8_t headers[NET_HEADERS_BYTES];

    net_headers_build(headers, link);
    return (uint16_t)checksum_fold(sum_pseudo_header(headers, 0));
}

/* The sum of two 16-bit numbers needs only one fold. */
void net_headers_set_length(uint8_t headers[NET_HEADERS_BYTES], uint16_t sum, uint32_t payload_bytes)
{
    const uint32_t udp_bytes = NET_UDP_BYTES + payload_bytes, checksum = sum + udp_bytes;

    net_put16(headers + IPV4_TOTAL_LENGTH, NET_IPV4_BYTES + udp_bytes);
    net_put16(headers + UDP_LENGTH, udp_bytes);
    net_put16(headers + UDP_CHECKSUM, checksum + (checksum >> 16));
}

static void arp_build(uint8_t frame[NET_ARP_FRAME_BYTES], const struct net_link *link, uint32_t operation)
{
    __builtin_memset(frame, 0, NET_ARP_FRAME_BYTES);
    __builtin_memcpy(frame + ETH_SOURCE, link->mac, NET_MAC_BYTES);
    net_put16(frame + ETH_TYPE, ETHERTYPE_ARP);
    net_put16(frame + ARP_HARDWARE, ARP_HARDWARE_ETHERNET);
    net_put16(frame + ARP_PROTOCOL, ETHERTYPE_IPV4);
    net_put16(frame + ARP_SIZES, NET_MAC_BYTES << 8 | 4);
    net_put16(frame + ARP_OPERATION, operation);
    __builtin_memcpy(frame + ARP_SENDER_MAC, link->mac, NET_MAC_BYTES);
    net_put32(frame + ARP_SENDER_IP, link->ip);
}

INIT_CODE void net_arp_request(uint8_t frame[NET_ARP_FRAME_BYTES], const struct net_link *link)
{
    arp_build(frame, link, ARP_OP_REQUEST);
    __builtin_memset(frame + ETH_DESTINATION, 0xff, NET_MAC_BYTES);
    net_put32(frame + ARP_TARGET_IP, link->peer);
}

static enum net_kind receive_arp(struct net_link *link, const uint8_t *frame, size_t size, uint8_t *reply)
{
    if (size < NET_ETHERNET_BYTES + ARP_BYTES || net_get16(frame + ARP_HARDWARE) != ARP_HARDWARE_ETHERNET ||
        net_get16(frame + ARP_PROTOCOL) != ETHERTYPE_IPV4 || net_get16(frame + ARP_SIZES) != (NET_MAC_BYTES << 8 | 4) ||
        net_get32(frame + ARP_TARGET_IP) != link->ip) {
        return NET_OTHER;
    }
    if (net_get16(frame + ARP_OPERATION) == ARP_OP_REQUEST) {
        arp_build(reply, link, ARP_OP_REPLY);
        __builtin_memcpy(reply + ETH_DESTINATION, frame + ARP_SENDER_MAC, NET_MAC_BYTES);
        __builtin_memcpy(reply + ARP_TARGET_MAC, frame + ARP_SENDER_MAC, NET_MAC_BYTES + 4);
        return NET_ARP_REQUEST;
    }
    if (link->asks && net_get16(frame + ARP_OPERATION) == ARP_OP_REPLY &&
        net_get32(frame + ARP_SENDER_IP) == link->peer) {
        link->asks = false;
        __builtin_memcpy(link->peer_mac, frame + ARP_SENDER_MAC, NET_MAC_BYTES);
        return NET_ARP_REPLY;
    }
    return NET_OTHER;
}

/* Is it an IPv4 header without options, of an unfragmented UDP datagram from the peer to us? */
static bool ipv4_is_for_us(const struct net_link *link, const uint8_t *frame, size_t size)
{
    uint32_t total = net_get16(frame + IPV4_TOTAL_LENGTH);

    return frame[IPV4_VERSION] == IPV4_VERSION_AND_LENGTH && total >= NET_IPV4_BYTES + NET_UDP_BYTES &&
           total <= size - NET_ETHERNET_BYTES && (net_get16(frame + IPV4_FRAGMENT) & IPV4_FRAGMENT_MASK) == 0 &&
           frame[IPV4_PROTOCOL] == PROTOCOL_UDP && net_get32(frame + IPV4_SOURCE) == link->peer &&
           net_get32(frame + IPV4_DESTINATION) == link->ip;
}

/* Check both checksums in one pass over the adjacent headers and payload. An undamaged IPv4 header contributes FFFFH,
 * which is 0 in this arithmetic. */
static bool is_undamaged(const uint8_t *frame, uint32_t udp_bytes)
{
    uint32_t bytes = NET_IPV4_BYTES, sum = 0;

    if (net_get16(frame + UDP_CHECKSUM) != 0) { /* else the sender computed none */
        bytes += udp_bytes;
        sum = sum_pseudo_header(frame, udp_bytes);
    }
    return checksum_fold(sum_words(frame + NET_ETHERNET_BYTES, bytes, sum)) == 0xffff;
}

static bool udp_is_for_us(const struct net_link *link, const uint8_t *frame)
{
    uint32_t udp_bytes = net_get16(frame + UDP_LENGTH);

    return udp_bytes >= NET_UDP_BYTES && udp_bytes <= net_get16(frame + IPV4_TOTAL_LENGTH) - NET_IPV4_BYTES &&
           net_get16(frame + UDP_SOURCE_PORT) == link->port && net_get16(frame + UDP_DESTINATION_PORT) == link->port &&
           is_undamaged(frame, udp_bytes);
}

enum net_kind net_receive(struct net_link *link, const uint8_t *frame, size_t size, uint8_t *reply,
                          const uint8_t **payload, size_t *payload_bytes)
{
    if (size < NET_ETHERNET_BYTES) {
        return NET_OTHER;
    }
    if (net_get16(frame + ETH_TYPE) == ETHERTYPE_ARP) {
        return receive_arp(link, frame, size, reply);
    }
    if (net_get16(frame + ETH_TYPE) != ETHERTYPE_IPV4 || size < NET_HEADERS_BYTES ||
        !ipv4_is_for_us(link, frame, size) || !udp_is_for_us(link, frame)) {
        return NET_OTHER;
    }
    *payload = frame + NET_HEADERS_BYTES;
    *payload_bytes = net_get16(frame + UDP_LENGTH) - NET_UDP_BYTES;
    return NET_DATAGRAM;
}
