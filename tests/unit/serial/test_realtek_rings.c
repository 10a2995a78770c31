/* Realtek's cards: copying descriptors between the rings. Emulators have only the 8139C+. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "serial/net/net.h"
#include "tests/unit/serial/realtek_fixture.h"

static void must_have_sent(uint32_t number, uint32_t payload_bytes)
{
    assert_int_equal(fixture_card.packet_bytes, HEADERS_BYTES + payload_bytes);
    for (uint32_t i = 0; i < HEADERS_BYTES; i++)
        assert_int_equal(fixture_card.packet[i], number & 0x7f);
    for (uint32_t i = 0; i < payload_bytes; i++)
        assert_int_equal(fixture_card.packet[HEADERS_BYTES + i], (uint8_t)(PAYLOAD_AT + number % 97 + i));
}

static bool doorbell_rang(void)
{
    const uint32_t at = fixture_card.card->family == REALTEK_8139   ? 0xd9
                        : fixture_card.card->family == REALTEK_8125 ? 0x90
                                                                    : 0x38;
    const bool rang = fixture_card.registers[at] == (fixture_card.card->family == REALTEK_8125 ? 1 : 0x40);
    fixture_card.registers[at] = 0;
    return rang;
}

/* More packets than the ring holds, of all sizes, also those too small for a descriptor: none is lost or repeated. */
static void packets_go_out(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        uint32_t sent = 0;
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_start();
        for (uint32_t round = 0; sent < 5000; round++) {
            for (uint32_t n = 0; n < 40 + round % 7; n++)
                fixture_put((fixture_head * 7) % 1441, true);
            realtek_sync_rings(&fixture_nic);
            assert_true(doorbell_rang());
            while (fixture_head - sent > 20 && fake_realtek_send(&fixture_card)) {
                must_have_sent(sent, (sent * 7) % 1441);
                sent++;
            }
            realtek_sync_rings(&fixture_nic);
        }
        while (sent != fixture_head) {
            while (fake_realtek_send(&fixture_card)) {
                must_have_sent(sent, (sent * 7) % 1441);
                sent++;
            }
            (void)doorbell_rang();
            realtek_sync_rings(&fixture_nic);
        }
        assert_false(doorbell_rang()); /* nothing is left */
    }
}

/* Exactly the sent packets are marked as done. */
static void sent_packets_are_marked(void **state)
{
    (void)state;
    fake_realtek_set_up(&fixture_card, 0x8139, 0x748);
    fixture_start();
    for (uint32_t n = 0; n < 100; n++)
        fixture_put(100, true);
    realtek_sync_rings(&fixture_nic);
    for (uint32_t n = 0; n < 5; n++)
        assert_true(fake_realtek_send(&fixture_card));
    realtek_sync_rings(&fixture_nic);
    for (uint32_t n = 0; n < 100; n++)
        assert_int_equal((fixture_tx(2 * n + 1)->high & E1000_TX_DD) != 0, n < 5);
}

/* The card gets no more packets than its ring holds. The others follow when it has sent some. */
static void a_full_ring_waits(void **state)
{
    (void)state;
    fake_realtek_set_up(&fixture_card, 0x8139, 0x748);
    fixture_start();
    for (uint32_t n = 0; n < 50; n++)
        fixture_put(100, true);
    realtek_sync_rings(&fixture_nic);
    uint32_t sent = 0;
    while (fake_realtek_send(&fixture_card))
        sent++;
    assert_int_equal(sent, REALTEK_8139_DESCRIPTORS / 2);
    realtek_sync_rings(&fixture_nic);
    while (fake_realtek_send(&fixture_card))
        sent++;
    assert_int_equal(sent, 50);
}

/* The position of the request for checksums; a packet without offload has no request. */
static void checksums_are_requested(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        const bool first =
            fixture_kinds[i].device == 0x8139 || fixture_kinds[i].device == 0x8136 || fixture_kinds[i].xid == 0x380;
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_start();
        fixture_put(100, true);
        fixture_put(100, false);
        realtek_sync_rings(&fixture_nic);
        assert_true(fake_realtek_send(&fixture_card));
        assert_int_equal(fixture_card.packet_options >> 16 & 7, first ? 6 : 0); /* IP, UDP */
        assert_int_equal(fixture_card.packet_options >> 32,
                         first ? 0 : 0xa0000000 | 34u << 18); /* UDP, IPv4, offset of the UDP header */
        assert_true(fake_realtek_send(&fixture_card));
        assert_int_equal(fixture_card.packet_options & (0xffffffff00000000 | 7u << 16), 0);
    }
}

static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum >> 16) + (sum & 0xffff);
    return sum;
}

/* No chip computes checksums for large frames. IPv4's is correct, UDP's is 0. Other packets are unchanged. A
 * retransmission gives the same packet. */
