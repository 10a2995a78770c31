/*
 * A flood of packets: udp_receive, which runs under the sink's lock, ends after one ring of them, although the card has
 * delivered more by then, and sends one ARP reply. The real code, with the network as a fake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "serial/net/udp_sink.h"
#include "serial/net/udp_state.h"

#define OURS 0x0a000002u
#define PACKETS_MAX 100000u /* the fake ends a flood that is not bounded */

static struct e1000_rx_descriptor ring[UDP_RX_SLOTS];
static uint8_t buffers[UDP_RX_SLOTS][E1000_RX_BUFFER_BYTES];
static uint32_t tail, arp_replies, arrived;
static struct udp_sink *udp;

void udp_push(struct udp_sink *s, uint64_t now)
{
    (void)s;
    (void)now;
}

void udp_send_arp(struct udp_sink *s, const uint8_t frame[NET_ARP_FRAME_BYTES])
{
    (void)s;
    assert_int_equal(frame[21], 2); /* a reply */
    arp_replies++;
}

void udp_lease_act(struct udp_sink *s, uint64_t now)
{
    (void)s;
    (void)now;
}

/* Each packet that is neither ARP nor ours comes here while an address is requested: the card fills a descriptor at
 * once. */
static void deliver_packet(void);

void udp_lease_take(struct udp_sink *s, const uint8_t *frame, size_t size)
{
    (void)s;
    (void)frame;
    (void)size;
    deliver_packet();
}

static void fill(uint32_t index, const uint8_t *frame, uint16_t size)
{
    memcpy(buffers[index], frame, size);
    ring[index].written_back = (uint64_t)3 << 32 | size; /* DD, EOP */
    arrived++;
}

static void deliver_packet(void)
{
    static const uint8_t other[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xcc};
    for (uint32_t i = 0; i < 2 && arrived < PACKETS_MAX; i++)
        fill(arrived % UDP_RX_SLOTS, other, sizeof other);
}

static void arp_request(uint8_t frame[60])
{
    memset(frame, 0, 60);
    memset(frame, 0xff, 6);
    frame[6] = 2;
    memcpy(frame + 12, (const uint8_t[]){8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2}, 11);
    memcpy(frame + 28, (const uint8_t[]){10, 0, 0, 9}, 4);
    memcpy(frame + 38, (const uint8_t[]){10, 0, 0, 2}, 4);
}

static int setup(void **state)
{
    (void)state;
    memset(ring, 0, sizeof ring);
    tail = arp_replies = arrived = 0;
    udp = calloc(1, sizeof *udp);
    assert_non_null(udp);
    udp->rx = ring;
    udp->rx_buffers = buffers[0];
    udp->rx_format = E1000_RX_LEGACY;
    udp->nic.rx_tail = &tail;
    udp->link.ip = OURS;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(udp);
    return 0;
}

static void ends_after_one_ring(void **state)
{
    (void)state;
    udp->lease.is_requesting = true;
    deliver_packet();
    udp_receive(udp, 0);
    assert_int_equal(udp->rx_next, UDP_RX_SLOTS);
    assert_int_equal(tail, UDP_RX_SLOTS - 1);
    udp_receive(udp, 0); /* the next call continues there */
    assert_int_equal(udp->rx_next, 2 * UDP_RX_SLOTS);
}

static void one_reply_for_a_ring_of_requests(void **state)
{
    uint8_t request[60];
    (void)state;
    arp_request(request);
    for (uint32_t i = 0; i < UDP_RX_SLOTS - 1; i++)
        fill(i, request, sizeof request);
    udp_receive(udp, 0);
    assert_int_equal(udp->rx_next, UDP_RX_SLOTS - 1);
    assert_int_equal(arp_replies, 1);
    fill(UDP_RX_SLOTS - 1, request, sizeof request);
    udp_receive(udp, 0);
    assert_int_equal(arp_replies, 2);
}

#include "serial/net/udp_auth.c"
#include "serial/net/udp_sink.c" /* shell, which is linked into the hypervisor only */

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(ends_after_one_ring), TEST(one_reply_for_a_ring_of_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
