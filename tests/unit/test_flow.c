/*
 * Control flow from packets made by the encoder and a few instructions of code: which branches come out, and what
 * belongs to which stretch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/flow.h"
#include "decode/flow_alias.h"
#include "decode/flow_cut.h"
#include "decode/truth.h"
#include "pt/packet.h"

#define CODE 0xffffffff81000000ull
#define ROOT 0xffff87f000000000ull

/* At CODE. */
static const uint8_t code[] = {
    0x85, 0xc0,                   /* 00 test eax, eax */
    0x74, 0x02,                   /* 02 jz 06 */
    0x90, 0x90,                   /* 04 nop; nop */
    0xe8, 0x05, 0x00, 0x00, 0x00, /* 06 call 10 */
    0xeb, 0xf3,                   /* 0b jmp 00 */
    0x90, 0x90, 0x90,             /* 0d */
    0xff, 0xe0,                   /* 10 jmp rax */
    0x90, 0x90,                   /* 12 */
    0xc3,                         /* 14 ret */
    0x90,                         /* 15 */
    0x48, 0xcf,                   /* 16 iretq */
};

/* At ROOT: what runs between a VM exit and the next VM entry with tracing on. */
static const uint8_t root_code[] = {
    0x90,             /* 00 nop */
    0x0f, 0x30,       /* 01 wrmsr: clears TraceEn */
    0x90,             /* 03 nop: set again */
    0x0f, 0x01, 0xc3, /* 04 vmresume */
};

struct fixture {
    uint8_t trace[4096];
    size_t size;
    uint64_t last_ip;
    uint8_t bytes[8][RECORD_PAGE_SIZE];
    struct page_record records[8];
    size_t nr_records;
    char file[64];
    struct truth_branch branches[64];
    size_t nr_branches;
    struct flow_pages pages;
    struct flow *flow;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    if (f->flow)
        flow_end(f->flow);
    flow_pages_free(&f->pages);
    if (f->file[0])
        unlink(f->file);
    free(f);
    return 0;
}

static void put(struct fixture *f, struct pt_packet packet)
{
    f->size += pt_packet_encode(f->trace + f->size, &packet);
}

static void put_ip(struct fixture *f, enum pt_packet_kind kind, uint64_t ip)
{
    struct pt_packet packet = {.kind = kind};
    packet.ip_bytes = (uint8_t)pt_ip_compress(&packet.ip, ip, f->last_ip);
    f->last_ip = ip;
    put(f, packet);
}

/* Bits as in ptdump: '!' taken, '.' not. */
static void put_tnt(struct fixture *f, const char *bits)
{
    struct pt_packet packet = {.kind = PT_PACKET_TNT_8, .tnt_bits = (uint8_t)strlen(bits)};
    for (; *bits; bits++)
        packet.tnt = packet.tnt << 1 | (*bits == '!');
    put(f, packet);
}

static void put_pip(struct fixture *f, bool non_root)
{
    put(f, (struct pt_packet){.kind = PT_PACKET_PIP, .cr3 = 0x1000, .non_root = non_root});
}

