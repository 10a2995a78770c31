/* What packets prove, and that decoding stops there: at the end of a trace, at errors; by blocks and by single
 * instructions it is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/report/cause_text.h"
#include "tests/unit/decode/engine/flow_fixture.h"

static void after_the_last_packet_nothing_is_proven(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!"); /* jz; then call, and jmp rax, which needs a packet */
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_CUT);
    expect(f, (int[]){0x02, 0x06, -1});
    assert_int_equal(result.instructions, 2);
}

/* The last packet is that of a jump, which only its target's code could distinguish from one without a packet. */
static void an_indirect_jump_is_proven_by_its_tip(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, CODE + 0x0b); /* jmp rax; then jmp, test, jz */
    start(f);
    assert_int_equal(decode_twice(f).error, FLOW_ERROR_CUT);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x0b, -1});
}

static void without_a_packet_after_the_psb_nothing_is_decoded(void **state)
{
    struct fixture *f = begin_code(state, CODE + 0x06);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_CUT);
    assert_int_equal(result.branches, 0);
    assert_int_equal(result.instructions, 0);
}

/* The PSB was written between two instructions of a block: those before it did run. */
static void instructions_are_listed_up_to_the_psb(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, ".");
    put_psb(f, CODE + 0x05, true);
    put_off(f, CODE + 0x10);
    start(f);
    struct flow_result single = decode_single(f);
    assert_int_equal(single.error, FLOW_OK);
    assert_int_equal(single.instructions, 3); /* test, jz, nop */
    assert_int_equal(single.branches, 1);
    assert_int_equal(decode(f, 0).error, FLOW_OK);
}

/* A whole trace ends with tracing off: all of the way there is certain. */
static void a_trace_that_is_switched_off_is_whole(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    put_off(f, CODE + 0x10);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_OK);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, -1});
    assert_int_equal(result.instructions, 3);
}

/* Cut anywhere, what comes out is the first part of what was there. A FUP without its TIP costs the branch before it:
 * libipt does not hand that on. */
static void each_cut_leaves_a_first_part(void **state)
{
    struct fixture *f = *state;
    struct truth_branch whole[64];
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!!.");                     /* jz taken, ret, jz not taken */
    put_ip(f, PT_PACKET_TIP, CODE + 0x14); /* jmp rax, which comes before the ret */
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_ip(f, PT_PACKET_FUP, CODE + 0x06); /* an interrupt */
    put_ip(f, PT_PACKET_TIP, CODE + 0x16);
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_exit(f, CODE + 0x10);
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE);
    put_off(f, CODE);
    size_t size = f->size;
    start(f);
    assert_int_equal(decode(f, 0).error, FLOW_OK);
    size_t count = f->nr_branches, before = 0;
    memcpy(whole, f->branches, sizeof(whole));
    assert_true(count > 8);
    for (f->size = 32; f->size < size; f->size++) {
        decode(f, 0);
        assert_true(f->nr_branches <= count && f->nr_branches + 1 >= before);
        assert_memory_equal(f->branches, whole, f->nr_branches * sizeof(whole[0]));
        before = f->nr_branches;
    }
    assert_true(before + 1 >= count);
}

/* An error: what was only supposed on the way to it did not have to run. */
static void errors_prove_nothing(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");                                   /* jz; call */
    put(f, (struct packet){.kind = PT_PACKET_PSBEND}); /* makes no sense here */
    put_tnt(f, "!!");
    put(f, (struct packet){.kind = PT_PACKET_TIP});
    start(f);
    struct flow_result result = decode_twice(f);
    assert_true(result.error != FLOW_OK);
    expect(f, (int[]){0x02, 0x06, -1});
}

/* Before a PSB all bits come out, so one that no branch takes cannot be; before a gap its TIP may be missing. */
static void bits_that_are_left_over_are_an_error(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!!"); /* jz; call; jmp rax needs a TIP */
    size_t cut = f->size;
    put_psb(f, CODE + 0x10, true);
    put_off(f, CODE + 0x10);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_LEFT_OVER);
    expect(f, (int[]){0x02, 0x06, -1});
    f->size = cut;
    assert_int_equal(decode_twice(f).error, FLOW_ERROR_CUT);
}

static void bits_before_an_event_are_an_error(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!!");
    put_ip(f, PT_PACKET_TIP_PGD, 0x1000);
    put_psb(f, 0, true);
    start(f);
    assert_int_equal(decode_twice(f).error, FLOW_ERROR_MISMATCH);
    expect(f, (int[]){0x02, 0x06, -1});
}

/* libipt's walk by instructions reads the event, and then lets the branch before it take the packet after it. */
static void an_event_before_a_branch_does_not_let_it_pass(void **state)
{
    struct fixture *f = begin_code(state, CODE + 0x14);
    put_pip(f, true); /* ret changes no CR3 */
    put_ip(f, PT_PACKET_TIP, CODE + 0x0b);
    put_tnt(f, "!");
    put_off(f, CODE + 0x06);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_MISMATCH);
    assert_int_equal(result.branches, 0);
}

