/*
 * Polling remapping units while the guest runs: blocked accesses to our memory are logged, any other fault switches all
 * units off. The fake units record faults as in Intel VT-d 4.1, sections 7.2.1 and 11.4.7.
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

/* A unit blocks a request and records the fault. */
static void block(struct unit *u, uint16_t source, uint64_t address, bool read, uint8_t reason)
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

/* Fakes of what vtd/watch.c calls. */
static char lines[64][160];
static unsigned nr_lines;
static uint64_t hz;
void log_line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(nr_lines < 64);
    format_text_v(lines[nr_lines++], sizeof lines[0], format, args);
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
    nr_lines = 0;
    hz = 0; /* each poll is due */
    watch_begin(&(struct watch_units){&dmar, unit_access, {OURS_START, OURS_END}, MACHINE_END});
}

static int nr_on(void)
{
    return (units[0].status == TES) + (units[1].status == TES) + (units[2].status == TES);
}

static void blocked_accesses_to_our_memory_are_logged(void **state)
{
    (void)state;
    begin();
    watch_poll();
    assert_int_equal(nr_lines, 0);
    block(&units[1], 0x0028, OURS_START, false, 5);
    block(&units[2], 0xa0ff, OURS_END - 1, true, 6);
    watch_poll();
    assert_int_equal(nr_lines, 2);
    assert_string_equal(lines[0], "VT-d: blocked a write at 7e000000 by device 0:5.0 (fault reason 5)");
    assert_string_equal(lines[1], "VT-d: blocked a read at 7efff000 by device a0:1f.7 (fault reason 6)");
    assert_int_equal(nr_on(), 3);
}

static void other_faults_switch_all_off(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        uint8_t reason;
        bool off;
    } faults[] = {
        {OURS_START - 1, 5, true},                                                    /* the page below */
        {OURS_END, 6, true},       {0, 6, true},          {MACHINE_END - 1, 5, true}, /* may be a device's registers */
        {MACHINE_END, 5, false},                                                      /* beyond the address space */
        {~0ull, 6, false},         {~0ull, 4, false},     {MACHINE_END - 1, 4, true}, /* the unit supports fewer bits */
        {OURS_START, 1, true}, /* no root entry, no context entry, a reserved bit, an inaccessible table */
        {OURS_START, 2, true},     {OURS_START, 3, true}, {OURS_START, 7, true},
        {OURS_START, 0xc, true},   {0x1000, 0xd, false}, /* a translated request */
        {OURS_START, 0x25, true},
    };
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        begin();
        block(&units[2], 0x00fa, faults[i].address, false, faults[i].reason);
        watch_poll();
        assert_int_equal(nr_on(), faults[i].off ? 0 : 3);
        assert_int_equal(nr_lines, faults[i].off ? 2 : 1);
        assert_non_null(strstr(lines[0], "by device 0:1f.2"));
    }
    assert_non_null(strstr(lines[1], "(0 failed)"));
}

static void no_polling_once_off(void **state)
{
    (void)state;
    begin();
    units[1].stuck = true;
    block(&units[0], 0x10, 0x1000, false, 5);
    watch_poll();
    assert_int_equal(nr_on(), 1);
    assert_non_null(strstr(lines[1], "(1 failed)"));
    const unsigned reads = units[0].reads;
    block(&units[0], 0x10, 0x1000, false, 5);
    watch_poll();
    assert_int_equal(units[0].reads, reads); /* polling has stopped */
    assert_int_equal(nr_lines, 2);
}

/* A harmful fault after harmless ones, with the records wrapping around. */
static void every_record_is_read(void **state)
{
    (void)state;
    for (unsigned first = 0; first < NR_RECORDS; first++) {
        begin();
        units[0].next = first;
        for (unsigned i = 0; i < NR_RECORDS - 1; i++)
            block(&units[0], 0x28, OURS_START, false, 5);
        block(&units[0], 0x10, 0x1000, false, 5);
        watch_poll();
        assert_int_equal(nr_lines, NR_RECORDS + 1);
        assert_int_equal(nr_on(), 0);
    }
}

/* After an overflow a unit records no fault until PFO is cleared. */
static void recording_continues_after_an_overflow(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < NR_RECORDS + 3; i++)
        block(&units[0], 0x28, OURS_START, false, 5);
    assert_true(units[0].fsts & PFO);
    watch_poll();
    assert_int_equal(nr_lines, NR_RECORDS);
    block(&units[0], 0x30, OURS_START, false, 5);
    watch_poll();
    assert_int_equal(nr_lines, NR_RECORDS + 1);
    assert_non_null(strstr(lines[NR_RECORDS], "by device 0:6.0"));
}

/* A device that causes faults for hours does not fill the log. */
static void log_lines_are_limited(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < 1000; i++) {
        block(&units[0], 0x28, OURS_START, false, 5);
        watch_poll();
    }
    assert_int_equal(nr_lines, 8 + 6);
    assert_string_equal(lines[13], "VT-d: 512 accesses have been blocked");
    assert_int_equal(nr_on(), 3);
}

static void excluded_units_are_not_accessed(void **state)
{
    (void)state;
    begin();
    dmar.excluded[0] = true;
    units[0].status = 0x40000000;
    block(&units[0], 0x10, 0x1000, false, 5);
    watch_poll();
    assert_int_equal(nr_lines, 0);
    assert_int_equal(units[0].reads, 0);
    block(&units[1], 0x10, 0x1000, false, 5);
    watch_poll();
    assert_int_equal(units[0].status, 0x40000000);
    assert_int_equal(nr_on(), 0);
}

static void polls_are_rare(void **state)
{
    (void)state;
    begin();
    hz = 1ull << 50;
    watch_poll();
    const unsigned reads = units[0].reads;
    assert_int_equal(reads, 1); /* FSTS only */
    watch_poll();
    assert_int_equal(units[0].reads, reads);
}

/* The last poll was one of a CPU whose TSC is far ahead. */
static void the_next_poll_is_at_most_a_period_away(void **state)
{
    (void)state;
    begin();
    hz = 1ull << 50;
    watch_poll();
    const unsigned reads = units[0].reads;
    hz = 1ull << 30; /* what is due by the poll before is many periods away */
    watch_poll();
    assert_int_equal(units[0].reads, reads + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_accesses_to_our_memory_are_logged),
        cmocka_unit_test(other_faults_switch_all_off),
        cmocka_unit_test(no_polling_once_off),
        cmocka_unit_test(every_record_is_read),
        cmocka_unit_test(recording_continues_after_an_overflow),
        cmocka_unit_test(log_lines_are_limited),
        cmocka_unit_test(excluded_units_are_not_accessed),
        cmocka_unit_test(polls_are_rare),
        cmocka_unit_test(the_next_poll_is_at_most_a_period_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
