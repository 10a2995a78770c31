/* What the flow engine decides by the manual only: where libipt decides otherwise, or cannot decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/engine/flow_fixture.h"

static struct flow_result decode_program(struct fixture *f, const uint8_t *program, size_t size)
{
    add_page(f, CODE, 0x200000, 0, program, size);
    start(f);
    return decode(f, 0);
}

/* SDM 36.4.2.3: bits of branches before and after a TIP are in one TNT before the TIPs. */
static void tips_wait_for_the_bits_before_them(void **state)
{
    static const uint8_t program[] = {
        0x74, 0x00, /* 00 jz 02 */
        0xff, 0xe0, /* 02 jmp rax */
        0x74, 0x00, /* 04 jz 06 */
        0xff, 0xe0, /* 06 jmp rax */
        0x74, 0xf6, /* 08 jz 00 */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_tnt(f, "!.!");
    put(f, (struct packet){.kind = PT_PACKET_MTC, .payload = 3});
    put_ip(f, PT_PACKET_TIP, CODE + 0x04);
    put_ip(f, PT_PACKET_TIP, CODE + 0x08);
    put_off(f, CODE);
    assert_int_equal(decode_program(f, program, sizeof(program)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x02, 0x02, 0x04, 0x04, 0x06, 0x06, 0x08, 0x08, 0x00, -1});
}

static const uint8_t calls[] = {
    0xe8, 0x05, 0x00, 0x00, 0x00, /* 00 call 0a */
    0x74, 0xf9,                   /* 05 jz 00 */
    0x90, 0x90, 0x90,             /* 07 */
    0x74, 0x00,                   /* 0a jz 0c */
    0xc3,                         /* 0c ret */
};

/* With DisRETC a RET has a TIP like any other, which may wait for bits. */
static void without_compression_a_ret_takes_no_bit(void **state)
{
    struct fixture *f = *state;
    f->input.returns_whole = true;
    put_psb(f, CODE, true);
    put_tnt(f, "!.");
    put_ip(f, PT_PACKET_TIP, CODE + 0x05);
    put_off(f, CODE + 0x07);
    assert_int_equal(decode_program(f, calls, sizeof(calls)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x0a, 0x0a, 0x0c, 0x0c, 0x05, 0x05, 0x07, -1});
}

static void with_compression_it_does(void **state)
{
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_tnt(f, "!!.");
    put_off(f, CODE + 0x07);
    assert_int_equal(decode_program(f, calls, sizeof(calls)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x0a, 0x0a, 0x0c, 0x0c, 0x05, 0x05, 0x07, -1});
}

static void a_compressed_ret_needs_its_call(void **state)
{
    struct fixture *f = *state;
    put_psb(f, CODE + 0x0a, true);
    put_tnt(f, "!!");
    assert_int_equal(decode_program(f, calls, sizeof(calls)).error, FLOW_ERROR_RETURN);
    expect(f, (int[]){0x0a, 0x0c, -1});
}

/* SDM 36.4.2.2: each RET pops. A function changes where it returns to; its caller's RET is compressed. */
static void an_uncompressed_ret_pops_too(void **state)
{
    static const uint8_t program[] = {
        0xe8, 0x03, 0x00, 0x00, 0x00, /* 00 call 08 */
        0x74, 0xf9,                   /* 05 jz 00 */
        0x90,                         /* 07 */
        0xe8, 0x03, 0x00, 0x00, 0x00, /* 08 call 10 */
        0x90,                         /* 0d */
        0xc3,                         /* 0e ret */
        0x90,                         /* 0f */
        0xc3,                         /* 10 ret, to 0e */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_ip(f, PT_PACKET_TIP, CODE + 0x0e);
    put_tnt(f, "!.");
    put_off(f, CODE + 0x07);
    assert_int_equal(decode_program(f, program, sizeof(program)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x08, 0x08, 0x10, 0x10, 0x0e, 0x0e, 0x05, 0x05, 0x07, -1});
}

/* A CALL to the next instruction only reads the IP: no RET belongs to it. */
static void a_call_of_no_length_is_none(void **state)
{
    static const uint8_t program[] = {
        0xe8, 0x02, 0x00, 0x00, 0x00, /* 00 call 07 */
        0x74, 0xf9,                   /* 05 jz 00 */
        0xe8, 0x00, 0x00, 0x00, 0x00, /* 07 call 0c */
        0x58,                         /* 0c pop rax */
        0xc3,                         /* 0d ret */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_tnt(f, "!.");
    put_off(f, CODE + 0x07);
    assert_int_equal(decode_program(f, program, sizeof(program)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x07, 0x07, 0x0c, 0x0d, 0x05, 0x05, 0x07, -1});
}

/* The stack holds 64: of 66 CALLs, the two oldest RETs are not compressed. */
static void the_oldest_calls_are_forgotten(void **state)
{
    static const uint8_t program[] = {
        0x74, 0x08,                   /* 00 jz 0a */
        0xe8, 0xf9, 0xff, 0xff, 0xff, /* 02 call 00 */
        0x90,                         /* 07 */
        0xc3,                         /* 08 ret */
        0x90,                         /* 09 */
        0xc3,                         /* 0a ret */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    for (unsigned i = 0; i < 66; i++)
        put_tnt(f, ".");
    put_tnt(f, "!");
    for (unsigned i = 0; i < 64; i++)
        put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, CODE + 0x07);
    put_ip(f, PT_PACKET_TIP, CODE + 0x07);
    put_off(f, CODE + 0x08);
    add_page(f, CODE, 0x200000, 0, program, sizeof(program));
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.branches, 66 * 2 + 1 + 66);
}

/* INTO: nothing where OF is 0; else an interrupt, with its address in a FUP. */
static void into_is_an_interrupt_or_nothing(void **state)
{
    static const uint8_t program[] = {
        0xce,       /* 00 into */
        0x74, 0xfd, /* 01 jz 00 */
        0xcf,       /* 03 iret */
    };
    struct fixture *f = *state;
    put(f, (struct packet){.kind = PT_PACKET_PSB});
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_d = true});
    put(f, (struct packet){.kind = PT_PACKET_FUP, .ip_bytes = PT_IP_FULL_64, .ip = 0x8000});
    put(f, (struct packet){.kind = PT_PACKET_PSBEND});
    f->last_ip = 0x8000;
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_FUP, 0x8000);
    put_ip(f, PT_PACKET_TIP, 0x8003);
    put_ip(f, PT_PACKET_TIP, 0x8001);
    put_off(f, 0x8001);
    add_page(f, 0x8000, 0x200000, 0, program, sizeof(program));
    start(f);
    assert_int_equal(decode(f, 0).error, FLOW_OK);
    assert_int_equal(f->nr_branches, 3);
    assert_int_equal(f->branches[0].from, 0x8001);
    assert_int_equal(f->branches[1].from, 0x8000);
    assert_int_equal(f->branches[1].to, 0x8003);
}

