/*
 * Units that are watched while the guest runs: what they refuse of ours is told, what they refuse else switches them
 * off. The units record as the specification says: Intel VT-d 4.1, sections 7.2.1, 11.4.7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "vtd/watch.h"

#define TES (1u << 31)
#define PFO 1u
#define PPF 2u
#define F (1u << 31)
#define NR_RECORDS 4u
#define RECORDS_AT 0x220u
#define CAP ((uint64_t)(NR_RECORDS - 1) << 40 | (uint64_t)(RECORDS_AT / 16) << 24 | 38ull << 16 | 4 << 8 | 2)
#define OURS_START 0x7e000000ull
#define OURS_END 0x7f000000ull
#define MACHINE_END (1ull << 39)

struct unit {
    uint32_t status, fsts;
    uint32_t records[NR_RECORDS][4];
    uint32_t next;
    bool stuck;
    unsigned reads;
};
static struct unit units[3];

static void update_pending(struct unit *u)
{
    u->fsts &= ~PPF;
    for (unsigned i = 0; i < NR_RECORDS; i++)
        u->fsts |= u->records[i][3] & F ? PPF : 0;
}

/* What a unit does with a request that it refuses. */
static void refuse(struct unit *u, uint16_t source, uint64_t address, bool read, uint8_t reason)
{
    uint32_t *record = u->records[u->next];
    if (u->fsts & PFO)
        return;
    if (record[3] & F) {
        u->fsts |= PFO;
        return;
    }
    record[0] = (uint32_t)(address & ~0xfffull);
    record[1] = (uint32_t)(address >> 32);
    record[2] = source;
    record[3] = F | (read ? 1u << 30 : 0) | reason;
    if (!(u->fsts & PPF))
        u->fsts = (u->fsts & 0xff) | u->next << 8;
    update_pending(u);
    u->next = (u->next + 1) % NR_RECORDS;
}

static uint32_t unit_read(void *context, uint32_t offset)
{
    struct unit *u = context;
    u->reads++;
    switch (offset) {
    case 0x08:
    case 0x0c:
        return (uint32_t)(CAP >> (offset - 8) * 8);
    case 0x1c:
        return u->status;
    case 0x34:
        return u->fsts;
    default:
        assert_in_range(offset, RECORDS_AT, RECORDS_AT + 16 * NR_RECORDS - 4);
        return u->records[(offset - RECORDS_AT) / 16][offset % 16 / 4];
    }
}

static void unit_write(void *context, uint32_t offset, uint32_t value)
{
    struct unit *u = context;
    if (offset == 0x18) {
        assert_int_equal(value, 0);
        u->status = u->stuck ? u->status : value;
    } else if (offset == 0x34) {
        assert_int_equal(value, PFO);
        u->fsts &= ~PFO;
    } else {
        assert_in_range(offset, RECORDS_AT, RECORDS_AT + 16 * NR_RECORDS - 4);
        assert_int_equal(offset % 16, 12);
        u->records[(offset - RECORDS_AT) / 16][3] &= ~(value & F);
        update_pending(u);
    }
}

static void unit_wait(void *context, uint32_t us)
{
    (void)context;
    assert_true(us > 0);
}

static void unit_access(struct dmar_access *access, uint64_t unit_pa)
{
    *access = (struct dmar_access){unit_read, unit_write, unit_wait, &units[unit_pa]};
}

/* What vtd/watch.c stands on. */
static char said[64][160];
static unsigned nr_said;
static uint64_t hz;
void log_line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(nr_said < 64);
    format_text_v(said[nr_said++], sizeof said[0], format, args);
    va_end(args);
}

uint64_t clock_tsc_hz(void)
{
    return hz;
}

void clock_wait_us(uint32_t us)
{
    (void)us;
    fail();
}

static struct dmar dmar;

static void begin(void)
{
    memset(units, 0, sizeof units);
    for (unsigned i = 0; i < 3; i++)
        units[i].status = TES;
    dmar = (struct dmar){.nr_units = 3, .units = {0, 1, 2}};
    nr_said = 0;
    hz = 0; /* each look is due */
    watch_begin(&(struct watch_units){&dmar, unit_access, {OURS_START, OURS_END}, MACHINE_END});
}

static int nr_on(void)
{
    return (units[0].status == TES) + (units[1].status == TES) + (units[2].status == TES);
}

static void what_is_ours_is_told(void **state)
{
    (void)state;
    begin();
    watch_look();
    assert_int_equal(nr_said, 0);
    refuse(&units[1], 0x0028, OURS_START, false, 5);
    refuse(&units[2], 0xa0ff, OURS_END - 1, true, 6);
    watch_look();
    assert_int_equal(nr_said, 2);
    assert_string_equal(said[0], "VT-d: 0:5.0 was refused to write 7e000000 (reason 5)");
    assert_string_equal(said[1], "VT-d: a0:1f.7 was refused to read 7efff000 (reason 6)");
    assert_int_equal(nr_on(), 3);
}

