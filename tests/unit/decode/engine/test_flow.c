/*
 * Control flow from packets made by the encoder and a few instructions of code: which branches come out, and what
 * belongs to which stretch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/engine/flow_fixture.h"

static void every_kind_of_near_branch(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");                       /* jz taken; call; jmp rax */
    put_ip(f, PT_PACKET_TIP, CODE + 0x14); /* ret, compressed */
    put_tnt(f, "!.");                      /* ...; jmp 00; jz not taken; call */
    put_ip(f, PT_PACKET_TIP, CODE + 0x14); /* ret, not compressed */
    put_ip(f, PT_PACKET_TIP, CODE + 0x0b);
    put_tnt(f, "!");
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_ERROR_CUT);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x14, 0x14, 0x0b, 0x0b, 0x00, 0x02, 0x04,
                      0x06, 0x10, 0x10, 0x14, 0x14, 0x0b, 0x0b, 0x00, 0x02, 0x06, -1});
    /* test jz call jmp ret jmp / test jz nop nop call jmp ret jmp / test jz; nothing proves the call. */
    assert_int_equal(result.instructions, 6 + 8 + 2);
}

/* The decoder could walk on to the next branch that needs a packet: what follows the PSB's address is not counted. */
static void a_stretch_ends_where_the_next_psb_says(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_psb(f, CODE + 0x06, true);
    uint64_t second = f->size;
    put_ip(f, PT_PACKET_TIP, CODE + 0x14);
    put_psb(f, CODE + 0x14, true);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f, (int[]){0x02, 0x06, -1});
    assert_int_equal(decode(f, 1).error, 0);
    expect(f, (int[]){0x06, 0x10, 0x10, 0x14, -1});
    assert_true(second > 0);
}

/* The same with direct branches between the last packet and the PSB. */
static void direct_branches_before_the_psb_are_counted(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_psb(f, CODE + 0x10, true);
    put_ip(f, PT_PACKET_TIP, CODE + 0x14);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, -1});
    assert_int_equal(result.instructions, 3);
}

static void a_flow_that_misses_the_psb_is_an_error(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_psb(f, CODE + 0x14, true);
    start(f);
    assert_int_equal(decode(f, 0).error, FLOW_ERROR_BOUNDARY);
}

static void interrupts_are_branches_and_vm_exits_are_none(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_FUP, CODE + 0x06); /* interrupt to the iretq, which returns */
    put_ip(f, PT_PACKET_TIP, CODE + 0x16);
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_exit(f, CODE + 0x10); /* after the call */
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_off(f, CODE + 0x00);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x16, 0x16, 0x06, 0x06, 0x10, 0x10, 0x00, -1});
    assert_int_equal(result.root_instructions, 3);
}

/* The instruction decoder sees what the block decoder sees. */
static void instruction_by_instruction_it_is_the_same(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_exit(f, CODE + 0x10);
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_tnt(f, ".");
    put_psb(f, CODE + 0x04, true);
    start(f);
    struct flow_result blocks = decode(f, 0), instructions;
    uint64_t seen, last;
    struct flow_stretch stretch;
    struct flow_input input = {.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    flow_end(f->flow);
    f->flow = flow_start(&input, FLOW_NEED_INSTRUCTIONS | FLOW_NEED_HASH, &f->error);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){0, f->size}, 0));
    instructions = decode_counted(f->flow, &stretch, &seen, &last);
    assert_int_equal(instructions.error, 0);
    assert_int_equal(instructions.branches, blocks.branches);
    assert_int_equal(instructions.hash, blocks.hash);
    assert_int_equal(instructions.instructions, blocks.instructions);
    assert_int_equal(seen, blocks.instructions);
    assert_int_equal(last, CODE + 0x02);
}

/* OUT exits and the guest does not come back: the loop after it was never executed. */
static void a_loop_after_the_stretch_is_not_one(void **state)
{
    static const uint8_t bytes[] = {0xeb, 0x00, 0xe6, 0x80, 0xeb, 0xfe};
    struct fixture *f = *state;
    add_page(f, CODE, 0x200000, 0, bytes, sizeof(bytes));
    put_psb(f, CODE, true);
    put_psb(f, CODE + 2, true);
    put_exit(f, CODE + 2);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.branches, 1);
    assert_int_equal(result.instructions, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(every_kind_of_near_branch),
        FLOW_TEST(a_stretch_ends_where_the_next_psb_says),
        FLOW_TEST(direct_branches_before_the_psb_are_counted),
        FLOW_TEST(a_flow_that_misses_the_psb_is_an_error),
        FLOW_TEST(interrupts_are_branches_and_vm_exits_are_none),
        FLOW_TEST(instruction_by_instruction_it_is_the_same),
        FLOW_TEST(a_loop_after_the_stretch_is_not_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