/* Row 10e with a task switch: a far jump with a PIP and a TIP. */
static void a_task_switch_has_a_pip_and_a_tip(void **state)
{
    static const uint8_t program[] = {
        0x90,       /* 00 nop */
        0xff, 0x28, /* 01 jmp far [rax] */
        0x90,       /* 03 */
        0x74, 0xfa, /* 04 jz 00 */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_pip(f, true);
    put_ip(f, PT_PACKET_TIP, CODE + 0x04);
    put_tnt(f, "!");
    put_off(f, CODE);
    struct flow_result result = decode_program(f, program, sizeof(program));
    assert_int_equal(result.error, FLOW_OK);
    expect(f, (int[]){0x01, 0x04, 0x04, 0x00, -1});
    assert_int_equal(result.instructions, 3);
}

static const uint8_t switches[] = {
    0x0f, 0x22, 0xd8, /* 00 mov cr3, rax */
    0x0f, 0x22, 0xd8, /* 03 mov cr3, rax */
    0x74, 0xf8,       /* 06 jz 00 */
    0x48, 0xcf,       /* 08 iretq */
};

/* Rows 5c, 5d: the first MOV to CR3 has its PIP, the second has none: it left the context. */
static void a_mov_to_cr3_without_a_pip_leaves(void **state)
{
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_pip(f, true);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    struct flow_result result = decode_program(f, switches, sizeof(switches));
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.branches, 0);
    assert_int_equal(result.instructions, 2);
}

/* Row 10c: both have their PIPs, so it is the IRET that leaves. */
static void after_their_pips_it_is_another_one(void **state)
{
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_pip(f, true);
    put_pip(f, true);
    put_tnt(f, ".");
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    assert_int_equal(decode_program(f, switches, sizeof(switches)).error, FLOW_OK);
    assert_int_equal(f->nr_branches, 2);
    assert_int_equal(f->branches[1].from, CODE + 0x08);
    assert_int_equal(f->branches[1].to, TRUTH_TO_UNRESOLVED);
}