static void bits_after_a_tip_pgd_are_not_taken_before_it(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD}); /* jz leaves */
    put_tnt(f, "!!");
    put_off(f, CODE + 0x10);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_CONTEXT);
    expect(f, (int[]){0x02, 0x06, -1});
}

static void packets_of_event_trace_are_passed(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put(f, (struct packet){.kind = PT_PACKET_TRIG, .payload = 1, .has_icnt = true});
    put_tnt(f, "!");
    put(f, (struct packet){.kind = PT_PACKET_EVD, .payload = 0x1234});
    put(f, (struct packet){.kind = PT_PACKET_CFE, .event_type = 1, .payload = 14});
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_ip(f, PT_PACKET_TIP, CODE + 0x16);
    put(f, (struct packet){.kind = PT_PACKET_CFE, .event_type = 2});
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_off(f, CODE + 0x06);
    start(f);
    assert_int_equal(decode_twice(f).error, FLOW_OK);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x16, 0x16, 0x06, -1});
}

/* PEBS output to Intel PT: items that look like TNT packets, and the FUP of a BEP, which is not that of an event.
 * libipt does not know these packets: perf's decoder reads them so. */
static void blocks_are_passed(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put(f, (struct packet){.kind = PT_PACKET_BBP, .event_type = 1, .ptw_bytes = 8});
    put(f, (struct packet){.kind = PT_PACKET_BIP, .event_type = 0, .ptw_bytes = 8, .payload = 0x0404040404040404});
    put(f, (struct packet){.kind = PT_PACKET_BIP, .event_type = 1, .ptw_bytes = 8, .payload = 6});
    put(f, (struct packet){.kind = PT_PACKET_BEP});
    put_tnt(f, "!");
    put(f, (struct packet){.kind = PT_PACKET_BBP, .event_type = 4, .ptw_bytes = 4});
    put(f, (struct packet){.kind = PT_PACKET_BIP, .event_type = 2, .ptw_bytes = 4, .payload = 0x04040404});
    put(f, (struct packet){.kind = PT_PACKET_BEP, .fup_follows = true});
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_ip(f, PT_PACKET_TIP, CODE + 0x16);
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_off(f, CODE + 0x06);
    start(f);
    assert_int_equal(decode_twice(f).error, FLOW_OK);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x16, 0x16, 0x06, -1});
}

/* libipt 2.0.5 would take the FUP for an interrupt's. */
static void a_fup_without_an_event_is_named(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    size_t at = f->size;
    put(f, (struct packet){.kind = PT_PACKET_CFE, .event_type = 2, .fup_follows = true});
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_ip(f, PT_PACKET_TIP, CODE);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_EVENT_TRACE);
    assert_int_equal(result.error_offset, at);
    expect(f, (int[]){0x02, 0x06, -1});
    f->size = at;
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true, .iflag = true});
    put_ip(f, PT_PACKET_FUP, CODE + 0x06);
    put_tnt(f, "!");
    assert_int_equal(decode_twice(f).error, FLOW_ERROR_EVENT_TRACE);
}

static void bytes_that_are_no_packet_cost_nothing_before_them(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    size_t at = f->size;
    f->trace[f->size++] = 0x05;
    put_tnt(f, "!!");
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_OPCODE);
    assert_int_equal(result.error_offset, at);
    expect(f, (int[]){0x02, 0x06, -1});
}

static void each_error_has_its_words(void **state)
{
    (void)state;
    for (enum flow_error i = 1; i < FLOW_NR_ERRORS; i++) {
        assert_string_not_equal(flow_error_text(i), "no error");
        for (enum flow_error j = 1; j < i; j++)
            assert_string_not_equal(flow_error_text(i), flow_error_text(j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(after_the_last_packet_nothing_is_proven),
        FLOW_TEST(an_indirect_jump_is_proven_by_its_tip),
        FLOW_TEST(without_a_packet_after_the_psb_nothing_is_decoded),
        FLOW_TEST(instructions_are_listed_up_to_the_psb),
        FLOW_TEST(a_trace_that_is_switched_off_is_whole),
        FLOW_TEST(each_cut_leaves_a_first_part),
        FLOW_TEST(errors_prove_nothing),
        FLOW_TEST(bits_that_are_left_over_are_an_error),
        FLOW_TEST(bits_before_an_event_are_an_error),
        FLOW_TEST(an_event_before_a_branch_does_not_let_it_pass),
        FLOW_TEST(bits_after_a_tip_pgd_are_not_taken_before_it),
        FLOW_TEST(packets_of_event_trace_are_passed),
        FLOW_TEST(blocks_are_passed),
        FLOW_TEST(a_fup_without_an_event_is_named),
        FLOW_TEST(bytes_that_are_no_packet_cost_nothing_before_them),
        FLOW_TEST(each_error_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
