/* Control flow in several address spaces: PIP packets say in which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/engine/flow_fixture.h"

#define KERNEL_AT 0xffffffff82000000ull
#define OTHER 0x900000ull
#define A 0x10000ull
#define B 0x20000ull
#define USER 0x400000ull

static const uint8_t kernel[] = {
    0x0f, 0x22, 0xd8, /* 00 mov cr3, rax */
    0xff, 0xe0,       /* 03 jmp rax */
};

/* Two programs at USER; in the second one the jump goes one byte farther. */
static const uint8_t program[] = {0x74, 0x02, 0x90, 0x90, 0x90, 0xff, 0xe0}; /* jz 4; 5: jmp rax */
static const uint8_t program_too[] = {0x74, 0x03, 0x90, 0x90, 0x90, 0xff, 0xe0};

static void put_space(struct fixture *f, uint64_t cr3, bool non_root)
{
    put(f, (struct packet){.kind = PT_PACKET_PIP, .cr3 = cr3, .non_root = non_root});
}

static void put_psb_in(struct fixture *f, uint64_t cr3, uint64_t ip)
{
    put(f, (struct packet){.kind = PT_PACKET_PSB});
    f->last_ip = 0;
    put_space(f, cr3, true);
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put_ip(f, PT_PACKET_FUP, ip);
    put(f, (struct packet){.kind = PT_PACKET_PSBEND});
}

static void put_off_at(struct fixture *f, uint64_t ip)
{
    put_ip(f, PT_PACKET_FUP, ip);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
}

static void add_page_of(struct fixture *f, uint64_t space, uint64_t gva, uint64_t gpa, uint64_t from,
                        const uint8_t *bytes, size_t size)
{
    add_page(f, gva, gpa, from, bytes, size);
    f->records[f->nr_records - 1].space = space;
    f->records[f->nr_records - 1].number = f->nr_records;
}

/* A map without a run: spaces count. */
static void add_empty_map(struct fixture *f, uint64_t space, uint64_t linear, uint64_t from)
{
    f->maps[f->nr_maps++] = (struct code_map){
        .space = space, .linear = linear, .size = 2 << 20, .number = 100 + from, .from = from, .earliest = from};
}

static void add_two_programs(struct fixture *f)
{
    add_page_of(f, A, KERNEL_AT, 0x600000, 0, kernel, sizeof(kernel));
    add_page_of(f, A, USER, 0x100000, 0, program, sizeof(program));
    add_page_of(f, B, USER, 0x200000, 0, program_too, sizeof(program_too));
    add_empty_map(f, A, 0x40000000, 0);
}

static void branches_are(const struct fixture *f, size_t n, const uint64_t (*pairs)[2])
{
    assert_int_equal(f->nr_branches, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(f->branches[i].from, pairs[i][0]);
        assert_int_equal(f->branches[i].to, pairs[i][1]);
    }
}

/* The PSB+ says which it is at first; the kernel's MOV to CR3 has a PIP, with PCIDs. */
static void a_mov_to_cr3_changes_the_code(void **state)
{
    struct fixture *f = *state;
    add_two_programs(f);
    put_psb_in(f, A, USER);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, KERNEL_AT);
    put_space(f, B | 0xfe0, true);
    put_ip(f, PT_PACKET_TIP, USER);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, KERNEL_AT);
    put_space(f, A, true);
    put_ip(f, PT_PACKET_TIP, USER);
    put_tnt(f, "!");
    put_off_at(f, USER + 5);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    branches_are(f, 7,
                 (const uint64_t[][2]){{USER, USER + 4},
                                       {USER + 5, KERNEL_AT},
                                       {KERNEL_AT + 3, USER},
                                       {USER, USER + 5},
                                       {USER + 5, KERNEL_AT},
                                       {KERNEL_AT + 3, USER},
                                       {USER, USER + 4}});
}

/* The hypervisor's code at an address that the guest uses, too. */
static void root_has_its_own_code(void **state)
{
    struct fixture *f = *state;
    add_two_programs(f);
    add_page_of(f, A, ROOT, 0x300000, 0, program, sizeof(program));
    f->records[f->nr_records - 1].root = false;
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
    put_psb_in(f, A, ROOT);
    put_tnt(f, "!");
    put_exit(f, ROOT + 5);
    put_ip(f, PT_PACKET_TIP_PGE, ROOT + 3);
    put_space(f, B, true);
    put_ip(f, PT_PACKET_TIP, USER);
    put_tnt(f, "!");
    put_off_at(f, USER + 5);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.root_instructions, 3);
    branches_are(f, 2, (const uint64_t[][2]){{ROOT, ROOT + 4}, {USER, USER + 5}});
}

