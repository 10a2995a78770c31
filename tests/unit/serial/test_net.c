/* Ethernet, ARP, IPv4 and UDP, compared with headers and checksums computed independently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serial/net/net.h"
#include "serial/nic/nic.h"

static const struct net_link link_to_peer = {.mac = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56},
                                             .peer_mac = {0x52, 0x55, 0x0a, 0x00, 0x02, 0x02},
                                             .ip = 0x0a00020f,
                                             .peer = 0x0a000202,
                                             .port = 21845};

/* From the peer to us: UDP 21845 -> 21845, payload "hello". */
static const uint8_t from_peer[] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56, 0x52, 0x55, 0x0a, 0x00, 0x02, 0x02,
                                    0x08, 0x00, 0x45, 0x00, 0x00, 0x21, 0x00, 0x07, 0x00, 0x00, 0x40, 0x11,
                                    0x62, 0xb5, 0x0a, 0x00, 0x02, 0x02, 0x0a, 0x00, 0x02, 0x0f, 0x55, 0x55,
                                    0x55, 0x55, 0x00, 0x0d, 0xf9, 0x46, 'h',  'e',  'l',  'l',  'o',  0,
                                    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

static uint32_t word_sum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    while (sum >> 16 != 0) {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    return sum;
}

/* The NIC's checksum offload: the inverted sum from the UDP header on replaces the initial value. */
static void datagram_is_what_the_nic_expects(void **state)
{
    static const uint8_t expected[NET_HEADERS_BYTES] = {
        0x52, 0x55, 0x0a, 0x00, 0x02, 0x02, 0x52, 0x54, 0x00, 0x12, 0x34, 0x56, 0x08, 0x00,
        0x45, 0x00, 0x00, 0x21, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 0x0a, 0x00,
        0x02, 0x0f, 0x0a, 0x00, 0x02, 0x02, 0x55, 0x55, 0x55, 0x55, 0x00, 0x0d, 0x18, 0x2f};
    uint8_t frame[NET_HEADERS_BYTES + 5], pseudo[12 + 13];
    uint32_t checksum;

    (void)state;
    net_headers_build(frame, &link_to_peer);
    net_headers_set_length(frame, net_pseudo_header_sum(&link_to_peer), 5);
    assert_memory_equal(frame, expected, sizeof(expected));
    memcpy(frame + NET_HEADERS_BYTES, "hello", 5);

    checksum = ~word_sum(frame + NIC_UDP_AT, NET_UDP_BYTES + 5) & 0xffff;
    frame[NIC_UDP_CHECKSUM_AT] = (uint8_t)(checksum >> 8);
    frame[NIC_UDP_CHECKSUM_AT + 1] = (uint8_t)checksum;
    memcpy(pseudo, frame + 26, 8);
    memcpy(pseudo + 8, (const uint8_t[]){0, 17, 0, 13}, 4);
    memcpy(pseudo + 12, frame + NIC_UDP_AT, 13);
    assert_int_equal(word_sum(pseudo, sizeof(pseudo)), 0xffff);
}

static void lengths_can_be_set_again(void **state)
{
    const uint16_t sum = net_pseudo_header_sum(&link_to_peer);
    uint8_t once[NET_HEADERS_BYTES], twice[NET_HEADERS_BYTES];

    (void)state;
    net_headers_build(once, &link_to_peer);
    net_headers_build(twice, &link_to_peer);
    net_headers_set_length(twice, sum, 16082);
    net_headers_set_length(once, sum, 1472);
    net_headers_set_length(twice, sum, 1472);
    assert_memory_equal(once, twice, sizeof(once));
}

static enum net_kind receive(const uint8_t *frame, size_t size)
{
    struct net_link link = link_to_peer;
    uint8_t reply[NET_ARP_FRAME_BYTES];
    const uint8_t *payload;
    size_t payload_bytes;

    return net_receive(&link, frame, size, reply, &payload, &payload_bytes);
}

static void datagram_from_the_peer(void **state)
{
    struct net_link link = link_to_peer;
    uint8_t reply[NET_ARP_FRAME_BYTES];
    const uint8_t *payload = NULL;
    size_t payload_bytes = 0;

    (void)state;
    assert_int_equal(net_receive(&link, from_peer, sizeof(from_peer), reply, &payload, &payload_bytes), NET_DATAGRAM);
    assert_int_equal(payload_bytes, 5);
    assert_memory_equal(payload, "hello", 5);
}