/* Row 5e: with an IP it is that of the next instruction. */
static void a_mov_to_cr3_may_leave_with_an_ip(void **state)
{
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_ip(f, PT_PACKET_TIP_PGD, CODE + 0x03);
    struct flow_result result = decode_program(f, switches, sizeof(switches));
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(result.branches, 0);
    assert_int_equal(result.instructions, 1);
}

/* An instruction that reaches into the next page, which changes: first it is jz +2, then jz +4. */
static void an_instruction_on_two_pages_is_of_both(void **state)
{
    static uint8_t first[RECORD_PAGE_SIZE];
    static const uint8_t second[] = {0x02, 0xeb, 0xfc, 0xeb, 0xfa, 0xeb, 0xf8};
    static const uint8_t changed[] = {0x04, 0xeb, 0xfc, 0xeb, 0xfa, 0xeb, 0xf8};
    struct fixture *f = *state;
    memset(first, 0x90, sizeof(first));
    first[0xfff] = 0x74;
    put_psb(f, CODE + 0xffe, true);
    put_tnt(f, "!");
    put_exit(f, CODE + 0x1003);
    const uint64_t at = f->size;
    put_entry(f, CODE + 0xfff);
    put_tnt(f, "!");
    put_off(f, CODE + 0x1005);
    add_page(f, CODE, 0x200000, 0, first, sizeof(first));
    add_page(f, CODE + 0x1000, 0x201000, 0, second, sizeof(second));
    add_page(f, CODE + 0x1000, 0x201000, at, changed, sizeof(changed));
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
    start(f);
    assert_int_equal(decode(f, 0).error, FLOW_OK);
    expect(f, (int[]){0xfff, 0x1003, 0xfff, 0x1005, -1});
}

/* The same bytes as 64-bit code and as 32-bit code: 48 is a prefix, or DEC EAX. */
static void modes_do_not_share_blocks(void **state)
{
    static const uint8_t program[] = {
        0x48, 0x90, /* 8000 nop, or dec eax and nop */
        0x74, 0xfc, /* 8002 jz 8000 */
        0xff, 0x28, /* 8004 jmp far */
    };
    struct fixture *f = *state;
    put_psb(f, 0x8000, true);
    put_tnt(f, "!.");
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_d = true});
    put_ip(f, PT_PACKET_TIP, 0x8000);
    put_tnt(f, "!");
    put_off(f, 0x8000);
    add_page(f, 0x8000, 0x200000, 0, program, sizeof(program));
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_OK);
    assert_int_equal(f->nr_branches, 4);
    assert_int_equal(result.instructions, 2 + 2 + 1 + 3);
}

/* Software interrupts have a FUP with their own address. */
static void an_interrupt_of_the_program_has_a_fup(void **state)
{
    static const uint8_t program[] = {
        0xcd, 0x80, /* 00 int 80h */
        0x74, 0xfc, /* 02 jz 00 */
        0x48, 0xcf, /* 04 iretq */
    };
    struct fixture *f = *state;
    put_psb(f, CODE, true);
    put_ip(f, PT_PACKET_FUP, CODE);
    put_ip(f, PT_PACKET_TIP, CODE + 0x04);
    put_ip(f, PT_PACKET_TIP, CODE + 0x02);
    put_tnt(f, "!");
    put_off(f, CODE);
    assert_int_equal(decode_program(f, program, sizeof(program)).error, FLOW_OK);
    expect(f, (int[]){0x00, 0x04, 0x04, 0x02, 0x02, 0x00, -1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(tips_wait_for_the_bits_before_them),
        FLOW_TEST(without_compression_a_ret_takes_no_bit),
        FLOW_TEST(with_compression_it_does),
        FLOW_TEST(a_compressed_ret_needs_its_call),
        FLOW_TEST(an_uncompressed_ret_pops_too),
        FLOW_TEST(a_call_of_no_length_is_none),
        FLOW_TEST(the_oldest_calls_are_forgotten),
        FLOW_TEST(into_is_an_interrupt_or_nothing),
        FLOW_TEST(a_task_switch_has_a_pip_and_a_tip),
        FLOW_TEST(a_mov_to_cr3_without_a_pip_leaves),
        FLOW_TEST(after_their_pips_it_is_another_one),
        FLOW_TEST(a_mov_to_cr3_may_leave_with_an_ip),
        FLOW_TEST(an_instruction_on_two_pages_is_of_both),
        FLOW_TEST(modes_do_not_share_blocks),
        FLOW_TEST(an_interrupt_of_the_program_has_a_fup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
