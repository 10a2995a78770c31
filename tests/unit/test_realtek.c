/* Realtek's cards, of which all but the 8139C+ have no emulator: reset, MAC address and link by the chips' rules, and
 * what goes from ring to ring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "serial/net.h"
#include "tests/unit/fake_realtek.h"

/* One of each kind: device, XID. */
static const struct {
    uint16_t device, xid;
} kinds[] = {{0x8139, 0x748}, {0x8136, 0x340}, {0x8168, 0x380}, {0x8168, 0x3c0}, {0x8168, 0x281},
             {0x8168, 0x2c8}, {0x8168, 0x480}, {0x8168, 0x288}, {0x8168, 0x28b}, {0x8168, 0x2c1},
             {0x8168, 0x4c0}, {0x8168, 0x541}, {0x8125, 0x609}, {0x8125, 0x641}, {0x8125, 0x689}};
#define NR_KINDS (sizeof kinds / sizeof kinds[0])

/* Where things lie in the fake's memory. */
#define OWN_AT 0x1000u
#define TX_AT 0x10000u
#define RX_AT 0x30000u
#define HEADERS_AT 0x40000u
#define PAYLOAD_AT 0x60000u
#define BUFFERS_AT 0x80000u
#define NR_TX 4096u /* descriptors, two a packet */
#define NR_RX 64u
#define HEADERS_BYTES 74u

static struct fake_realtek fake;
static struct nic nic;
static uint8_t mac[6];
static uint32_t head; /* packets put into the ring */

static struct e1000_tx_descriptor *tx(uint32_t index)
{
    return (struct e1000_tx_descriptor *)(void *)(fake.memory + TX_AT) + index % NR_TX;
}

static struct e1000_rx_descriptor *rx(uint32_t index)
{
    return (struct e1000_rx_descriptor *)(void *)(fake.memory + RX_AT) + index % NR_RX;
}

static const char *reset(void)
{
    nic = fake_realtek_nic(&fake);
    memset(mac, 0, sizeof mac);
    return realtek_reset(&nic, fake.card, mac);
}

static void start(void)
{
    assert_null(reset());
    assert_true(nic.driver->max_mtu(&nic) >= fake.mtu);
    for (uint32_t i = 0; i < NR_RX; i++)
        *rx(i) = (struct e1000_rx_descriptor){.address = BUFFERS_AT + i * E1000_RX_BUFFER_BYTES};
    realtek_start(&nic, &(struct nic_rings){.tx = tx(0),
                                            .rx = rx(0),
                                            .tx_pa = TX_AT,
                                            .rx_pa = RX_AT,
                                            .nr_tx = NR_TX,
                                            .nr_rx = NR_RX,
                                            .mtu = fake.mtu,
                                            .own = fake.memory + OWN_AT,
                                            .own_pa = OWN_AT,
                                            .memory = fake.memory});
    head = 0;
}

/* A packet as serial/udp_send.c makes it: headers in a place of 128 bytes, a payload elsewhere. Bytes tell the packet.
 */
static void put(uint32_t payload_bytes, bool sums)
{
    const uint64_t headers_pa = HEADERS_AT + head % 512 * 128 + 6, payload_pa = PAYLOAD_AT + head % 97;
    memset(fake.memory + headers_pa, (int)(head & 0x7f), HEADERS_BYTES);
    for (uint32_t i = 0; i < payload_bytes; i++)
        fake.memory[payload_pa + i] = (uint8_t)(payload_pa + i);
    *tx(2 * head) =
        (struct e1000_tx_descriptor){headers_pa, HEADERS_BYTES | (sums ? E1000_TX_IXSM | E1000_TX_TXSM : 0)};
    *tx(2 * head + 1) = (struct e1000_tx_descriptor){payload_pa, payload_bytes | E1000_TX_EOP};
    nic_give(nic.tx_tail, 2 * ++head % NR_TX);
}

static void must_have_sent(uint32_t number, uint32_t payload_bytes)
{
    assert_int_equal(fake.packet_bytes, HEADERS_BYTES + payload_bytes);
    for (uint32_t i = 0; i < HEADERS_BYTES; i++)
        assert_int_equal(fake.packet[i], number & 0x7f);
    for (uint32_t i = 0; i < payload_bytes; i++)
        assert_int_equal(fake.packet[HEADERS_BYTES + i], (uint8_t)(PAYLOAD_AT + number % 97 + i));
}

