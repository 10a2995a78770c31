/* Valid and invalid DMAR tables; switching off a remapping unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "vtd/dmar.h"

/* --- the table ------------------------------------------------------------------------------------------------------
 */

/* A desktop's table: the display's unit, the unit of all other devices, two reserved regions. */
static uint32_t desktop(uint8_t *table)
{
    memset(table, 0, 256);
    memcpy(table, "DMAR", 4);
    uint32_t at = 48;
    for (unsigned i = 0; i < 2; i++, at += 24) {
        table[at + 2] = 24; /* with one device scope of 8 bytes */
        table[at + 4] = (uint8_t)i;
        put64(table + at + 8, 0xfed90000 + i * 0x1000);
    }
    for (unsigned i = 0; i < 2; i++, at += 32) {
        table[at] = 1; /* RMRR */
        table[at + 2] = 32;
        put64(table + at + 8, 0x8a000000);
    }
    put32(table + 4, at);
    uint8_t sum = 0;
    for (uint32_t i = 0; i < at; i++)
        sum = (uint8_t)(sum + table[i]);
    table[9] = (uint8_t)-sum;
    return at;
}

static void units_are_listed(void **state)
{
    (void)state;
    uint8_t table[256];
    struct dmar dmar;
    const uint32_t size = desktop(table);
    dmar_read(&dmar, table, size, 0x7a000000);
    assert_int_equal(dmar.pa, 0x7a000000);
    assert_int_equal(dmar.nr_units, 2);
    assert_int_equal(dmar.units[0], 0xfed90000);
    assert_int_equal(dmar.units[1], 0xfed91000);
}

/* Tables of real firmware: Microsoft Surface Laptop Studio (2021, github.com/linux-surface/acpidumps), which requests
 * remapping, and Intel NUC5i5RY (2015), which does not. Units of the display, of Thunderbolt ports, of the rest. */
static const uint8_t surface[] = {
    0x44, 0x4d, 0x41, 0x52, 0xb8, 0x00, 0x00, 0x00, 0x02, 0xb6, 0x4d, 0x53, 0x46, 0x54, 0x20, 0x20, 0x4d, 0x53, 0x46,
    0x54, 0x20, 0x20, 0x20, 0x20, 0x02, 0x00, 0x00, 0x00, 0x4d, 0x53, 0x46, 0x54, 0x21, 0x11, 0x19, 0x20, 0x26, 0x05,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0xd9, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x18, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0xd8, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0x07,
    0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0xd8, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x02, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x07, 0x01, 0x00, 0x00, 0x20, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0xd9, 0xfe, 0x00,
    0x00, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x02, 0x00, 0x1e, 0x07, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00, 0x1e, 0x06,
    0x01, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x83, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xbf,
    0x87, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00};
static const uint8_t nuc[] = {
    0x44, 0x4d, 0x41, 0x52, 0xd4, 0x00, 0x00, 0x00, 0x01, 0x20, 0x49, 0x4e, 0x54, 0x45, 0x4c, 0x00, 0x4e, 0x55, 0x43,
    0x35, 0x69, 0x35, 0x52, 0x59, 0x82, 0x01, 0x00, 0x00, 0x49, 0x4e, 0x54, 0x4c, 0x01, 0x00, 0x00, 0x00, 0x26, 0x03,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0xd9, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x28, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0xd9, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x02, 0xf0, 0x1f,
    0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0xf0, 0x0f, 0x00, 0x05, 0x08, 0x00, 0x00, 0x02, 0x00, 0x17, 0x00};

static void real_tables(void **state)
{
    (void)state;
    struct dmar dmar;
    dmar_read(&dmar, surface, sizeof surface, 1);
    assert_true(dmar.firmware_opts_in);
    assert_int_equal(dmar.nr_units, 4);
    assert_int_equal(dmar.units[1], 0xfed84000);
    assert_int_equal(dmar.slots[0], 2 << 3);
    for (unsigned i = 1; i < 4; i++) /* a port with everything below it; everything else */
        assert_int_equal(dmar.slots[i], DMAR_NO_SLOT);
    dmar_read(&dmar, nuc, sizeof nuc, 1);
    assert_false(dmar.firmware_opts_in);
    assert_int_equal(dmar.nr_units, 2);
    assert_int_equal(dmar.slots[0], 2 << 3);
    assert_int_equal(dmar.slots[1], DMAR_NO_SLOT);
    assert_false(dmar.excluded[0] || dmar.excluded[1]);
}