static void what_is_anywhere_else_switches_all_off(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        uint8_t reason;
        bool off;
    } faults[] = {
        {OURS_START - 1, 5, true},                                                    /* the page below */
        {OURS_END, 6, true},       {0, 6, true},          {MACHINE_END - 1, 5, true}, /* another device's registers,
                                                                                         maybe */
        {MACHINE_END, 5, false},                                                      /* there is nothing */
        {~0ull, 6, false},         {~0ull, 4, false},     {MACHINE_END - 1, 4, true}, /* the unit has fewer bits than
                                                                                         the machine */
        {OURS_START, 1, true}, /* no root entry, no context, a reserved bit, a table out of reach */
        {OURS_START, 2, true},     {OURS_START, 3, true}, {OURS_START, 7, true},      {OURS_START, 0xc, true},
        {0x1000, 0xd, false}, /* an address that it has translated itself */
        {OURS_START, 0x25, true},
    };
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        begin();
        refuse(&units[2], 0x00fa, faults[i].address, false, faults[i].reason);
        watch_look();
        assert_int_equal(nr_on(), faults[i].off ? 0 : 3);
        assert_int_equal(nr_said, faults[i].off ? 2 : 1);
        assert_non_null(strstr(said[0], "0:1f.2 was refused"));
    }
    assert_non_null(strstr(said[1], "but for 0"));
}

static void off_is_off(void **state)
{
    (void)state;
    begin();
    units[1].stuck = true;
    refuse(&units[0], 0x10, 0x1000, false, 5);
    watch_look();
    assert_int_equal(nr_on(), 1);
    assert_non_null(strstr(said[1], "but for 1"));
    const unsigned reads = units[0].reads;
    refuse(&units[0], 0x10, 0x1000, false, 5);
    watch_look();
    assert_int_equal(units[0].reads, reads); /* nobody looks any more */
    assert_int_equal(nr_said, 2);
}

/* Behind harmless ones, in records around the end. */
static void each_record_is_looked_at(void **state)
{
    (void)state;
    for (unsigned first = 0; first < NR_RECORDS; first++) {
        begin();
        units[0].next = first;
        for (unsigned i = 0; i < NR_RECORDS - 1; i++)
            refuse(&units[0], 0x28, OURS_START, false, 5);
        refuse(&units[0], 0x10, 0x1000, false, 5);
        watch_look();
        assert_int_equal(nr_said, NR_RECORDS + 1);
        assert_int_equal(nr_on(), 0);
    }
}

/* Behind an overflow a unit records nothing until it is told to. */
static void an_overflow_is_no_end(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < NR_RECORDS + 3; i++)
        refuse(&units[0], 0x28, OURS_START, false, 5);
    assert_true(units[0].fsts & PFO);
    watch_look();
    assert_int_equal(nr_said, NR_RECORDS);
    refuse(&units[0], 0x30, OURS_START, false, 5);
    watch_look();
    assert_int_equal(nr_said, NR_RECORDS + 1);
    assert_non_null(strstr(said[NR_RECORDS], "0:6.0"));
}

/* A device that goes on for hours fills no log. */
static void lines_are_few(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 1000; i++) {
        refuse(&units[0], 0x28, OURS_START, false, 5);
        watch_look();
    }
    assert_int_equal(nr_said, 8 + 6);
    assert_string_equal(said[13], "VT-d: 512 accesses have been refused");
    assert_int_equal(nr_on(), 3);
}

static void spared_units_are_left_alone(void **state)
{
    (void)state;
    begin();
    dmar.spared[0] = true;
    units[0].status = 0x40000000;
    refuse(&units[0], 0x10, 0x1000, false, 5);
    watch_look();
    assert_int_equal(nr_said, 0);
    assert_int_equal(units[0].reads, 0);
    refuse(&units[1], 0x10, 0x1000, false, 5);
    watch_look();
    assert_int_equal(units[0].status, 0x40000000);
    assert_int_equal(nr_on(), 0);
}

static void a_look_is_seldom(void **state)
{
    (void)state;
    begin();
    hz = 1ull << 50;
    watch_look();
    const unsigned reads = units[0].reads;
    assert_int_equal(reads, 1); /* FSTS: that is all it costs */
    watch_look();
    assert_int_equal(units[0].reads, reads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ours_is_told),
        cmocka_unit_test(what_is_anywhere_else_switches_all_off),
        cmocka_unit_test(off_is_off),
        cmocka_unit_test(each_record_is_looked_at),
        cmocka_unit_test(an_overflow_is_no_end),
        cmocka_unit_test(lines_are_few),
        cmocka_unit_test(spared_units_are_left_alone),
        cmocka_unit_test(a_look_is_seldom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
