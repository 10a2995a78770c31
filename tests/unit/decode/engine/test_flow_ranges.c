/*
 * Branches that lead to where nothing is traced: SDM Table "Packet Generation under Different Enable Conditions", rows
 * 6b, 7e, 7f, 9c, 10c, 10d, 11c, 11d, and erratum SKL014.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/judge/flow_target.h"
#include "tests/unit/decode/engine/flow_fixture.h"

static void put_pgd(struct fixture *f)
{
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
}

/* One branch more, whose target is not known. */
static void expect_unresolved(struct fixture *f, const int *pairs, unsigned from)
{
    struct truth_branch last = f->branches[f->nr_branches - 1];
    assert_int_equal(last.from, CODE + from);
    assert_int_equal(last.to, TRUTH_TO_UNRESOLVED);
    f->nr_branches--;
    expect(f, pairs);
}

static void a_jump_that_leaves_names_its_target(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP_PGD, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP_PGE, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP_PGD, 0x1000);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    assert_int_equal(f->branches[2].to, 0x1000);
    assert_int_equal(f->branches[2].from, CODE + 0x10);
    f->nr_branches--;
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, -1});
}

static void the_code_shows_where_a_conditional_branch_went(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_pgd(f);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.instructions, 2);
    expect(f, (int[]){0x02, 0x06, -1});
}

static void a_compressed_return_has_no_target(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, CODE + 0x14);
    put_pgd(f);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect_unresolved(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x14, -1}, 0x14);
}

static void a_far_return_out_of_context_has_no_target(void **state)
{
    struct fixture *f = begin_code(state, CODE + 0x16);
    put_pgd(f);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect_unresolved(f, (int[]){-1}, 0x16);
}

/* A PIP of root between FUP and TIP.PGD makes it a VM exit. Without a target it can be either, and does not count. */
static void interrupts_that_leave_are_branches_and_vm_exits_are_none(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_ip(f, PT_PACKET_TIP_PGD, CODE + 0x16);
    put_pip(f, false); /* a VM exit from there */
    put_pip(f, true);
    put_ip(f, PT_PACKET_TIP_PGE, CODE + 0x06);
    put_ip(f, PT_PACKET_FUP, CODE + 0x10);
    put_pip(f, false);
    put_ip(f, PT_PACKET_TIP_PGD, ROOT);
    put_pip(f, true);
    put_ip(f, PT_PACKET_TIP_PGE, CODE + 0x10);
    put_ip(f, PT_PACKET_FUP, CODE + 0x10);
    put_pgd(f);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x16, 0x06, 0x10, -1});
}

/* The last event in the trace counts as what it was then. */
static void an_interrupt_that_leaves_may_be_the_last(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_ip(f, PT_PACKET_FUP, CODE);
    put_ip(f, PT_PACKET_TIP_PGD, CODE + 0x16);
    put_pip(f, false);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f, (int[]){0x00, 0x16, -1});
}

static void with_skl014_the_ranges_show_which_call_left(void **state)
{
    struct fixture *f = *state;
    static struct flow_input input;
    add_code(f);
    put_psb(f, CODE + 0x0b, true); /* jmp, within the ranges; jz; call, which leaves them */
    put_tnt(f, "!");
    put_pgd(f);
    start(f);
    input = (struct flow_input){.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    input.cpu_known = true, input.family = 6, input.model = 0x5e, input.stepping = 3;
    input.range_kinds = 0x21;
    input.ranges[0] = CODE, input.ranges[1] = CODE + 0x17;
    input.ranges[2] = CODE + 0x10, input.ranges[3] = CODE + 0x11;
    flow_end(f->flow);
    f->flow = flow_start(&input, FLOW_NEED_BRANCHES | FLOW_NEED_HASH, &f->error);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.instructions, 4);
    expect(f, (int[]){0x0b, 0x00, 0x02, 0x06, 0x06, 0x10, -1});
}