/* The slot of a unit with these scopes, of 8 bytes each. */
static uint16_t slot_of_unit(uint8_t flags, const uint8_t *scopes, uint8_t bytes)
{
    uint8_t table[128] = {0};
    struct dmar dmar;
    table[48 + 2] = (uint8_t)(16 + bytes);
    table[48 + 4] = flags;
    memcpy(table + 64, scopes, bytes);
    dmar_read(&dmar, table, 64u + bytes, 1);
    assert_int_equal(dmar.nr_units, 1);
    return dmar.slots[0];
}

static void slot_of_a_single_device(void **state)
{
    (void)state;
    const uint8_t two_functions[] = {1, 8, 0, 0, 0, 5, 2, 0, 1, 8, 0, 0, 0, 5, 2, 1};
    const uint8_t two_devices[] = {1, 8, 0, 0, 0, 0, 2, 0, 1, 8, 0, 0, 0, 0, 3, 0};
    const uint8_t two_buses[] = {1, 8, 0, 0, 0, 0, 2, 0, 1, 8, 0, 0, 0, 1, 2, 0};
    const uint8_t and_ioapic[] = {1, 8, 0, 0, 0, 0, 2, 0, 3, 8, 0, 0, 2, 0, 0x1e, 7};
    const uint8_t below_bridge[] = {1, 10, 0, 0, 0, 0, 1, 0, 0, 0};
    assert_int_equal(slot_of_unit(0, two_functions, 16), 5 << 8 | 2 << 3);
    assert_int_equal(slot_of_unit(1, two_functions, 16), DMAR_NO_SLOT); /* INCLUDE_PCI_ALL */
    assert_int_equal(slot_of_unit(0, two_devices, 16), DMAR_NO_SLOT);
    assert_int_equal(slot_of_unit(0, two_buses, 16), DMAR_NO_SLOT);
    assert_int_equal(slot_of_unit(0, and_ioapic, 16), DMAR_NO_SLOT);
    assert_int_equal(slot_of_unit(0, below_bridge, 10), DMAR_NO_SLOT);
    assert_int_equal(slot_of_unit(0, two_functions, 15), DMAR_NO_SLOT); /* truncated */
    assert_int_equal(slot_of_unit(0, two_functions, 0), DMAR_NO_SLOT);
}

/* The guest could enable a unit whose registers the hypervisor cannot reach. */
static void units_within_reach(void **state)
{
    (void)state;
    struct dmar dmar;
    dmar_read(&dmar, surface, sizeof surface, 1);
    assert_true(dmar_is_reachable(&dmar, 0x100000000));
    dmar.units[2] = 0xfffff000;
    assert_true(dmar_is_reachable(&dmar, 0x100000000));
    dmar.units[2] = 0x100000000;
    assert_false(dmar_is_reachable(&dmar, 0x100000000));
    dmar.units[2] = 0xfed90800;
    assert_false(dmar_is_reachable(&dmar, 0x100000000));
    dmar.units[2] = 0xfed90000;
    dmar.nr_more = 1;
    assert_false(dmar_is_reachable(&dmar, 0x100000000));
    assert_true(dmar_is_reachable(&(struct dmar){.pa = 1}, 0x100000000));
}

static void invalid_structures_end_parsing(void **state)
{
    (void)state;
    uint8_t table[256];
    struct dmar dmar;
    uint32_t size = desktop(table);
    table[48 + 24 + 2] = 0; /* a length of 0 must not loop for ever */
    dmar_read(&dmar, table, size, 1);
    assert_int_equal(dmar.nr_units, 1);
    size = desktop(table);
    table[48 + 2] = 255; /* exceeds the table */
    dmar_read(&dmar, table, size, 1);
    assert_int_equal(dmar.nr_units, 0);
    size = desktop(table);
    for (uint32_t cut = 0; cut < size; cut++) { /* the sanitizer detects reads beyond the end */
        uint8_t exact[256];
        memcpy(exact, table, cut);
        dmar_read(&dmar, exact, cut, 1);
        assert_true(dmar.nr_units <= 2);
    }
}

/* A server with eight sockets of six units each. */
static void large_server(void **state)
{
    (void)state;
    static uint8_t table[48 + (DMAR_MAX_UNITS + 8) * 16];
    struct dmar dmar;
    for (unsigned i = 0; i < DMAR_MAX_UNITS + 8; i++) {
        table[48 + i * 16 + 2] = 16;
        table[48 + i * 16 + 6] = (uint8_t)(i / 6); /* its PCI segment */
        put64(table + 48 + i * 16 + 8, 0xb5ffc000 + i * 0x1000);
    }
    dmar_read(&dmar, table, 48 + 48 * 16, 1);
    assert_int_equal(dmar.nr_units, 48);
    assert_int_equal(dmar.nr_more, 0);
    for (unsigned i = 0; i < 48; i++) {
        assert_int_equal(dmar.units[i], 0xb5ffc000 + i * 0x1000);
        assert_int_equal(dmar.segments[i], i / 6);
    }
    /* Units beyond the arrays are counted. */
    dmar_read(&dmar, table, sizeof table, 1);
    assert_int_equal(dmar.nr_units, DMAR_MAX_UNITS);
    assert_int_equal(dmar.nr_more, 8);
    assert_int_equal(dmar.units[DMAR_MAX_UNITS - 1], 0xb5ffc000 + (DMAR_MAX_UNITS - 1) * 0x1000);
}

