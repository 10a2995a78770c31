/* DMAR tables as machines have them and as nobody should have them; a remapping unit that is switched off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/bytes.h"
#include "boot/dmar.h"

/* --- the table ------------------------------------------------------------------------------------------------------
 */

/* A desktop's: the unit of the graphics, the unit of the rest, two reserved regions. */
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

static void units_are_found(void **state)
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

static void broken_structures_end_it(void **state)
{
    (void)state;
    uint8_t table[256];
    struct dmar dmar;
    uint32_t size = desktop(table);
    table[48 + 24 + 2] = 0; /* no length: it would go on for ever */
    dmar_read(&dmar, table, size, 1);
    assert_int_equal(dmar.nr_units, 1);
    size = desktop(table);
    table[48 + 2] = 255; /* behind the table's end */
    dmar_read(&dmar, table, size, 1);
    assert_int_equal(dmar.nr_units, 0);
    size = desktop(table);
    for (uint32_t cut = 0; cut < size; cut++) { /* under the sanitizers: no byte behind the end is read */
        uint8_t exact[256];
        memcpy(exact, table, cut);
        dmar_read(&dmar, exact, cut, 1);
        assert_true(dmar.nr_units <= 2);
    }
}

/* A server of eight sockets, six units each. */
static void a_large_server_has_room(void **state)
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
    /* What there is no room for is counted, so that it can be said. */
    dmar_read(&dmar, table, sizeof table, 1);
    assert_int_equal(dmar.nr_units, DMAR_MAX_UNITS);
    assert_int_equal(dmar.nr_more, 8);
    assert_int_equal(dmar.units[DMAR_MAX_UNITS - 1], 0xb5ffc000 + (DMAR_MAX_UNITS - 1) * 0x1000);
}

static void a_hidden_table_is_whole(void **state)
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
    uint32_t slow;  /* waits until a command is carried out */
    uint32_t going; /* waits that are left of it */
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
        assert_int_equal(changed & (changed - 1), 0); /* the manual: one bit at a time */
        assert_int_equal(value & ~0x96ffffffu, 0);    /* no command for once along with it */
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

static void a_unit_that_is_off_is_left_alone(void **state)
{
    (void)state;
    struct unit unit = {.status = 1u << 30 | 1u << 26}; /* a root table, queued invalidation */
    assert_int_equal(stop(&unit), DMAR_UNIT_OFF);
    assert_int_equal(unit.commands, 0);
    unit = (struct unit){.absent = true};
    assert_int_equal(stop(&unit), DMAR_UNIT_ABSENT);
}

static void what_firmware_left_on_goes_off(void **state)
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

static void one_that_does_not_is_told(void **state)
{
    (void)state;
    struct unit unit = {.status = 1u << 31, .slow = 1000000};
    assert_int_equal(stop(&unit), DMAR_UNIT_STUCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_found),
        cmocka_unit_test(broken_structures_end_it),
        cmocka_unit_test(a_large_server_has_room),
        cmocka_unit_test(a_hidden_table_is_whole),
        cmocka_unit_test(a_unit_that_is_off_is_left_alone),
        cmocka_unit_test(what_firmware_left_on_goes_off),
        cmocka_unit_test(one_that_does_not_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