static void wrong_bits_are_found(void **state)
{
    uint8_t frame[sizeof(from_peer)];

    (void)state;
    for (size_t bit = 8 * 12; bit < 8 * (NET_HEADERS_BYTES + 5); bit++) { /* the NIC checks MAC addresses */
        memcpy(frame, from_peer, sizeof(frame));
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(receive(frame, sizeof(frame)), NET_OTHER);
    }
    for (size_t size = 0; size < NET_HEADERS_BYTES + 5; size++) {
        assert_int_equal(receive(from_peer, size), NET_OTHER);
    }
    memcpy(frame, from_peer, sizeof(frame));
    frame[NIC_UDP_CHECKSUM_AT] = frame[NIC_UDP_CHECKSUM_AT + 1] = 0;
    assert_int_equal(receive(frame, sizeof(frame)), NET_DATAGRAM);
}

/* Random frames: the sanitizer detects reads beyond the frame, and an accepted payload lies within the frame. */
static void random_frames(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct net_link link = link_to_peer;
        uint8_t reply[NET_ARP_FRAME_BYTES];
        const uint8_t *payload = NULL;
        size_t payload_bytes = 0, size;
        uint8_t *frame;

        random = random * 1664525 + 1013904223;
        size = (random >> 16) % (sizeof(from_peer) + 1);
        frame = malloc(size + 1); /* malloc(0) may return NULL */
        assert_non_null(frame);
        memcpy(frame + 1, from_peer, size);
        for (unsigned i = 0; i < round % 4 && size > 0; i++) {
            random = random * 1664525 + 1013904223;
            frame[1 + (random >> 8) % size] = (uint8_t)(random >> 24);
        }
        if (net_receive(&link, frame + 1, size, reply, &payload, &payload_bytes) == NET_DATAGRAM) {
            assert_true(payload >= frame + 1 && payload + payload_bytes <= frame + 1 + size);
        }
        free(frame);
    }
}

static void arp(void **state)
{
    struct net_link us = link_to_peer;
    struct net_link peer = {.ip = us.peer, .peer = us.ip, .port = us.port};
    uint8_t request[NET_ARP_FRAME_BYTES], reply[NET_ARP_FRAME_BYTES], ignored[NET_ARP_FRAME_BYTES];
    const uint8_t *payload;
    size_t payload_bytes;

    (void)state;
    memcpy(peer.mac, us.peer_mac, NET_MAC_BYTES);
    memset(us.peer_mac, 0, NET_MAC_BYTES);
    net_arp_request(request, &us);
    assert_memory_equal(request, "\xff\xff\xff\xff\xff\xff\x52\x54\x00\x12\x34\x56\x08\x06\x00\x01\x08\x00\x06\x04",
                        20);
    assert_int_equal(net_receive(&peer, request, sizeof(request), reply, &payload, &payload_bytes), NET_ARP_REQUEST);
    assert_memory_equal(reply, us.mac, NET_MAC_BYTES);
    assert_int_equal(net_receive(&us, reply, sizeof(reply), ignored, &payload, &payload_bytes), NET_OTHER);
    us.asks = true; /* only then */
    assert_int_equal(net_receive(&us, reply, sizeof(reply), ignored, &payload, &payload_bytes), NET_ARP_REPLY);
    assert_memory_equal(us.peer_mac, peer.mac, NET_MAC_BYTES);
    assert_false(us.asks);
    us.asks = true;

    reply[31] ^= 1; /* the sender's IPv4 address: another host's answer */
    memset(us.peer_mac, 0, NET_MAC_BYTES);
    assert_int_equal(net_receive(&us, reply, sizeof(reply), ignored, &payload, &payload_bytes), NET_OTHER);
    request[41] ^= 1; /* the target's IPv4 address: not for us */
    assert_int_equal(net_receive(&peer, request, sizeof(request), ignored, &payload, &payload_bytes), NET_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagram_is_what_the_nic_expects),
        cmocka_unit_test(lengths_can_be_set_again),
        cmocka_unit_test(datagram_from_the_peer),
        cmocka_unit_test(wrong_bits_are_found),
        cmocka_unit_test(random_frames),
        cmocka_unit_test(arp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
