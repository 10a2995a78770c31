/* One time line of several CPUs: branches by TSC, patched code on each side of its own moment, what has no time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/flow/merged.h"
#include "decode/receive/store.h"
#include "decode/report/timeline.h"
#include "tests/unit/decode/engine/flow_fixture.h"

struct merged_branch {
    unsigned cpu;
    uint64_t tsc, from, to;
};

struct merge_fixture {
    char directory[40];
    struct store *store;
    uint64_t offsets[2];
    struct error error;
    struct merged_branch branches[64];
    size_t nr_branches;
    struct merged merged;
    struct fixture cpus[2]; /* the packets of each */
};

static int merge_setup(void **state)
{
    struct merge_fixture *f = calloc(1, sizeof(*f));
    strcpy(f->directory, "/tmp/test_merged.XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    f->store = store_create(f->directory, &f->error);
    assert_non_null(f->store);
    *state = f;
    return 0;
}

static int merge_teardown(void **state)
{
    struct merge_fixture *f = *state;
    char command[64];
    snprintf(command, sizeof(command), "rm -rf %s", f->directory);
    free(f);
    return system(command);
}

static void put_record(struct merge_fixture *f, uint16_t cpu, enum record_kind kind, uint64_t trace_offset,
                       const void *payload, uint32_t length)
{
    static uint8_t bytes[8192];
    struct record_header header = {.kind = (uint16_t)kind, .cpu = cpu, .length = length, .trace_offset = trace_offset};
    size_t size = sizeof(header) + ((length + 7u) & ~7u);
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + sizeof(header), payload, length);
    assert_true(store_records(f->store, cpu, f->offsets[cpu], bytes, size));
    f->offsets[cpu] += size;
}

static void put_code(struct merge_fixture *f, uint16_t cpu, uint64_t trace_offset, uint64_t number,
                     const uint8_t *bytes, size_t size)
{
    struct {
        struct record_page page;
        uint8_t bytes[RECORD_PAGE_SIZE];
    } record = {.page = {.gpa = 0x200000, .gva = CODE, .mode = 64, .size = RECORD_PAGE_SIZE, .number = number}};
    memset(record.bytes, 0xcc, sizeof(record.bytes));
    memcpy(record.bytes, bytes, size);
    put_record(f, cpu, RECORD_PAGE, trace_offset, &record, sizeof(record));
}

static void put_tsc(struct fixture *cpu, uint64_t tsc)
{
    put(cpu, (struct packet){.kind = PT_PACKET_TSC, .payload = tsc});
}

static void keep(void *context, uint16_t cpu, uint64_t tsc, const union flow_item *branches, size_t count)
{
    struct merge_fixture *f = context;
    assert_true(f->nr_branches + count <= 64);
    for (size_t i = 0; i < count; i++)
        f->branches[f->nr_branches++] =
            (struct merged_branch){cpu, tsc, branches[i].branch.from, branches[i].branch.to};
}

static void merge_captured(struct merge_fixture *f)
{
    for (uint16_t cpu = 0; cpu < 2; cpu++)
        assert_true(store_trace(f->store, cpu, 0, f->cpus[cpu].trace, f->cpus[cpu].size));
    assert_true(store_close(f->store));
    struct capture *capture = capture_open(f->directory, &f->error);
    assert_non_null(capture);
    assert_true(merged_run(&f->merged, capture, 2, keep, f, &f->error));
    capture_close(capture);
}

/* jz, taken or not, n times, each with a time: the loop of flow_fixture.c needs a TNT and a TIP a round. */
static void put_round(struct fixture *cpu, uint64_t tsc)
{
    put_tsc(cpu, tsc);
    put_tnt(cpu, "!");
    put_ip(cpu, PT_PACKET_TIP, CODE);
}

static void branches_come_by_time(void **state)
{
    struct merge_fixture *f = *state;
    struct record_seen seen = {1};
    put_code(f, 0, 0, 1, code, CODE_SIZE);
    put_record(f, 1, RECORD_SEEN, 0, &seen, sizeof(seen));
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        put_psb(&f->cpus[cpu], CODE, true);
        for (uint64_t i = 0; i < 4; i++)
            put_round(&f->cpus[cpu], 1000 + 100 * i + 50 * cpu);
        put_off(&f->cpus[cpu], CODE);
    }
    merge_captured(f);
    assert_int_equal(f->merged.branches[0], 4 * 3);
    assert_int_equal(f->merged.branches[1], 4 * 3);
    assert_int_equal(f->merged.errors[0] + f->merged.errors[1], 0);
    unsigned changes = 0;
    for (size_t i = 1; i < f->nr_branches; i++) {
        assert_true(f->branches[i].tsc >= f->branches[i - 1].tsc);
        changes += f->branches[i].cpu != f->branches[i - 1].cpu;
    }
    assert_in_range(changes, 5, 9); /* they take turns */
    assert_int_equal(f->branches[f->nr_branches - 1].cpu, 1);
    assert_int_equal(f->branches[f->nr_branches - 1].tsc, 1350);
}

