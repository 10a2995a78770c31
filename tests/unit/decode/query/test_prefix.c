/* What two captures begin with alike: bytes, records of code, and what does not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/query/prefix.h"

#define NR_STRETCHES 4u
#define STRETCH 100u
#define SIZE (NR_STRETCHES * STRETCH)

/* A capture of one CPU, with a page, a message and a mapping, and its index. */
struct side {
    uint8_t trace[SIZE];
    struct record_page page;
    struct record_map map;
    struct capture_record records[3];
    struct capture capture;
    struct index_header header;
    struct index_stretch stretches[NR_STRETCHES];
    struct index_chunk chunk;
    struct indexed_capture indexed;
};

static void make(struct side *side)
{
    *side = (struct side){.page = {.gpa = 0x1000, .number = 1}, .map = {.cr3 = 0x2000, .fault_offset = 240}};
    memset(side->trace, 0x55, SIZE);
    side->records[0] = (struct capture_record){{RECORD_PAGE, 0, sizeof(side->page), 10, 111}, 0, (void *)&side->page};
    side->records[1] = (struct capture_record){{RECORD_LOG, 0, 2, 20, 222}, 0, (const void *)"hi"};
    side->records[2] = (struct capture_record){{RECORD_MAP, 0, sizeof(side->map), 250, 333}, 0, (void *)&side->map};
    side->capture = (struct capture){.records = side->records, .nr_records = 3, .nr_cpus = 1};
    side->capture.cpus[0] = (struct capture_trace){.present = true, .bytes = side->trace, .size = SIZE};
    side->header.counts[INDEX_CHUNKS] = 1;
    side->header.counts[INDEX_STRETCHES] = NR_STRETCHES;
    for (uint64_t i = 0; i < NR_STRETCHES; i++)
        side->stretches[i] = (struct index_stretch){i * STRETCH, (i + 1) * STRETCH, 5, 10 + i};
    side->chunk = (struct index_chunk){.nr_stretches = NR_STRETCHES};
    side->indexed.capture = &side->capture;
    side->indexed.index =
        (struct query_index){.header = &side->header, .stretches = side->stretches, .chunks = &side->chunk};
}

static struct side a, b;

static int setup(void **state)
{
    (void)state;
    make(&a);
    make(&b);
    return 0;
}

static void expect(uint64_t end, uint64_t branches)
{
    const struct indexed_capture *const captures[2] = {&a.indexed, &b.indexed};
    const struct prefix prefix = prefix_find(captures, 0);
    assert_int_equal(prefix.end, end);
    assert_int_equal(prefix.branches, branches);
}

static void all_but_the_last_stretch_is_left_out(void **state)
{
    (void)state;
    expect(300, 10 + 11 + 12);
}

static void messages_and_times_do_not_matter(void **state)
{
    (void)state;
    b.records[1].payload = (const void *)"ho";
    b.records[2].header.tsc = 1;
    expect(300, 10 + 11 + 12);
}

static void a_byte_differs(void **state)
{
    (void)state;
    b.trace[299] ^= 1;
    expect(100, 10);
}

static void the_first_byte_differs(void **state)
{
    (void)state;
    b.trace[0] ^= 1;
    expect(0, 0);
}

static void a_trace_ends_early(void **state)
{
    (void)state;
    b.capture.cpus[0].size = 250;
    b.stretches[2].end = 250;
    expect(100, 10);
}

static void other_code_counts_from_its_record_on(void **state)
{
    (void)state;
    b.page.gpa = 0x3000;
    expect(0, 0);
}

static void another_mapping_counts_from_its_fault_on(void **state)
{
    (void)state;
    b.map.cr3 = 0x3000;
    expect(100, 10);
}

static void a_record_of_only_one_counts(void **state)
{
    (void)state;
    b.capture.nr_records = 2;
    expect(100, 10);
}

static void records_of_another_cpu_are_its_own(void **state)
{
    (void)state;
    a.records[2].header.cpu = b.records[2].header.cpu = 1;
    b.map.cr3 = 0x3000;
    expect(300, 10 + 11 + 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_but_the_last_stretch_is_left_out, setup),
        cmocka_unit_test_setup(messages_and_times_do_not_matter, setup),
        cmocka_unit_test_setup(a_byte_differs, setup),
        cmocka_unit_test_setup(the_first_byte_differs, setup),
        cmocka_unit_test_setup(a_trace_ends_early, setup),
        cmocka_unit_test_setup(other_code_counts_from_its_record_on, setup),
        cmocka_unit_test_setup(another_mapping_counts_from_its_fault_on, setup),
        cmocka_unit_test_setup(a_record_of_only_one_counts, setup),
        cmocka_unit_test_setup(records_of_another_cpu_are_its_own, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