static bool doorbell_rang(void)
{
    const uint32_t at = fake.card->family == REALTEK_8139 ? 0xd9 : fake.card->family == REALTEK_8125 ? 0x90 : 0x38;
    const bool rang = fake.registers[at] == (fake.card->family == REALTEK_8125 ? 1 : 0x40);
    fake.registers[at] = 0;
    return rang;
}

static void each_kind_comes_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        start();
        assert_memory_equal(mac, fake.mac, 6);
        assert_memory_equal(fake.registers, fake.mac, 6);
        assert_int_equal(fake.resets, 1);
        assert_true(realtek_link_is_up(&nic, 0));
        assert_int_equal(fake.registers[REALTEK_COMMAND], REALTEK_COMMAND_TX | REALTEK_COMMAND_RX);
        assert_int_equal(fake.registers[REALTEK_RXCONFIG] & REALTEK_RX_ACCEPT, REALTEK_RX_BROADCAST | REALTEK_RX_MINE);
        assert_int_equal(fake.registers[REALTEK_9346CR], 0);
        realtek_stop(&nic);
        assert_int_equal(fake.resets, 2);
        assert_in_range(fake.us, 1, 1000000);
    }
}

/* More than a ring of packets, none lost, none twice, all sizes, those included that a descriptor may not have. */
static void packets_go_out(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        uint32_t sent = 0;
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        start();
        for (uint32_t round = 0; sent < 5000; round++) {
            for (uint32_t n = 0; n < 40 + round % 7; n++)
                put((head * 7) % 1441, true);
            realtek_carry(&nic);
            assert_true(doorbell_rang());
            while (head - sent > 20 && fake_realtek_send(&fake)) {
                must_have_sent(sent, (sent * 7) % 1441);
                sent++;
            }
            realtek_carry(&nic);
        }
        while (sent != head) {
            while (fake_realtek_send(&fake)) {
                must_have_sent(sent, (sent * 7) % 1441);
                sent++;
            }
            (void)doorbell_rang();
            realtek_carry(&nic);
        }
        assert_false(doorbell_rang()); /* nothing is left */
    }
}

/* What is sent is marked so; what is not, is not. */
static void sent_packets_are_marked(void **state)
{
    (void)state;
    fake_realtek_set_up(&fake, 0x8139, 0x748);
    start();
    for (uint32_t n = 0; n < 100; n++)
        put(100, true);
    realtek_carry(&nic);
    for (uint32_t n = 0; n < 5; n++)
        assert_true(fake_realtek_send(&fake));
    realtek_carry(&nic);
    for (uint32_t n = 0; n < 100; n++)
        assert_int_equal((tx(2 * n + 1)->high & E1000_TX_DD) != 0, n < 5);
}

/* No more than the card's ring holds is its; what waits goes on when it has sent. */
static void a_full_ring_waits(void **state)
{
    (void)state;
    fake_realtek_set_up(&fake, 0x8139, 0x748);
    start();
    for (uint32_t n = 0; n < 50; n++)
        put(100, true);
    realtek_carry(&nic);
    uint32_t sent = 0;
    while (fake_realtek_send(&fake))
        sent++;
    assert_int_equal(sent, REALTEK_8139_DESCRIPTORS / 2);
    realtek_carry(&nic);
    while (fake_realtek_send(&fake))
        sent++;
    assert_int_equal(sent, 50);
}

/* Where the request for checksums stands; a packet without one has none. */
static void checksums_are_asked_for(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        const bool first = kinds[i].device == 0x8139 || kinds[i].device == 0x8136 || kinds[i].xid == 0x380;
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        start();
        put(100, true);
        put(100, false);
        realtek_carry(&nic);
        assert_true(fake_realtek_send(&fake));
        assert_int_equal(fake.packet_options >> 16 & 7, first ? 6 : 0); /* IP, UDP */
        assert_int_equal(fake.packet_options >> 32,
                         first ? 0 : 0xa0000000 | 34u << 18); /* UDP, IPv4, where it begins */
        assert_true(fake_realtek_send(&fake));
        assert_int_equal(fake.packet_options & (0xffffffff00000000 | 7u << 16), 0);
    }
}

/* What each chip sends at most: of the 8168's line by what Linux's driver lets through. */
static void the_largest_frames(void **state)
{
    static const uint16_t most[NR_KINDS] = {[0] = 1500, [1] = 1500, [2] = 4074, [3] = 6122};
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        assert_null(reset());
        assert_int_equal(nic.driver->max_mtu(&nic), most[i] ? most[i] : 9000);
        assert_true(nic.driver->max_mtu(&nic) <= fake.card->max_mtu);
    }
    fake_realtek_set_up(&fake, 0x8168, 0x300);
    assert_null(reset());
    assert_int_equal(nic.driver->max_mtu(&nic), 1500);
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

