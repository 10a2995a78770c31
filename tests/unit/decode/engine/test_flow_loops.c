/* Loops, and how often they run: what no packet shows is not assumed, but reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/engine/flow_fixture.h"

/* jmp to itself: packets after it that nothing can take. */
static const uint8_t loop[] = {0xeb, 0x02, 0x90, 0x90, 0xeb, 0x00, 0xeb, 0xfc};

static void a_loop_without_a_packet_is_an_error(void **state)
{
    struct fixture *f = *state;
    add_page(f, CODE, 0x200000, 0, loop, sizeof(loop));
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_LOOP);
    assert_int_equal(result.branches, 0);
}

/* The PSB is in the loop: how often it ran before is not known. */
static void rounds_of_a_loop_are_not_guessed(void **state)
{
    struct fixture *f = *state;
    add_page(f, CODE, 0x200000, 0, loop, sizeof(loop));
    put_psb(f, CODE, true);
    put_psb(f, CODE + 6, true);
    put_off(f, CODE + 6);
    start(f);
    struct flow_result result = decode_twice(f);
    assert_int_equal(result.error, FLOW_ERROR_LOOP);
    expect(f, (int[]){0x00, 0x04, 0x04, 0x06, -1});
    assert_int_equal(result.instructions, 2);
}

/* The same where an interrupt comes: decoding continues, and the loop is reported. */
static void rounds_before_an_interrupt_are_not_guessed(void **state)
{
    static const struct {
        uint8_t program[4], at, loops;
    } cases[] = {
        {{0xeb, 0xfe}, 0, 1},             /* jmp to itself */
        {{0x90, 0xeb, 0xfd}, 1, 1},       /* it is within the block that it leads to */
        {{0x90, 0x90, 0xeb, 0xfc}, 1, 1}, /* and between others */
        {{0xeb, 0x00, 0xeb, 0xfe}, 0, 0}, /* before the loop */
        {{0x74, 0x00, 0xeb, 0xfc}, 2, 0}, /* each round has a bit */
        {{0xeb, 0x00, 0xff, 0xe0}, 0, 0}, /* it leads to a packet */
        {{0xf4, 0xeb, 0xfd, 0x90}, 1, 0}, /* hlt; the jump is after it, where tracing began */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = *state;
        add_page(f, CODE, 0x200000, 0, cases[i].program, sizeof(cases[i].program));
        put_psb(f, CODE + cases[i].at, true);
        const uint64_t fup = f->size;
        put_ip(f, PT_PACKET_FUP, CODE + cases[i].at);
        put_ip(f, PT_PACKET_TIP, CODE + 0x100);
        put_off(f, CODE + 0x100);
        start(f);
        const struct flow_result result = decode_twice(f);
        assert_int_equal(result.error, FLOW_OK);
        assert_int_equal(result.loops, cases[i].loops);
        assert_int_equal(result.branches, 1);
        assert_true(!result.loops || (result.loop_offset == fup && result.loop_ip == CODE + cases[i].at));
        flow_teardown(state);
        flow_setup(state);
    }
}

/* After a HLT an event finds a processor that has run the loop once, or not at all. */
static void a_loop_that_halts_goes_round_once_at_most(void **state)
{
    static const uint8_t program[] = {
        0xf4,       /* 00 hlt */
        0xeb, 0xfd, /* 01 jmp 00 */
        0xff, 0xe0, /* 03 jmp rax */
    };
    for (unsigned at = 0; at < 2; at++) {
        struct fixture *f = *state;
        add_page(f, CODE, 0x200000, 0, program, sizeof(program));
        put_psb(f, CODE + 3, true);
        put_ip(f, PT_PACKET_TIP, CODE + at);
        put_ip(f, PT_PACKET_FUP, CODE + 1);
        put_ip(f, PT_PACKET_TIP, CODE + 0x100);
        put_off(f, CODE + 0x100);
        start(f);
        const struct flow_result result = decode_twice(f);
        assert_int_equal(result.error, FLOW_OK);
        assert_int_equal(result.loops, at);
        assert_int_equal(result.branches, 2);
        flow_teardown(state);
        flow_setup(state);
    }
}

/* Calls to where rax points, each with its TIP, are no loop without packets, however many there are. */
static void many_indirect_calls_are_no_loop(void **state)
{
    static const uint8_t call[] = {0xff, 0xd0};
    static struct flow_input input;
    static uint8_t trace[3 * 70000 + 100];
    struct fixture *f = *state;
    uint64_t instructions, last;
    struct flow_stretch stretch;
    add_page(f, CODE, 0x200000, 0, call, sizeof(call));
    put_psb(f, CODE, true);
    start(f);
    memcpy(trace, f->trace, f->size);
    uint64_t size = f->size;
    for (unsigned i = 0; i < 70000; i++)
        size +=
            packet_encode(trace + size, &(struct packet){.kind = PT_PACKET_TIP, .ip_bytes = PT_IP_UPDATE_16, .ip = 0});
    size += packet_encode(trace + size, &(struct packet){.kind = PT_PACKET_FUP, .ip_bytes = PT_IP_UPDATE_16, .ip = 0});
    size += packet_encode(trace + size, &(struct packet){.kind = PT_PACKET_TIP_PGD});
    input = (struct flow_input){.trace = trace, .trace_size = size, .pages = &f->pages};
    flow_end(f->flow);
    f->flow = flow_start(&input, FLOW_NEED_HASH, &f->error);
    assert_true(flow_cut_next(&stretch, trace, size, &(struct flow_span){0, size}, 0));
    const struct flow_result result = decode_counted(f->flow, &stretch, &instructions, &last);
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.branches, 70000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(a_loop_without_a_packet_is_an_error),
        FLOW_TEST(rounds_of_a_loop_are_not_guessed),
        FLOW_TEST(rounds_before_an_interrupt_are_not_guessed),
        FLOW_TEST(a_loop_that_halts_goes_round_once_at_most),
        FLOW_TEST(many_indirect_calls_are_no_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