/* A PSB+; ip 0: tracing is off. */
static void put_psb(struct fixture *f, uint64_t ip, bool non_root)
{
    put(f, (struct pt_packet){.kind = PT_PACKET_PSB});
    f->last_ip = 0;
    put_pip(f, non_root);
    put(f, (struct pt_packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    if (ip)
        put_ip(f, PT_PACKET_FUP, ip);
    put(f, (struct pt_packet){.kind = PT_PACKET_PSBEND});
}

/* From a guest address out into root, tracing off. Returns the trace offset there. */
static uint64_t put_exit(struct fixture *f, uint64_t from)
{
    put_ip(f, PT_PACKET_FUP, from);
    put_pip(f, false);
    put_ip(f, PT_PACKET_TIP, ROOT);
    put_ip(f, PT_PACKET_FUP, ROOT + 1);
    put(f, (struct pt_packet){.kind = PT_PACKET_TIP_PGD});
    return f->size;
}

static void put_entry(struct fixture *f, uint64_t to)
{
    put_ip(f, PT_PACKET_TIP_PGE, ROOT + 3);
    put_pip(f, true);
    put_ip(f, PT_PACKET_TIP, to);
}

static void add_page(struct fixture *f, uint64_t gva, uint64_t gpa, uint64_t from, const uint8_t *bytes, size_t size)
{
    size_t i = f->nr_records++;
    memset(f->bytes[i], 0xcc, RECORD_PAGE_SIZE);
    memcpy(f->bytes[i], bytes, size);
    f->records[i] = (struct page_record){.gva = gva,
                                         .gpa = gpa,
                                         .from = from,
                                         .file_offset = i * RECORD_PAGE_SIZE,
                                         .bytes = f->bytes[i],
                                         .root = gva == ROOT};
}

static void add_code(struct fixture *f)
{
    add_page(f, CODE, 0x200000, 0, code, sizeof(code));
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
}

static void take_branch(void *context, uint64_t from, uint64_t to)
{
    struct fixture *f = context;
    assert_true(f->nr_branches < 64);
    f->branches[f->nr_branches++] = (struct truth_branch){from, to};
}

/* All is put: get ready to decode. */
static void start(struct fixture *f)
{
    assert_true(flow_pages_build(&f->pages, f->records, f->nr_records));
    strcpy(f->file, "/tmp/undertrace-test-XXXXXX");
    int fd = mkstemp(f->file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f->bytes, sizeof(f->bytes)), sizeof(f->bytes));
    close(fd);
    f->pages.file = strdup(f->file);
    static struct flow_input input;
    input = (struct flow_input){.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    f->flow = flow_start(&input, 0, &(struct flow_hooks){.branch = take_branch, .context = f});
    assert_non_null(f->flow);
}

/* Decode the stretch that begins at or behind from. */
static struct flow_result decode(struct fixture *f, uint64_t from)
{
    struct flow_stretch stretch;
    struct flow_result result;
    assert_true(flow_cut_next(&stretch, f->trace, f->size, from, UINT64_MAX));
    f->nr_branches = 0;
    flow_decode(f->flow, &stretch, &result);
    assert_int_equal(result.branches, f->nr_branches);
    uint64_t hash = TRUTH_HASH_SEED;
    for (size_t i = 0; i < f->nr_branches; i++)
        hash = truth_hash(hash, f->branches[i].from, f->branches[i].to);
    assert_int_equal(result.hash, hash);
    return result;
}

/* Pairs of offsets in the code, ended by -1. */
static void expect(const struct fixture *f, const int *pairs)
{
    size_t n = 0;
    for (; pairs[2 * n] >= 0; n++) {
        assert_true(n < f->nr_branches);
        assert_int_equal(f->branches[n].from, CODE + (unsigned)pairs[2 * n]);
        assert_int_equal(f->branches[n].to, CODE + (unsigned)pairs[2 * n + 1]);
    }
    assert_int_equal(f->nr_branches, n);
}

static void every_kind_of_near_branch(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");                       /* jz taken; call; jmp rax */
    put_ip(f, PT_PACKET_TIP, CODE + 0x14); /* ret, compressed */
    put_tnt(f, "!.");                      /* ...; jmp 00; jz not taken; call */
    put_ip(f, PT_PACKET_TIP, CODE + 0x14); /* ret, not compressed */
    put_ip(f, PT_PACKET_TIP, CODE + 0x0b);
    put_tnt(f, "!");
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x14, 0x14, 0x0b, 0x0b, 0x00, 0x02, 0x04, 0x06,
                      0x10, 0x10, 0x14, 0x14, 0x0b, 0x0b, 0x00, 0x02, 0x06, 0x06, 0x10, -1});
    /* test jz call jmp ret jmp / test jz nop nop call jmp ret jmp / test jz call, and the jmp that waits. */
    assert_int_equal(result.instructions, 6 + 8 + 4);
}

