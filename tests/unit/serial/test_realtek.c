/* Realtek's cards, of which emulators have only the 8139C+: reset, MAC address and link by the rules of each chip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/serial/nic_checks.h"
#include "tests/unit/serial/realtek_fixture.h"

static void each_kind_comes_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_start();
        assert_memory_equal(fixture_mac, fixture_card.mac, 6);
        assert_memory_equal(fixture_card.registers, fixture_card.mac, 6);
        assert_int_equal(fixture_card.resets, 1);
        assert_true(realtek_link_is_up(&fixture_nic, 0));
        assert_int_equal(fixture_card.registers[REALTEK_COMMAND], REALTEK_COMMAND_TX | REALTEK_COMMAND_RX);
        assert_int_equal(fixture_card.registers[REALTEK_RXCONFIG] & REALTEK_RX_ACCEPT,
                         REALTEK_RX_BROADCAST | REALTEK_RX_MINE);
        assert_int_equal(fixture_card.registers[REALTEK_9346CR], 0);
        realtek_stop(&fixture_nic);
        assert_int_equal(fixture_card.resets, 2);
        assert_in_range(fixture_card.us, 1, 1000000);
    }
}

/* The limit of each chip; for the 8168 line, as in Linux's driver. */
static void the_largest_frames(void **state)
{
    static const uint16_t most[FIXTURE_KINDS] = {[0] = 1500, [1] = 1500, [2] = 4074, [3] = 6122};
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        assert_null(fixture_reset());
        assert_int_equal(fixture_nic.driver->max_mtu(&fixture_nic), most[i] ? most[i] : 9000);
        assert_true(fixture_nic.driver->max_mtu(&fixture_nic) <= fixture_card.card->max_mtu);
    }
    fake_realtek_set_up(&fixture_card, 0x8168, 0x300);
    assert_null(fixture_reset());
    assert_int_equal(fixture_nic.driver->max_mtu(&fixture_nic), 1500);
}

static void what_it_does_not_do_is_said(void **state)
{
    (void)state;
    fake_realtek_set_up(&fixture_card, 0x8168, 0x541);
    fixture_card.dead = true;
    assert_string_equal(fixture_reset(), "does not answer");
    fake_realtek_set_up(&fixture_card, 0x8168, 0x541);
    fixture_card.resets_for_ever = true;
    assert_string_equal(fixture_reset(), "does not come back from its reset");
    assert_in_range(fixture_card.us, 1, 1000000);
    fake_realtek_set_up(&fixture_card, 0x8168, 0x541);
    memset(fixture_card.registers, 0xff, 6);
    assert_string_equal(fixture_reset(), "has no MAC address");
    fake_realtek_set_up(&fixture_card, 0x8168, 0x541);
    memset(fixture_card.registers, 0, 6);
    fixture_card.mac_after_reset = true;
    assert_null(fixture_reset());
    assert_memory_equal(fixture_mac, fixture_card.mac, 6);
}

/* Only after a second without a link, and only once. */
static void the_link_is_negotiated_once_more(void **state)
{
    (void)state;
    for (unsigned i = 1; i < FIXTURE_KINDS; i++) {
        fake_realtek_set_up(&fixture_card, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_card.asleep = true;
        assert_null(fixture_reset());
        assert_false(realtek_link_is_up(&fixture_nic, 999999));
        assert_int_equal(fixture_card.negotiations, 0);
        (void)realtek_link_is_up(&fixture_nic, 1000000);
        assert_true(realtek_link_is_up(&fixture_nic, 1000001));
        fixture_card.link = false;
        for (uint64_t us = 0; us < 10000000; us += 250000)
            assert_false(realtek_link_is_up(&fixture_nic, us));
        assert_int_equal(fixture_card.negotiations, 1);
    }
}

static void read_state_changes_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIXTURE_KINDS; i++) {
        struct fake_realtek *const fake = &fixture_card;
        fake_realtek_set_up(fake, fixture_kinds[i].device, fixture_kinds[i].xid);
        fixture_nic = fake_realtek_nic(fake);
        check_read_state(
            &(struct nic_check){&fixture_nic, fake->card, fake->mac, fake, sizeof *fake, &fake->link, &fake->dead});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_comes_up),          cmocka_unit_test(the_largest_frames),
        cmocka_unit_test(what_it_does_not_do_is_said), cmocka_unit_test(the_link_is_negotiated_once_more),
        cmocka_unit_test(read_state_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
