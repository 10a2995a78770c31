/* Packets and code for the tests of the flow; see flow_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/decode/engine/flow_fixture.h"

#include "decode/report/cause_text.h"

/* At CODE. */
const uint8_t code[CODE_SIZE] = {
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
const uint8_t root_code[ROOT_CODE_SIZE] = {
    0x90,             /* 00 nop */
    0x0f, 0x30,       /* 01 wrmsr: clears TraceEn */
    0x90,             /* 03 nop: set again */
    0x0f, 0x01, 0xc3, /* 04 vmresume */
};

int flow_setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

int flow_teardown(void **state)
{
    struct fixture *f = *state;
    if (f->flow)
        flow_end(f->flow);
    code_pages_free(&f->pages);
    if (f->file[0])
        unlink(f->file);
    free(f);
    return 0;
}

void put(struct fixture *f, struct packet packet)
{
    f->size += packet_encode(f->trace + f->size, &packet);
}

void put_ip(struct fixture *f, enum packet_kind kind, uint64_t ip)
{
    struct packet packet = {.kind = kind};
    packet.ip_bytes = (uint8_t)pt_ip_compress(&packet.ip, ip, f->last_ip);
    f->last_ip = ip;
    put(f, packet);
}

void put_tnt(struct fixture *f, const char *bits)
{
    struct packet packet = {.kind = PT_PACKET_TNT_8, .tnt_bits = (uint8_t)strlen(bits)};
    for (; *bits; bits++)
        packet.tnt = packet.tnt << 1 | (*bits == '!');
    put(f, packet);
}

void put_pip(struct fixture *f, bool non_root)
{
    put(f, (struct packet){.kind = PT_PACKET_PIP, .cr3 = 0x1000, .non_root = non_root});
}

void put_psb(struct fixture *f, uint64_t ip, bool non_root)
{
    put(f, (struct packet){.kind = PT_PACKET_PSB});
    f->last_ip = 0;
    put_pip(f, non_root);
    put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
    if (ip)
        put_ip(f, PT_PACKET_FUP, ip);
    put(f, (struct packet){.kind = PT_PACKET_PSBEND});
}

uint64_t put_exit(struct fixture *f, uint64_t from)
{
    put_ip(f, PT_PACKET_FUP, from);
    put_pip(f, false);
    put_ip(f, PT_PACKET_TIP, ROOT);
    put_ip(f, PT_PACKET_FUP, ROOT + 1);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
    return f->size;
}

void put_entry(struct fixture *f, uint64_t to)
{
    put_ip(f, PT_PACKET_TIP_PGE, ROOT + 3);
    put_pip(f, true);
    put_ip(f, PT_PACKET_TIP, to);
}

void put_off(struct fixture *f, uint64_t at)
{
    put_ip(f, PT_PACKET_FUP, at);
    put(f, (struct packet){.kind = PT_PACKET_TIP_PGD});
}

void add_page(struct fixture *f, uint64_t gva, uint64_t gpa, uint64_t from, const uint8_t *bytes, size_t size)
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

void add_code(struct fixture *f)
{
    add_page(f, CODE, 0x200000, 0, code, sizeof(code));
    add_page(f, ROOT, 0x3f000000, 0, root_code, sizeof(root_code));
}

struct fixture *begin_code(void **state, uint64_t ip)
{
    struct fixture *f = *state;
    add_code(f);
    put_psb(f, ip, true);
    return f;
}

void decode_stretch(struct fixture *f, const struct flow_stretch *stretch, struct flow_result *result)
{
    const struct flow_batch *batch;
    flow_begin(f->flow, stretch);
    while ((batch = flow_next(f->flow))) {
        if (batch->kind == FLOW_BATCH_END)
            *result = *batch->result;
        if (batch->kind != FLOW_BATCH_ITEMS)
            continue;
        assert_true(f->nr_branches + batch->count <= 256);
        for (size_t i = 0; i < batch->count; i++)
            f->branches[f->nr_branches++] =
                (struct truth_branch){batch->items[i].branch.from, batch->items[i].branch.to};
    }
}

void start(struct fixture *f)
{
    struct page_record *records = malloc(sizeof(f->records));
    struct code_map *maps = malloc(sizeof(f->maps));
    assert_true(records && maps);
    memcpy(records, f->records, sizeof(f->records));
    memcpy(maps, f->maps, sizeof(f->maps));
    assert_true(code_pages_build(&f->pages, records, f->nr_records, maps, f->nr_maps));
    strcpy(f->file, "/tmp/undertrace-test-XXXXXX");
    int fd = mkstemp(f->file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f->bytes, sizeof(f->bytes)), sizeof(f->bytes));
    close(fd);
    f->pages.file = strdup(f->file);
    f->input.trace = f->trace;
    f->input.trace_size = f->size;
    f->input.pages = &f->pages;
    f->flow = flow_start(&f->input, FLOW_NEED_BRANCHES | FLOW_NEED_HASH, &f->error);
    assert_non_null(f->flow);
}

struct flow_result decode(struct fixture *f, uint64_t from)
{
    struct flow_stretch stretch;
    struct flow_result result;
    assert_true(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){0, f->size}, from));
    f->nr_branches = 0;
    decode_stretch(f, &stretch, &result);
    assert_int_equal(result.branches, f->nr_branches);
    uint64_t hash = TRUTH_HASH_SEED;
    for (size_t i = 0; i < f->nr_branches; i++)
        hash = truth_hash(hash, f->branches[i].from, f->branches[i].to);
    assert_int_equal(result.hash, hash);
    return result;
}

void expect(const struct fixture *f, const int *pairs)
{
    size_t n = 0;
    for (; pairs[2 * n] >= 0; n++) {
        assert_true(n < f->nr_branches);
        assert_int_equal(f->branches[n].from, CODE + (unsigned)pairs[2 * n]);
        assert_int_equal(f->branches[n].to, CODE + (unsigned)pairs[2 * n + 1]);
    }
    assert_int_equal(f->nr_branches, n);
}

struct flow_result decode_counted(struct flow *flow, const struct flow_stretch *stretch, uint64_t *instructions,
                                  uint64_t *last)
{
    struct flow_result result = {0};
    const struct flow_batch *batch;
    *instructions = *last = 0;
    flow_begin(flow, stretch);
    while ((batch = flow_next(flow))) {
        if (batch->kind == FLOW_BATCH_END)
            result = *batch->result;
        for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++) {
            assert_int_equal(batch->tags[i], FLOW_TAG_INSTRUCTION);
            ++*instructions;
            *last = batch->items[i].instruction;
        }
    }
    return result;
}

struct flow_result decode_single(struct fixture *f)
{
    static struct flow_input input;
    uint64_t instructions, last;
    struct flow_result single;
    struct flow_stretch stretch;
    input = (struct flow_input){.trace = f->trace, .trace_size = f->size, .pages = &f->pages};
    struct flow *flow = flow_start(&input, FLOW_NEED_INSTRUCTIONS | FLOW_NEED_HASH, &f->error);
    assert_non_null(flow);
    assert_true(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){0, f->size}, 0));
    single = decode_counted(flow, &stretch, &instructions, &last);
    flow_end(flow);
    assert_int_equal(instructions, single.instructions);
    return single;
}

struct flow_result decode_twice(struct fixture *f)
{
    struct flow_result result = decode(f, 0), single = decode_single(f);
    assert_string_equal(flow_error_text(single.error), flow_error_text(result.error));
    assert_int_equal(single.branches, result.branches);
    assert_int_equal(single.hash, result.hash);
    assert_int_equal(single.instructions, result.instructions);
    return result;
}