/* Large frames: no chip sums them up. IPv4's sum is right, UDP's is left out; what is no datagram stays as it is. Sent
 * twice, as from the window, it is the same. */
static void large_frames(void **state)
{
    const struct net_link link = {.ip = 0x0a00020f, .peer = 0x0a000202, .port = 21845};
    (void)state;
    for (unsigned i = 2; i < NR_KINDS; i++) {
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        assert_null(reset());
        fake.mtu = nic.driver->max_mtu(&nic);
        start();
        for (uint32_t n = 0; n < 6; n++) {
            const uint32_t bytes = n == 4 ? 3 : fake.mtu - 60u - n % 2 * 8;
            const uint64_t headers_pa = HEADERS_AT + n * 128 + 6;
            put(bytes, n != 5);
            net_headers_build(fake.memory + headers_pa, &link);
            net_headers_set_length(fake.memory + headers_pa, net_pseudo_header_sum(&link), 32 + bytes);
            if (n == 3) /* once more, out of the same place */
                fake.memory[headers_pa + NET_IPV4_CHECKSUM_AT] = 0x55;
            realtek_carry(&nic);
            assert_true(fake_realtek_send(&fake));
            assert_int_equal(fake.packet_bytes, HEADERS_BYTES + bytes);
            if (n == 5) {
                assert_int_equal(fake.packet[NET_IPV4_CHECKSUM_AT] | fake.packet[NET_IPV4_CHECKSUM_AT + 1], 0);
                continue;
            }
            assert_int_equal(sum_of(fake.packet + NET_ETHERNET_BYTES, NET_IPV4_BYTES), 0xffff);
            assert_int_equal(fake.packet[NET_UDP_CHECKSUM_AT] | fake.packet[NET_UDP_CHECKSUM_AT + 1], 0);
            for (uint32_t k = 0; k < bytes; k++)
                assert_int_equal(fake.packet[HEADERS_BYTES + k], (uint8_t)(PAYLOAD_AT + n % 97 + k));
        }
    }
}

static uint32_t received(uint32_t index)
{
    const struct e1000_rx_format format = E1000_RX_LEGACY;
    assert_true(rx(index)->written_back & format.dd);
    return e1000_rx_bytes(rx(index), &format);
}

static void packets_come_in(void **state)
{
    static const uint8_t bytes[2000] = {1, 2, 3};
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        const bool old = kinds[i].device == 0x8139;
        const uint64_t whole = REALTEK_FS | REALTEK_LS, error = old ? REALTEK_RX_ERROR_8139 : REALTEK_RX_ERROR;
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        start();
        realtek_carry(&nic);
        assert_int_equal(rx(0)->written_back, 0);
        for (uint32_t n = 0; n < 200; n += 5) {
            assert_true(fake_realtek_receive(&fake, bytes, 60 + n, whole | 1u << 25));
            assert_true(fake_realtek_receive(&fake, bytes, 60, whole | error));
            assert_true(fake_realtek_receive(&fake, bytes, 1514, whole));
            assert_true(fake_realtek_receive(&fake, bytes, 2000, REALTEK_FS));
            assert_true(fake_realtek_receive(&fake, bytes, 0, whole));
            realtek_carry(&nic);
            const uint32_t expected[] = {60 + n, 0, 1514, 0, 0};
            for (uint32_t k = 0; k < 5; k++) {
                assert_int_equal(received(n + k), expected[k]);
                rx(n + k)->written_back = 0;
            }
        }
    }
}