/* CPU 0 makes a jump of the jz; CPU 1 runs the old code until its own exit. */
static void patched_code_runs_from_each_cpus_own_moment(void **state)
{
    struct merge_fixture *f = *state;
    uint8_t changed[CODE_SIZE];
    struct record_seen seen = {1};
    memcpy(changed, code, sizeof(changed));
    changed[2] = 0xeb;
    put_record(f, 1, RECORD_SEEN, 0, &seen, sizeof(seen)); /* before the page itself arrives */
    put_code(f, 0, 0, 1, code, CODE_SIZE);
    put_psb(&f->cpus[1], CODE, true);
    put_psb(&f->cpus[0], 0, true);
    put_code(f, 0, f->cpus[0].size, 2, changed, CODE_SIZE);
    put_tsc(&f->cpus[0], 1000);
    put_ip(&f->cpus[0], PT_PACKET_TIP_PGE, CODE);
    put_ip(&f->cpus[0], PT_PACKET_TIP, CODE); /* jmp, call, jmp rax */
    put_round(&f->cpus[1], 1100);             /* jz, call, jmp rax */
    put_tnt(&f->cpus[1], "!");
    put_ip(&f->cpus[1], PT_PACKET_TIP_PGD, CODE); /* leaves by the jmp rax */
    seen.number = 2;
    put_record(f, 1, RECORD_SEEN, f->cpus[1].size, &seen, sizeof(seen));
    put_ip(&f->cpus[1], PT_PACKET_TIP_PGE, CODE);
    put_ip(&f->cpus[1], PT_PACKET_TIP, CODE); /* jmp, call, jmp rax: no TNT */
    for (unsigned cpu = 0; cpu < 2; cpu++)
        put_off(&f->cpus[cpu], CODE + 0x10); /* jmp, call of the next round */
    merge_captured(f);
    assert_int_equal(f->merged.errors[0] + f->merged.errors[1], 0);
    assert_int_equal(f->merged.branches[0], 3 + 2);
    assert_int_equal(f->merged.branches[1], 3 + 3 + 3 + 2);
}

static void without_tsc_packets_the_time_is_0(void **state)
{
    struct merge_fixture *f = *state;
    struct record_seen seen = {1};
    put_code(f, 0, 0, 1, code, CODE_SIZE);
    put_record(f, 1, RECORD_SEEN, 0, &seen, sizeof(seen));
    put_psb(&f->cpus[0], CODE, true);
    put_round(&f->cpus[0], 1000);
    put_psb(&f->cpus[1], CODE, true);
    put_tnt(&f->cpus[1], "!");
    put_ip(&f->cpus[1], PT_PACKET_TIP, CODE);
    merge_captured(f);
    assert_int_equal(f->merged.untimed[0], 0);
    assert_int_equal(f->merged.untimed[1], f->merged.branches[1]);
    assert_true(f->merged.branches[1] >= 3);
    assert_int_equal(f->branches[0].cpu, 1);
}

static void a_time_line_has_equal_spans(void **state)
{
    const struct flow_result first[] = {{.tsc = 1000, .branches = 1}, {.tsc = 2600, .branches = 2}};
    const struct flow_result second[] = {{.tsc = 1101, .branches = 4}, {.branches = 8}};
    struct timeline timeline = {0};
    char *text = NULL;
    size_t size;
    (void)state;
    timeline_take(&timeline, 0, first, 2);
    timeline_take(&timeline, 1, second, 2);
    assert_int_equal(timeline.untimed, 1);
    FILE *file = open_memstream(&text, &size);
    timeline_json(file, &timeline, 2);
    fclose(file);
    assert_string_equal(text, "{\"tsc_from\": 1000, \"tsc_to\": 2600, \"ticks\": 101, \"branches\": "
                              "[[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], "
                              "[0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]}");
    free(text);
    timeline_free(&timeline);
}

#define MERGE_TEST(name) cmocka_unit_test_setup_teardown(name, merge_setup, merge_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MERGE_TEST(branches_come_by_time),
        MERGE_TEST(patched_code_runs_from_each_cpus_own_moment),
        MERGE_TEST(without_tsc_packets_the_time_is_0),
        cmocka_unit_test(a_time_line_has_equal_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
