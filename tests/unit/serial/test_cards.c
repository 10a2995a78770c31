/* The tables of network cards: each PCI function has one driver and one row, and docs/hardware.md lists the same ids.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serial/nic/e1000_cards.h"
#include "serial/nic/realtek_cards.h"
#include "tests/unit/serial/nic_checks.h"

static void each_row_is_found(void **state)
{
    (void)state;
    for (unsigned i = 0; nic_drivers[i]; i++)
        for (const struct nic_card *row = nic_drivers[i]->cards; row->vendor != 0; row++) {
            assert_true(row->devices[0] != 0 && row->name[0] && row->max_mtu >= 1500);
            for (unsigned k = 0; k < NIC_NR_DEVICES && row->devices[k] != 0; k++) {
                const struct nic_card *found;
                const uint32_t id = (uint32_t)row->devices[k] << 16 | row->vendor;
                assert_ptr_equal(nic_driver_of(id, row->first_revision, &found), nic_drivers[i]);
                assert_ptr_equal(found, row); /* not an earlier row, or one of an earlier driver */
            }
        }
}

static void intel_cards(void **state)
{
    (void)state;
    assert_string_equal(card_of(0x15b88086, 0)->name, "I219");
    assert_string_equal(card_of(0x125c8086, 0)->name, "I226");
    assert_int_equal(card_of(0x15b88086, 0)->quirks, E1000_HANGS_AFTER_RESET);
    assert_int_equal(card_of(0x153a8086, 0)->quirks, 0);
    assert_int_equal(card_of(0x15338086, 0)->quirks, E1000_RESTARTS_LINK | E1000_KEEPS_BUFFER_SIZES);
    assert_int_equal(card_of(0x15f38086, 0)->quirks, E1000_KEEPS_BUFFER_SIZES);
    assert_int_equal(card_of(0x125c8086, 0)->quirks, E1000_KEEPS_BUFFER_SIZES);
    assert_int_equal(card_of(0x100e8086, 0)->max_mtu, 16110);
    assert_int_equal(card_of(0x15338086, 0)->max_mtu, 9000);
    assert_int_equal(card_of(0x153a8086, 0)->max_mtu, 1500);
    assert_int_equal(card_of(0x15b88086, 0)->max_mtu, 1500);
    assert_null(card_of(0x15b88087, 0)); /* another vendor */
    assert_null(card_of(0x00008086, 0));
    assert_null(card_of(0x15288086, 0)); /* X540: another programming model */
}

static void realtek_cards_by_id(void **state)
{
    (void)state;
    assert_string_equal(card_of(0x816810ec, 0x15)->name, "RTL8168/8111");
    assert_string_equal(card_of(0x816810ff, 0x15)->name, "RTL8168/8111");
    assert_string_equal(card_of(0x812510ec, 5)->name, "RTL8125");
    assert_string_equal(card_of(0x813910ec, 0x20)->name, "RTL8139C+");
    assert_null(card_of(0x813910ec, 0x10)); /* an 8139C */
    assert_null(card_of(0x816910ec, 0x10)); /* conventional PCI, gigabit */
    assert_null(card_of(0x81688086, 0));
    assert_null(card_of(0x000010ec, 0));
    assert_null(card_of(0xffffffff, 0xff)); /* no function */
    assert_null(card_of(0, 0));
}

/* --- docs/hardware.md ----------------------------------------------------------------------------------------------
 */

static bool documented[0x10000];

/* "15b7 to 15b9 15bb, 10ff:8168": ids, ranges, and an id with its vendor. */
static void take_ids(const char *cell)
{
    unsigned previous = 0, range = 0;
    for (const char *at = cell; *at;) {
        char *end;
        const unsigned long value = strtoul(at, &end, 16);
        if (end - at == 4 && *end != ':') {
            for (unsigned id = range ? previous : (unsigned)value; id <= value; id++)
                documented[id] = true;
            previous = (unsigned)value;
            range = 0;
        } else if (strncmp(at, "to ", 3) == 0) {
            range = 1;
        }
        while (*at && (isalnum((unsigned char)*at) || *at == '+'))
            at++;
        while (*at && !isalnum((unsigned char)*at))
            at++;
    }
}

static void read_documentation(void)
{
    char line[1024];
    bool inside = false;
    FILE *file = fopen("docs/hardware.md", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "| card |", 8) == 0)
            inside = true;
        else if (line[0] != '|')
            inside = false;
        if (!inside || strncmp(line, "| card |", 8) == 0 || strncmp(line, "| ---", 5) == 0)
            continue;
        char *const cell = strchr(line + 1, '|') + 1;
        *strchr(cell, '|') = '\0';
        take_ids(cell);
    }
    fclose(file);
}

static void the_documentation_lists_the_same_ids(void **state)
{
    static const char *driven[0x10000]; /* name of the card */
    (void)state;
    read_documentation();
    for (unsigned i = 0; nic_drivers[i]; i++)
        for (const struct nic_card *row = nic_drivers[i]->cards; row->vendor != 0; row++)
            for (unsigned k = 0; k < NIC_NR_DEVICES && row->devices[k] != 0; k++)
                driven[row->devices[k]] = row->name;
    for (unsigned id = 0; id < 0x10000; id++) {
        if (driven[id] && !documented[id])
            fail_msg("docs/hardware.md does not list %04x, an id of the %s", id, driven[id]);
        if (documented[id] && !driven[id])
            fail_msg("docs/hardware.md lists %04x, which no driver handles", id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_found),
        cmocka_unit_test(intel_cards),
        cmocka_unit_test(realtek_cards_by_id),
        cmocka_unit_test(the_documentation_lists_the_same_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