/* A descriptor is the card's again only when its packet was looked at. */
static void unread_packets_stay(void **state)
{
    uint8_t bytes[64] = {0};
    (void)state;
    fake_realtek_set_up(&fake, 0x8168, 0x541);
    start();
    for (uint32_t n = 0; n < NR_RX; n++) {
        bytes[0] = (uint8_t)n;
        assert_true(fake_realtek_receive(&fake, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
        realtek_carry(&nic);
    }
    assert_false(fake_realtek_receive(&fake, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
    for (uint32_t n = 0; n < NR_RX; n++)
        assert_int_equal(fake.memory[BUFFERS_AT + n * E1000_RX_BUFFER_BYTES], n);
    rx(0)->written_back = 0;
    realtek_carry(&nic);
    assert_true(fake_realtek_receive(&fake, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
    assert_false(fake_realtek_receive(&fake, bytes, sizeof bytes, REALTEK_FS | REALTEK_LS));
}

static void what_it_does_not_do_is_said(void **state)
{
    (void)state;
    fake_realtek_set_up(&fake, 0x8168, 0x541);
    fake.dead = true;
    assert_string_equal(reset(), "does not answer");
    fake_realtek_set_up(&fake, 0x8168, 0x541);
    fake.resets_for_ever = true;
    assert_string_equal(reset(), "does not come back from its reset");
    assert_in_range(fake.us, 1, 1000000);
    fake_realtek_set_up(&fake, 0x8168, 0x541);
    memset(fake.registers, 0xff, 6);
    assert_string_equal(reset(), "has no MAC address");
    fake_realtek_set_up(&fake, 0x8168, 0x541);
    memset(fake.registers, 0, 6);
    fake.mac_after_reset = true;
    assert_null(reset());
    assert_memory_equal(mac, fake.mac, 6);
}

/* Only after a second without a link, and once. */
static void the_link_is_negotiated_once_more(void **state)
{
    (void)state;
    for (unsigned i = 1; i < NR_KINDS; i++) {
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        fake.asleep = true;
        assert_null(reset());
        assert_false(realtek_link_is_up(&nic, 999999));
        assert_int_equal(fake.negotiations, 0);
        (void)realtek_link_is_up(&nic, 1000000);
        assert_true(realtek_link_is_up(&nic, 1000001));
        fake.link = false;
        for (uint64_t us = 0; us < 10000000; us += 250000)
            assert_false(realtek_link_is_up(&nic, us));
        assert_int_equal(fake.negotiations, 1);
    }
}

static void what_firmware_left_is_looked_at(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        struct nic_look look;
        fake_realtek_set_up(&fake, kinds[i].device, kinds[i].xid);
        nic = fake_realtek_nic(&fake);
        const struct fake_realtek before = fake;
        realtek_look(&nic.access, fake.card, &look);
        assert_true(look.linked);
        assert_memory_equal(look.mac, fake.mac, 6);
        assert_memory_equal(&fake, &before, sizeof fake);
        fake.link = false;
        realtek_look(&nic.access, fake.card, &look);
        assert_false(look.linked);
        fake.dead = true;
        realtek_look(&nic.access, fake.card, &look);
        assert_false(look.linked);
    }
}

static void cards_by_their_numbers(void **state)
{
    const struct nic_card *card;
    (void)state;
    assert_string_equal(realtek_card_of(0x816810ec, 0x15)->name, "RTL8168/8111");
    assert_string_equal(realtek_card_of(0x816810ff, 0x15)->name, "RTL8168/8111");
    assert_string_equal(realtek_card_of(0x812510ec, 5)->name, "RTL8125");
    assert_string_equal(realtek_card_of(0x813910ec, 0x20)->name, "RTL8139C+");
    assert_null(realtek_card_of(0x813910ec, 0x10)); /* an 8139C */
    assert_null(realtek_card_of(0x816910ec, 0x10)); /* conventional PCI, gigabit */
    assert_null(realtek_card_of(0x81688086, 0));
    assert_null(realtek_card_of(0x000010ec, 0));
    assert_null(realtek_card_of(0xffffffff, 0xff));
    assert_ptr_equal(nic_driver_of(0x812510ec, 5, &card), &realtek_driver);
    assert_string_equal(card->name, "RTL8125");
    assert_ptr_equal(nic_driver_of(0x15b88086, 0, &card), &e1000_driver);
    assert_string_equal(card->name, "I219");
    assert_null(nic_driver_of(0x20001022, 0, &card));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_comes_up),
        cmocka_unit_test(packets_go_out),
        cmocka_unit_test(sent_packets_are_marked),
        cmocka_unit_test(a_full_ring_waits),
        cmocka_unit_test(checksums_are_asked_for),
        cmocka_unit_test(the_largest_frames),
        cmocka_unit_test(large_frames),
        cmocka_unit_test(packets_come_in),
        cmocka_unit_test(unread_packets_stay),
        cmocka_unit_test(what_it_does_not_do_is_said),
        cmocka_unit_test(the_link_is_negotiated_once_more),
        cmocka_unit_test(what_firmware_left_is_looked_at),
        cmocka_unit_test(cards_by_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