static void hidden_table_is_valid(void **state)
{
    (void)state;
    uint8_t table[256], sum = 0;
    const uint32_t size = desktop(table);
    dmar_hide(table);
    assert_memory_equal(table, "XMAR", 4);
    for (uint32_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + table[i]);
    assert_int_equal(sum, 0);
}

/* --- a unit ----------------------------------------------------------------------------------------------------------
 */

struct unit {
    uint32_t status, protection;
    uint32_t slow;  /* delays until a command takes effect */
    uint32_t going; /* remaining delays */
    uint32_t wanted_status, wanted_protection;
    unsigned commands;
    bool absent;
};

static void carry_out(struct unit *unit)
{
    unit->status = unit->wanted_status;
    unit->protection = unit->wanted_protection;
}

static uint32_t unit_read(void *context, uint32_t offset)
{
    const struct unit *unit = context;
    if (unit->absent)
        return 0xffffffff;
    assert_true(offset == 0x1c || offset == 0x64);
    return offset == 0x1c ? unit->status : unit->protection;
}

static void unit_write(void *context, uint32_t offset, uint32_t value)
{
    struct unit *unit = context;
    assert_int_equal(unit->going, 0); /* one command at a time */
    assert_true(offset == 0x18 || offset == 0x64);
    if (offset == 0x18) {
        const uint32_t changed = value ^ (unit->status & 0x96ffffff);
        assert_int_equal(changed & (changed - 1), 0); /* 11.4.4: one bit at a time */
        assert_int_equal(value & ~0x96ffffffu, 0);    /* without a one-shot command */
        unit->wanted_status = value;
    } else {
        unit->wanted_protection = value & 1u << 31 ? value | 1 : value & ~1u;
    }
    unit->commands++;
    unit->going = unit->slow;
    if (!unit->going)
        carry_out(unit);
}

static void unit_wait(void *context, uint32_t us)
{
    struct unit *unit = context;
    assert_true(us > 0);
    if (unit->going && --unit->going == 0)
        carry_out(unit);
}

static enum dmar_unit stop(struct unit *unit)
{
    const struct dmar_access access = {unit_read, unit_write, unit_wait, unit};
    unit->wanted_status = unit->status;
    unit->wanted_protection = unit->protection;
    return dmar_unit_stop(&access);
}

static void unit_that_is_off(void **state)
{
    (void)state;
    struct unit unit = {.status = 1u << 30 | 1u << 26}; /* a root table, queued invalidation */
    assert_int_equal(stop(&unit), DMAR_UNIT_OFF);
    assert_int_equal(unit.commands, 0);
    unit = (struct unit){.absent = true};
    assert_int_equal(stop(&unit), DMAR_UNIT_ABSENT);
}

static void unit_that_firmware_left_on(void **state)
{
    (void)state;
    struct unit unit = {.status = 1u << 31 | 1u << 30 | 1u << 26 | 1u << 25, .protection = 1u << 31 | 1, .slow = 3};
    assert_int_equal(stop(&unit), DMAR_UNIT_STOPPED);
    assert_int_equal(unit.status & (1u << 31 | 1u << 25), 0);
    assert_int_equal(unit.protection, 0);
    assert_true(unit.status & 1u << 26);
    assert_int_equal(unit.commands, 3);
    unit = (struct unit){.protection = 1u << 31 | 1};
    assert_int_equal(stop(&unit), DMAR_UNIT_STOPPED);
    assert_int_equal(unit.protection, 0);
}

static void unit_that_stays_on(void **state)
{
    (void)state;
    struct unit unit = {.status = 1u << 31, .slow = 1000000};
    assert_int_equal(stop(&unit), DMAR_UNIT_STUCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_listed),
        cmocka_unit_test(real_tables),
        cmocka_unit_test(slot_of_a_single_device),
        cmocka_unit_test(units_within_reach),
        cmocka_unit_test(invalid_structures_end_parsing),
        cmocka_unit_test(large_server),
        cmocka_unit_test(hidden_table_is_valid),
        cmocka_unit_test(unit_that_is_off),
        cmocka_unit_test(unit_that_firmware_left_on),
        cmocka_unit_test(unit_that_stays_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