/* The decoder could walk on to the next branch that needs a packet: what is behind the PSB's address is not counted. */
static void a_stretch_ends_where_the_next_psb_says(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
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

/* The same where direct branches stand between the last packet and the PSB. */
static void direct_branches_before_the_psb_are_counted(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
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
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_psb(f, CODE + 0x14, true);
    start(f);
    assert_int_equal(decode(f, 0).error, FLOW_ERROR_BOUNDARY);
}

static void interrupts_are_branches_and_vm_exits_are_none(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_FUP, CODE + 0x06); /* interrupt to the iretq, which returns */
    put_ip(f, PT_PACKET_TIP, CODE + 0x16);
    put_ip(f, PT_PACKET_TIP, CODE + 0x06);
    put_exit(f, CODE + 0x10); /* behind the call */
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x16, 0x16, 0x06, 0x06, 0x10, 0x10, 0x00, -1});
    assert_int_equal(result.root_instructions, 3);
}

static void count_instruction(void *context, uint64_t ip)
{
    struct truth_branch *seen = context;
    seen->from++;
    seen->to = ip;
}

/* The instruction decoder sees what the block decoder sees. */
static void instruction_by_instruction_it_is_the_same(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_exit(f, CODE + 0x10);
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_tnt(f, ".");
    put_psb(f, CODE + 0x04, true);
    start(f);
    struct flow_result blocks = decode(f, 0), instructions;
    struct truth_branch seen = {0};
    struct flow_stretch stretch;
    struct flow_input input = {.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    flow_end(f->flow);
    f->flow = flow_start(&input, 0, &(struct flow_hooks){.instruction = count_instruction, .context = &seen});
    assert_true(flow_cut_next(&stretch, f->trace, f->size, 0, UINT64_MAX));
    flow_decode(f->flow, &stretch, &instructions);
    assert_int_equal(instructions.error, 0);
    assert_int_equal(instructions.branches, blocks.branches);
    assert_int_equal(instructions.hash, blocks.hash);
    assert_int_equal(instructions.instructions, blocks.instructions);
    assert_int_equal(seen.from, blocks.instructions);
    assert_int_equal(seen.to, CODE + 0x02);
}

/* The guest changes its code: jz becomes jmp. Between the exit and the entry the new page is sent. */
static void a_page_changes_between_exit_and_entry(void **state)
{
    struct fixture *f = *state;
    uint8_t changed[sizeof(code)];
    add_code(f);
    memcpy(changed, code, sizeof(code));
    changed[2] = 0xeb;
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    uint64_t from = put_exit(f, CODE + 0x10);
    add_page(f, CODE, 0x200000, from, changed, sizeof(changed));
    put_entry(f, CODE + 0x10);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    put_ip(f, PT_PACKET_TIP, CODE + 0x00);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f,
           (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x00, 0x02, 0x06, 0x06, 0x10, 0x10, 0x00, 0x02, 0x06, 0x06, 0x10, -1});
}

/* A kernel at its load address, then at its own: one record, and a neighbour that tells the distance. */
static void code_is_found_at_another_address_of_its_memory(void **state)
{
    struct fixture *f = *state;
    add_page(f, 0x200000, 0x200000, 0, code, sizeof(code));
    add_page(f, CODE + 0x5000, 0x205000, 0, root_code, sizeof(root_code));
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, CODE);
    start(f);
    assert_int_equal(decode(f, 0).error, 0);
    expect(f, (int[]){0x02, 0x06, 0x06, 0x10, 0x10, 0x00, -1});
}

static void code_that_was_not_captured_is_an_error_there(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_ip(f, PT_PACKET_TIP, 0x400000);
    put_tnt(f, "!");
    put_psb(f, CODE, true);
    size_t second = f->size;
    put_tnt(f, "!");
    start(f);
    struct flow_result result = decode(f, 0);
    assert_true(result.error < 0);
    assert_int_equal(result.error_ip, 0x400000);
    assert_int_equal(result.branches, 3);
    assert_string_equal(flow_error_text(result.error), "no memory mapped at this address");
    /* The next stretch does not suffer. */
    assert_int_equal(decode(f, 1).error, 0);
    assert_true(second > 0);
}

