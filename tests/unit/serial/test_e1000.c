/* Intel's cards, most of which no emulator has: reset, MAC address, link and rings by the rules of each family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "serial/nic/e1000_registers.h"
#include "tests/unit/serial/fake_e1000.h"
#include "tests/unit/serial/nic_checks.h"

/* One device of each kind. */
static const uint16_t kinds[] = {0x100e, 0x10d3, 0x153a, 0x15b8, 0x10c9, 0x1521, 0x1533, 0x1539, 0x15f3, 0x125c};
#define NR_KINDS (sizeof kinds / sizeof kinds[0])

static struct fake_e1000 fake;
static struct nic nic;
static uint8_t mac[6];

static const char *reset(void)
{
    nic = fake_e1000_nic(&fake);
    memset(mac, 0, sizeof mac);
    return e1000_reset(&nic, fake.card, mac);
}

static const struct nic_rings rings = {.tx_pa = 0x20000, .nr_tx = 4096, .rx_pa = 0x10000, .nr_rx = 64};

static void each_kind_comes_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        fake_e1000_set_up(&fake, kinds[i]);
        assert_null(reset());
        assert_memory_equal(mac, fake.mac, 6);
        assert_int_equal(fake.resets, 1);
        assert_int_equal(fake.registers[REG_CTRL / 4] & (CTRL_SLU | CTRL_FRCSPD | CTRL_RFCE), CTRL_SLU);
        assert_true(fake.registers[REG_RAH0 / 4] & RAH_AV);
        e1000_start(&nic, &rings);
        assert_int_equal(fake.registers[REG_RDT / 4], 63);
        nic_tail_set(nic.tx_tail, 2);
        nic_tail_set(nic.rx_tail, 1);
        assert_int_equal(fake.registers[REG_TDT / 4], 2);
        assert_int_equal(fake.registers[REG_RDT / 4], 1);
        assert_null(nic.sync_rings);
        assert_true(fake.registers[REG_RCTL / 4] & RCTL_EN);
        assert_true(fake.registers[REG_TCTL / 4] & TCTL_EN);
        e1000_stop(&nic);
        assert_int_equal(fake.resets, 2);
        assert_false(fake.registers[REG_RCTL / 4] & RCTL_EN);
    }
}

static void rings_above_4_gib(void **state)
{
    (void)state;
    fake_e1000_set_up(&fake, 0x15f3);
    assert_null(reset());
    e1000_start(&nic, &(struct nic_rings){.tx_pa = 0x1234567000, .nr_tx = 64, .rx_pa = 0x10000, .nr_rx = 64});
    assert_int_equal(fake.registers[REG_TDBAL / 4], 0x34567000);
    assert_int_equal(fake.registers[REG_TDBAH / 4], 0x12);
    assert_int_equal(fake.registers[REG_TDLEN / 4], 1024);
}

/* A card with advanced transmit descriptors has advanced receive descriptors too: QEMU's 82576 supports only these. */
static void descriptors_by_family(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        fake_e1000_set_up(&fake, kinds[i]);
        assert_null(reset());
        e1000_start(&nic, &rings);
        assert_int_equal(fake.registers[REG_SRRCTL / 4] != 0, e1000_is_advanced(fake.card));
    }
}

static void the_mac_comes_from_the_eeprom(void **state)
{
    static const uint16_t with[] = {0x100e, 0x10d3, 0x10c9, 0x1533}, without[] = {0x15b8, 0x15f3};
    (void)state;
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        fake_e1000_set_up(&fake, with[i]);
        fake.mac_in_ral = false;
        assert_null(reset());
        assert_memory_equal(mac, fake.mac, 6);
        assert_memory_equal(&fake.registers[REG_RAL0 / 4], fake.mac, 4);
    }
    for (unsigned i = 0; i < sizeof without / sizeof without[0]; i++) {
        fake_e1000_set_up(&fake, without[i]);
        fake.mac_in_ral = false;
        assert_string_equal(reset(), "has no MAC address");
    }
    fake_e1000_set_up(&fake, 0x100e);
    fake.mac_in_ral = false;
    memset(fake.mac, 0xff, sizeof fake.mac); /* an EEPROM that was never written */
    assert_string_equal(reset(), "has no MAC address");
}

