/* The base of the code segment that a far transfer leads to, from the records of the VM exits after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/engine/segment.h"
#include "tests/unit/decode/engine/flow_fixture.h"

#define BASE 0x40000u

/* An exit at ip, with a record of the segment, and the entry after it. */
static void put_recorded_exit(struct fixture *f, uint64_t ip, bool loaded)
{
    put_ip(f, PT_PACKET_FUP, ip);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    struct code_segments *segments = &f->pages.segments;
    segments->recorded = segments->plain_ips = true;
    segments->list = malloc(sizeof(*segments->list));
    assert_non_null(segments->list);
    segments->list[0] = (struct code_segment){f->size, BASE, true, loaded, false};
    segments->count = 1;
    put_ip(f, PT_PACKET_TIP_PGE, ip);
}

static uint64_t put_tip(struct fixture *f, uint64_t ip)
{
    put_ip(f, PT_PACKET_TIP, ip);
    return f->size;
}

static void base_is(struct fixture *f, uint64_t at, enum instruction_mode mode, bool known, uint32_t expected)
{
    uint32_t base;
    f->input.trace = f->trace;
    f->input.trace_size = f->size;
    f->input.pages = &f->pages;
    assert_int_equal(segment_base_after(&base, &f->input, at, mode), known);
    if (known)
        assert_int_equal(base, expected);
}

/* Nothing but the far transfer lies before the exit. */
static void the_exit_after_it_shows_the_base(void **state)
{
    struct fixture *f = *state;
    const uint64_t at = put_tip(f, 0x100);
    put_tnt(f, "!.");
    put_recorded_exit(f, 0x120, false);
    base_is(f, at, INSTRUCTION_16, true, BASE);
    base_is(f, at, INSTRUCTION_32, true, BASE);
    base_is(f, at, INSTRUCTION_64, true, 0);
}

/* An interrupt handler returns to a segment whose page is not executable. */
static void a_later_transfer_led_there(void **state)
{
    struct fixture *f = *state;
    const uint64_t handler = put_tip(f, 0xc1000000);
    put_tnt(f, "!.");
    const uint64_t segment = put_tip(f, 0x100);
    put_recorded_exit(f, 0x100, false);
    base_is(f, handler, INSTRUCTION_32, true, 0);
    base_is(f, handler, INSTRUCTION_16, false, 0);
    base_is(f, segment, INSTRUCTION_16, true, BASE);
}

/* Something was executed there before the exit: either may have been the transfer. */
static void one_of_two_led_there(void **state)
{
    struct fixture *f = *state;
    const uint64_t first = put_tip(f, 0xc1000000);
    put_tip(f, 0x100);
    put_tnt(f, "!");
    put_recorded_exit(f, 0x110, false);
    base_is(f, first, INSTRUCTION_32, false, 0);
}

/* Root mode switched tasks. */
static void the_hypervisor_loaded_it(void **state)
{
    struct fixture *f = *state;
    const uint64_t at = put_tip(f, 0xc1000000);
    put_recorded_exit(f, 0xc1000000, true);
    base_is(f, at, INSTRUCTION_32, true, 0);
    base_is(f, at, INSTRUCTION_16, false, 0);
}

/* A boot loader leaves protected mode on a page that is executable: nothing exits until it clears CR0.PE. */
static void the_record_covers_what_was_not_stepped(void **state)
{
    struct fixture *f = *state;
    const uint64_t at = put_tip(f, 0x8343);
    put_tnt(f, "!.");
    put_recorded_exit(f, 0x8350, false);
    base_is(f, at, INSTRUCTION_16, true, BASE); /* the transfer led to the exit */
    put_tip(f, 0x8400);

    const uint64_t first = 0;
    base_is(f, first, INSTRUCTION_16, false, 0); /* before it there was another one */
    f->pages.segments.list[0].sole = true;
    base_is(f, first, INSTRUCTION_16, true, BASE);
    base_is(f, first, INSTRUCTION_32, true, 0);
    base_is(f, first, INSTRUCTION_64, true, 0);
}

static void stepped_code_keeps_its_base(void **state)
{
    struct fixture *f = *state;
    put_recorded_exit(f, 0x100, false);
    base_is(f, f->size, INSTRUCTION_16, true, BASE);
    put_tip(f, 0x200);
    base_is(f, f->size, INSTRUCTION_32, true, BASE);
}

static void without_records_all_code_is_flat(void **state)
{
    struct fixture *f = *state;
    put_tip(f, 0x100);
    base_is(f, f->size, INSTRUCTION_16, true, 0);
    base_is(f, f->size, INSTRUCTION_32, true, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(the_exit_after_it_shows_the_base),
        FLOW_TEST(a_later_transfer_led_there),
        FLOW_TEST(one_of_two_led_there),
        FLOW_TEST(the_hypervisor_loaded_it),
        FLOW_TEST(the_record_covers_what_was_not_stepped),
        FLOW_TEST(stepped_code_keeps_its_base),
        FLOW_TEST(without_records_all_code_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