static void large_frames(void **state)
{
    const struct net_link link = {.ip = 0x0a00020f, .peer = 0x0a000202, .port = 21845};
    (void)state;
    for (unsigned i = 2; i < FIXTURE_KINDS; i++) {
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        assert_null(fixture_reset());
        fixture_card.mtu = fixture_nic.driver->max_mtu(&fixture_nic);
        fixture_start();
        for (uint32_t n = 0; n < 6; n++) {
            const uint32_t bytes = n == 4 ? 3 : fixture_card.mtu - 60u - n % 2 * 8;
            const uint64_t headers_pa = HEADERS_AT + n * 128 + 6;
            fixture_put(bytes, n != 5);
            net_headers_build(fixture_card.memory + headers_pa, &link);
            net_headers_set_length(fixture_card.memory + headers_pa, net_pseudo_header_sum(&link), 32 + bytes);
            if (n == 3) /* a retransmission from the same buffer */
                fixture_card.memory[headers_pa + NIC_IPV4_CHECKSUM_AT] = 0x55;
            realtek_sync_rings(&fixture_nic);
            assert_true(fake_realtek_send(&fixture_card));
            assert_int_equal(fixture_card.packet_bytes, HEADERS_BYTES + bytes);
            if (n == 5) {
                assert_int_equal(
                    fixture_card.packet[NIC_IPV4_CHECKSUM_AT] | fixture_card.packet[NIC_IPV4_CHECKSUM_AT + 1], 0);
                continue;
            }
            assert_int_equal(sum_of(fixture_card.packet + NET_ETHERNET_BYTES, NET_IPV4_BYTES), 0xffff);
            assert_int_equal(fixture_card.packet[NIC_UDP_CHECKSUM_AT] | fixture_card.packet[NIC_UDP_CHECKSUM_AT + 1],
                             0);
            for (uint32_t k = 0; k < bytes; k++)
                assert_int_equal(fixture_card.packet[HEADERS_BYTES + k], (uint8_t)(PAYLOAD_AT + n % 97 + k));
        }
    }
}

static uint32_t received(uint32_t index)
{
    const struct e1000_rx_format format = E1000_RX_LEGACY;
    assert_true(fixture_rx(index)->written_back & format.dd);
    return e1000_rx_bytes(fixture_rx(index), &format);
}

static void packets_come_in(void **state)
{
    static const uint8_t bytes[2000] = {1, 2, 3};
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        const bool old = fixture_kinds[i].device == 0x8139;
        const uint64_t whole = REALTEK_FS | REALTEK_LS, error = old ? REALTEK_RX_ERROR_8139 : REALTEK_RX_ERROR;
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_start();
        realtek_sync_rings(&fixture_nic);
        assert_int_equal(fixture_rx(0)->written_back, 0);
        for (uint32_t n = 0; n < 200; n += 5) {
            assert_true(fake_realtek_receive(&fixture_card, bytes, 60 + n, whole | 1u << 25));
            assert_true(fake_realtek_receive(&fixture_card, bytes, 60, whole | error));
            assert_true(fake_realtek_receive(&fixture_card, bytes, 1514, whole));
            assert_true(fake_realtek_receive(&fixture_card, bytes, 2000, REALTEK_FS));
            assert_true(fake_realtek_receive(&fixture_card, bytes, 0, whole));
            realtek_sync_rings(&fixture_nic);
            const uint32_t expected[] = {60 + n, 0, 1514, 0, 0};
            for (uint32_t k = 0; k < 5; k++) {
                assert_int_equal(received(n + k), expected[k]);
                fixture_rx(n + k)->written_back = 0;
            }
        }
    }
}

/* A descriptor returns to the card only after its packet was processed. */
static void unread_packets_stay(void **state)
{
    uint8_t bytes[64] = {0};
    (void)state;
    fake_realtek_set_up(&fixture_card, 0x8168, 0x541);
    fixture_start();
    for (uint32_t n = 0; n < NR_RX; n++) {
        bytes[0] = (uint8_t)n;
        assert_true(fake_realtek_receive(&fixture_card, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
        realtek_sync_rings(&fixture_nic);
    }
    assert_false(fake_realtek_receive(&fixture_card, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
    for (uint32_t n = 0; n < NR_RX; n++)
        assert_int_equal(fixture_card.memory[BUFFERS_AT + n * E1000_RX_BUFFER_BYTES], n);
    fixture_rx(0)->written_back = 0;
    realtek_sync_rings(&fixture_nic);
    assert_true(fake_realtek_receive(&fixture_card, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
    assert_false(fake_realtek_receive(&fixture_card, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_go_out),      cmocka_unit_test(sent_packets_are_marked),
        cmocka_unit_test(a_full_ring_waits),   cmocka_unit_test(checksums_are_requested),
        cmocka_unit_test(large_frames),        cmocka_unit_test(packets_come_in),
        cmocka_unit_test(unread_packets_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