/* Before any PIP it may be either, and they differ. */
static void without_a_pip_nothing_is_guessed(void **state)
{
    struct fixture *f = *state;
    add_two_programs(f);
    put(f, (struct packet){.kind = PT_PACKET_PSB});
    f->last_ip = 0;
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    put_ip(f, PT_PACKET_FUP, USER);
    put(f, (struct packet){.kind = PT_PACKET_PSBEND});
    put_tnt(f, "!");
    put_off_at(f, USER + 5);
    put_psb_in(f, B, USER);
    put_tnt(f, "!");
    put_off_at(f, USER + 5);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_ERROR_NO_CODE);
    assert_int_equal(result.error_ip, USER);
    /* The next PSB+ has one. */
    assert_int_equal(decode(f, 1).error, 0);
    branches_are(f, 1, (const uint64_t[][2]){{USER, USER + 5}});
}

static void put_entry_to(struct fixture *f, uint64_t cr3, uint64_t to)
{
    put_ip(f, PT_PACKET_TIP_PGE, ROOT + 3);
    put_space(f, cr3, true);
    put_ip(f, PT_PACKET_TIP, to);
}

/* A space's page moves, and later it is not known where it is, each while another space runs. */
static void mappings_change_while_another_space_runs(void **state)
{
    struct fixture *f = *state;
    add_two_programs(f);
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
    put_psb_in(f, A, USER);
    put_tnt(f, "!");
    uint64_t first = put_exit(f, USER + 5);
    add_page_of(f, A, USER, 0x200000, first, program_too, sizeof(program_too));
    put_entry_to(f, B, USER);
    put_tnt(f, "!");
    put_exit(f, USER + 5);
    put_entry_to(f, A, USER);
    put_tnt(f, "!");
    uint64_t second = put_exit(f, USER + 5);
    add_empty_map(f, A, USER, second);
    add_page_of(f, B, USER, 0x100000, second, program, sizeof(program));
    put_entry_to(f, B, USER);
    put_tnt(f, "!");
    put_exit(f, USER + 5);
    put_entry_to(f, A, USER);
    put_tnt(f, "!");
    put_off_at(f, USER + 5);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_ERROR_NO_CODE);
    assert_int_equal(result.error_ip, USER);
    branches_are(f, 4, (const uint64_t[][2]){{USER, USER + 4}, {USER, USER + 5}, {USER, USER + 5}, {USER, USER + 4}});
}

/* Root is seen, the guest's user mode is not: an exit from there has a PIP, the entry back has none. */
static void put_unseen_exit(struct fixture *f)
{
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    put_space(f, 0x3f001000, false);
    put_ip(f, PT_PACKET_TIP_PGE, ROOT + 3);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    put_ip(f, PT_PACKET_TIP_PGE, USER);
    put_tnt(f, "!");
}

/* ... so that it continues in the space that it had, if that was in the trace. */
static void a_guest_that_is_not_seen_keeps_its_space(void **state)
{
    struct fixture *f = *state;
    add_two_programs(f);
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
    put_psb_in(f, A, USER);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, KERNEL_AT);
    put_space(f, B, true);
    put_unseen_exit(f);
    put_off_at(f, USER + 5);
    put(f, (struct packet){.kind = PT_PACKET_OVF});
    put_ip(f, PT_PACKET_FUP, KERNEL_AT + 3);
    put_unseen_exit(f);
    put_off_at(f, USER + 5);
    start(f);
    const struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, FLOW_ERROR_NO_CODE);
    assert_int_equal(result.error_ip, USER);
    branches_are(f, 5,
                 (const uint64_t[][2]){{USER, USER + 4},
                                       {USER + 5, KERNEL_AT},
                                       {KERNEL_AT + 3, TRUTH_TO_UNRESOLVED},
                                       {USER, USER + 5},
                                       {KERNEL_AT + 3, TRUTH_TO_UNRESOLVED}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(a_mov_to_cr3_changes_the_code),
        FLOW_TEST(root_has_its_own_code),
        FLOW_TEST(without_a_pip_nothing_is_guessed),
        FLOW_TEST(mappings_change_while_another_space_runs),
        FLOW_TEST(a_guest_that_is_not_seen_keeps_its_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