static void targets_of_direct_branches(void **state)
{
    static const struct {
        uint8_t bytes[8];
        size_t size;
        unsigned bits;
        uint64_t ip, to; /* to 0: none */
    } rows[] = {
        {{0x74, 0x02}, 2, 64, 0x1000, 0x1004},
        {{0xe3, 0xfe}, 2, 64, 0x1000, 0x1000},
        {{0x2e, 0x0f, 0x85, 0x00, 0x01, 0x00, 0x00}, 7, 64, 0x1000, 0x1107},
        {{0xe8, 0xfb, 0xff, 0xff, 0xff}, 5, 64, CODE, CODE},
        {{0x66, 0xe9, 0x01, 0x00, 0x00, 0x00}, 6, 64, 0x1000, 0x1007}, /* 66H counts for nothing in 64-bit mode */
        {{0x66, 0xe9, 0x01, 0x00}, 4, 32, 0x1000, 0x1005},
        {{0xe9, 0x01, 0x00}, 3, 16, 0x1000, 0x1004},
        {{0x66, 0x0f, 0x8f, 0x01, 0x00, 0x00, 0x00}, 7, 16, 0x1000, 0x1008},
        {{0xeb, 0x7f}, 2, 32, 0xfffffff0, 0x71},
        {{0x41, 0xeb, 0x00}, 3, 64, 0x1000, 0x1003}, /* REX, or INC ECX */
        {{0x41, 0xeb, 0x00}, 3, 32, 0x1000, 0},
        {{0xe8, 0x00, 0x00, 0x00}, 4, 64, 0x1000, 0}, /* cut off */
        {{0x0f}, 1, 64, 0x1000, 0},
        {{0x66}, 1, 64, 0x1000, 0},
        {{0xc3}, 1, 64, 0x1000, 0},
        {{0xff, 0xe0}, 2, 64, 0x1000, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t to = 0;
        assert_int_equal(flow_target(&to, rows[i].bytes, rows[i].size, rows[i].ip, rows[i].bits), rows[i].to != 0);
        assert_int_equal(to, rows[i].to);
    }
}

/* libipt takes a TIP.PGD without IP for the MOV to CR3's, though that has its PIP: rows 5c and 5d have one or the
 * other. */
static void what_follows_a_mov_to_cr3_is_not_lost(void **state)
{
    static const uint8_t leaving[] = {
        0x0f, 0x22, 0xd8, /* 00 mov cr3, rax */
        0xeb, 0x02,       /* 03 jmp 07 */
        0x90, 0x90,       /* 05 */
        0x48, 0xcf,       /* 07 iretq */
    };
    struct fixture *f = *state;
    add_page(f, CODE, 0x200000, 0, leaving, sizeof(leaving));
    put_psb(f, CODE, true);
    put_pip(f, true);
    put_pgd(f);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.instructions, 3);
    expect_unresolved(f, (int[]){0x03, 0x07, -1}, 0x07);

    struct flow_stretch stretch;
    flow_end(f->flow);
    uint64_t instructions, last;
    f->flow = flow_start(&(struct flow_input){.trace = f->trace, .trace_size = f->size, .pages = &f->pages},
                         FLOW_NEED_INSTRUCTIONS | FLOW_NEED_HASH, &f->error);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){0, f->size}, 0));
    const struct flow_result by_instruction = decode_counted(f->flow, &stretch, &instructions, &last);
    assert_int_equal(instructions, 3);
    assert_int_equal(by_instruction.hash, result.hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(a_jump_that_leaves_names_its_target),
        FLOW_TEST(the_code_shows_where_a_conditional_branch_went),
        FLOW_TEST(a_compressed_return_has_no_target),
        FLOW_TEST(a_far_return_out_of_context_has_no_target),
        FLOW_TEST(what_follows_a_mov_to_cr3_is_not_lost),
        FLOW_TEST(interrupts_that_leave_are_branches_and_vm_exits_are_none),
        FLOW_TEST(an_interrupt_that_leaves_may_be_the_last),
        FLOW_TEST(with_skl014_the_ranges_show_which_call_left),
        cmocka_unit_test(targets_of_direct_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