/* A PSB right behind a jump into a page that is executed, and sent, only after it. */
static void the_boundary_may_be_code_that_comes_later(void **state)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, CODE + 0x10, true);
    put_ip(f, PT_PACKET_TIP, 0x400000);
    put_psb(f, 0x400000, true);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.error, 0);
    assert_int_equal(result.branches, 1);
    assert_int_equal(result.last_to, 0x400000);
}

static void an_endless_loop_ends(void **state)
{
    static const uint8_t loop[] = {0xeb, 0xfe};
    struct fixture *f = *state;
    add_page(f, CODE, 0x200000, 0, loop, sizeof(loop));
    put_psb(f, CODE, true);
    start(f);
    f->nr_branches = 0;
    struct flow_stretch stretch;
    struct flow_result result;
    assert_true(flow_cut_next(&stretch, f->trace, f->size, 0, UINT64_MAX));
    flow_end(f->flow);
    static struct flow_input input;
    input = (struct flow_input){.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    f->flow = flow_start(&input, 0, &(struct flow_hooks){0});
    flow_decode(f->flow, &stretch, &result);
    assert_int_equal(result.error, FLOW_ERROR_LOOP);
}

static void stretches_end_at_gaps_too(void **state)
{
    struct fixture *f = *state;
    struct flow_stretch stretch;
    put_psb(f, CODE, true);
    put_tnt(f, "!!");
    size_t second = f->size;
    put_psb(f, CODE + 0x10, true);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, 0, UINT64_MAX));
    assert_int_equal(stretch.end, second);
    assert_true(stretch.has_boundary_ip);
    assert_int_equal(stretch.boundary_ip, CODE + 0x10);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, 0, second - 1));
    assert_int_equal(stretch.end, second - 1);
    assert_false(stretch.has_boundary_ip);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, 1, UINT64_MAX));
    assert_int_equal(stretch.begin, second);
    assert_int_equal(stretch.end, f->size);
    assert_false(flow_cut_next(&stretch, f->trace, f->size, second + 1, UINT64_MAX));
}

static void aliases_need_a_large_page(void **state)
{
    static const struct page_record records[] = {
        {.gva = 0x19800000, .gpa = 0x19800000},
        {.gva = 0xffffffff82403000, .gpa = 0x19803000}, /* 2 MiB apart from the identity */
        {.gva = 0x401000, .gpa = 0x19804000},           /* no large page could do that */
        {.gva = 0x7fff12345000, .gpa = 0x5000},         /* another 2 MiB */
    };
    struct aliases aliases;
    (void)state;
    assert_true(aliases_find(&aliases, records, 4));
    size_t i = aliases_first(&aliases, 0x19800000);
    assert_int_equal(aliases.items[i].gva, 0x19800000);
    assert_int_equal(aliases.items[i + 1].gpa, 0x19800000);
    assert_int_equal(aliases.items[i + 1].gva, 0xffffffff82400000);
    assert_int_equal(aliases.items[i + 2].gpa, 0x19803000);
    i = aliases_first(&aliases, 0x5000);
    assert_int_equal(i, 0);
    assert_true(aliases.count == 1 || aliases.items[1].gpa != 0x5000);
    assert_int_equal(aliases_first(&aliases, 0x6000), aliases.count);
    aliases_free(&aliases);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_near_branch),
        TEST(a_stretch_ends_where_the_next_psb_says),
        TEST(direct_branches_before_the_psb_are_counted),
        TEST(a_flow_that_misses_the_psb_is_an_error),
        TEST(interrupts_are_branches_and_vm_exits_are_none),
        TEST(instruction_by_instruction_it_is_the_same),
        TEST(a_page_changes_between_exit_and_entry),
        TEST(code_is_found_at_another_address_of_its_memory),
        TEST(code_that_was_not_captured_is_an_error_there),
        TEST(the_boundary_may_be_code_that_comes_later),
        TEST(an_endless_loop_ends),
        TEST(stretches_end_at_gaps_too),
        TEST(aliases_need_a_large_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