static void read_state_changes_nothing(void **state)
{
    (void)state;
    fake_e1000_set_up(&fake, 0x15b8);
    assert_null(reset());
    check_read_state(&(struct nic_check){&nic, fake.card, fake.mac, &fake, sizeof fake, &fake.link, &fake.dead});
}

static void nothing_decodes(void **state)
{
    (void)state;
    fake_e1000_set_up(&fake, 0x15b8);
    fake.dead = true;
    assert_string_equal(reset(), "does not answer");
    assert_int_equal(fake.resets, 0);
}

static void transfers_that_never_end_hold_nothing_up(void **state)
{
    (void)state;
    fake_e1000_set_up(&fake, 0x10d3);
    fake.master_hangs = true;
    assert_null(reset());
    assert_in_range(fake.us, 1, 1000000);
}

/* Only on cards with this quirk, only after a second without a link, and only once. */
static void the_link_is_negotiated_once_more(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR_KINDS; i++) {
        fake_e1000_set_up(&fake, kinds[i]);
        const bool restarts = fake.card->quirks & E1000_RESTARTS_LINK;
        assert_null(reset());
        assert_int_equal(e1000_link_is_up(&nic, 0), !restarts);
        assert_int_equal(e1000_link_is_up(&nic, 999999), !restarts);
        assert_int_equal(fake.negotiations, 0);
        (void)e1000_link_is_up(&nic, 1000000);
        assert_true(e1000_link_is_up(&nic, 1000001));
        assert_int_equal(fake.negotiations, restarts ? 1 : 0);
    }
    fake_e1000_set_up(&fake, 0x1533);
    fake.link = false; /* no cable: no further restarts */
    assert_null(reset());
    for (uint64_t us = 0; us < 10000000; us += 250000)
        assert_false(e1000_link_is_up(&nic, us));
    assert_int_equal(fake.negotiations, 1);
}

static uint32_t bytes_of(uint64_t written_back, const struct e1000_rx_format *format)
{
    const struct e1000_rx_descriptor rx = {.written_back = written_back};

    return e1000_rx_bytes(&rx, format);
}

/* The write-back of a packet of 60 bytes, a damaged one and a partial one: 8254x manual, table 3-1, and 82576
 * datasheet. */
static void what_is_written_back(void **state)
{
    (void)state;
    const struct e1000_rx_format legacy = E1000_RX_LEGACY, advanced = E1000_RX_ADVANCED;
    const uint64_t dd = 1ull << 32, eop = 2ull << 32;
    assert_int_equal(bytes_of(60 | dd | eop, &legacy), 60);
    assert_int_equal(bytes_of(60 | dd | eop | 1ull << 40, &legacy), 0);
    assert_int_equal(bytes_of(2048 | dd, &legacy), 0);
    assert_int_equal(bytes_of(2049 | dd | eop, &legacy), 0);
    assert_int_equal(bytes_of(60ull << 32 | 3, &advanced), 60);
    assert_int_equal(bytes_of(60ull << 32 | 3 | 1u << 31, &advanced), 0);
    assert_int_equal(bytes_of(60ull << 32 | 1, &advanced), 0);
    assert_int_equal(bytes_of(60ull << 32 | 3 | 1u << 29, &advanced), 60); /* a checksum error: we check in software */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_comes_up),
        cmocka_unit_test(rings_above_4_gib),
        cmocka_unit_test(descriptors_by_family),
        cmocka_unit_test(the_mac_comes_from_the_eeprom),
        cmocka_unit_test(read_state_changes_nothing),
        cmocka_unit_test(nothing_decodes),
        cmocka_unit_test(transfers_that_never_end_hold_nothing_up),
        cmocka_unit_test(the_link_is_negotiated_once_more),
        cmocka_unit_test(what_is_written_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
