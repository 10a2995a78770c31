/*
 * Which version of a page a CPU could run at an offset of its trace, where several CPUs send pages and their records
 * arrive in any order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/code/code_pages.h"
#include "decode/code/code_seen.h"

#define KERNEL 0xffffffff81000000ull
#define USER 0x400000ull
#define MAX_RECORDS 8u

/* A record and its payload: a page of number's low byte. */
struct made {
    struct record_page page;
    uint8_t bytes[RECORD_PAGE_SIZE];
};

static struct made payloads[MAX_RECORDS];
static struct capture_record made[MAX_RECORDS];
static size_t nr_made;

static int reset(void **state)
{
    (void)state;
    nr_made = 0;
    return 0;
}

static void page(uint16_t cpu, uint64_t offset, uint64_t number, uint64_t gpa, uint64_t gva)
{
    struct made *payload = &payloads[nr_made];
    *payload = (struct made){.page = {.gpa = gpa, .gva = gva, .mode = 64, .size = RECORD_PAGE_SIZE, .number = number}};
    memset(payload->bytes, (int)number, sizeof(payload->bytes));
    made[nr_made] = (struct capture_record){
        .header = {.kind = RECORD_PAGE, .cpu = cpu, .length = sizeof(*payload), .trace_offset = offset},
        .events_offset = 8192 * nr_made,
        .payload = (const uint8_t *)payload};
    nr_made++;
}

static void seen(uint16_t cpu, uint64_t offset, uint64_t number)
{
    struct record_seen record = {number};
    memcpy(&payloads[nr_made], &record, sizeof(record));
    made[nr_made] = (struct capture_record){
        .header = {.kind = RECORD_SEEN, .cpu = cpu, .length = sizeof(record), .trace_offset = offset},
        .events_offset = 8192 * nr_made,
        .payload = (const uint8_t *)&payloads[nr_made]};
    nr_made++;
}

static void collect(struct code_pages *pages, const struct capture_record *records, uint16_t cpu)
{
    struct capture capture = {.directory = (char *)(uintptr_t) "none", .nr_cpus = 2, .nr_records = nr_made};
    struct error error = {0};
    capture.records = (struct capture_record *)(uintptr_t)records;
    assert_true(code_pages_collect(pages, &capture, cpu, &error));
}

/* The version of the page at gva at the CPU's offset; -1: none. */
static int version_in(const struct capture_record *records, uint16_t cpu, uint64_t offset, uint64_t gva)
{
    struct code_pages pages;
    uint8_t byte;
    collect(&pages, records, cpu);
    int version = code_pages_read(&pages, CODE_SPACE_UNKNOWN, offset, gva + 7, &byte, 1) == 1 ? byte : -1;
    code_pages_free(&pages);
    return version;
}

/* In each order that the records can have in events.bin. */
static void version_is(uint16_t cpu, uint64_t offset, uint64_t gva, int version)
{
    struct capture_record order[MAX_RECORDS];
    size_t orders = 1;
    for (size_t i = 2; i <= nr_made; i++)
        orders *= i;
    for (size_t n = 0; n < orders; n++) {
        size_t rest = n, left = nr_made;
        struct capture_record from[MAX_RECORDS];
        memcpy(from, made, sizeof(from));
        for (size_t i = 0; i < nr_made; i++, left--) {
            size_t pick = rest % left;
            rest /= left;
            order[i] = from[pick];
            order[i].events_offset = 8192 * i;
            memmove(&from[pick], &from[pick + 1], (left - pick - 1) * sizeof(from[0]));
        }
        if (version_in(order, cpu, offset, gva) != version)
            fail_msg("CPU %u at %u, order %zu: version %d, should be %d", cpu, (unsigned)offset, n,
                     version_in(order, cpu, offset, gva), version);
    }
}

static void one_cpu_needs_no_seen(void **state)
{
    (void)state;
    page(0, 10, 1, 0x1000, KERNEL);
    page(0, 90, 2, 0x1000, KERNEL);
    version_is(0, 10, KERNEL, 1);
    version_is(0, 89, KERNEL, 1);
    version_is(0, 90, KERNEL, 2);
}

/* CPU 0 patches code that CPU 1 runs: each has its own moment, and both may be far apart in their traces. */
static void a_patch_holds_from_each_cpus_own_moment(void **state)
{
    (void)state;
    page(0, 1000, 1, 0x1000, KERNEL);
    seen(1, 5, 1);
    page(0, 2000, 2, 0x1000, KERNEL);
    seen(1, 50, 2);
    version_is(0, 1999, KERNEL, 1);
    version_is(0, 2000, KERNEL, 2);
    version_is(1, 5, KERNEL, 1);
    version_is(1, 49, KERNEL, 1);
    version_is(1, 50, KERNEL, 2);
}

/* CPU 1 takes over two versions at once: what lay between it never ran. */
static void skipped_versions_never_ran(void **state)
{
    (void)state;
    page(0, 1, 1, 0x1000, KERNEL);
    page(0, 2, 2, 0x1000, KERNEL);
    page(0, 3, 3, 0x1000, KERNEL);
    seen(1, 10, 1);
    seen(1, 20, 3);
    version_is(1, 19, KERNEL, 1);
    version_is(1, 20, KERNEL, 3);
    struct code_pages pages;
    collect(&pages, made, 1);
    for (uint64_t offset = 0; offset < 30; offset++) {
        const struct code_found found = code_pages_find(&pages, CODE_SPACE_UNKNOWN, offset, KERNEL);
        assert_int_equal(found.page->number, offset < 20 ? 1 : 3);
        assert_true(found.until == (offset < 10 ? 10u : offset < 20 ? 20u : UINT64_MAX));
    }
    code_pages_free(&pages);
}

/* To send a page itself, a CPU must have taken over all that came before. */
static void an_own_page_counts_as_seen(void **state)
{
    (void)state;
    page(0, 70, 1, 0x1000, KERNEL);
    page(0, 80, 2, 0x1000, KERNEL);
    page(1, 30, 3, 0x2000, KERNEL + 0x1000);
    seen(1, 40, 4);
    page(0, 90, 4, 0x1000, KERNEL);
    version_is(1, 30, KERNEL, 2);
    version_is(1, 39, KERNEL, 2);
    version_is(1, 40, KERNEL, 4);
    version_is(1, 30, KERNEL + 0x1000, 3);
    version_is(0, 90, KERNEL + 0x1000, 3);
}

/* Both patch the same page in turn. */
static void two_cpus_patch_in_turn(void **state)
{
    (void)state;
    page(0, 100, 1, 0x1000, KERNEL);
    page(1, 10, 2, 0x1000, KERNEL);
    seen(0, 200, 2);
    page(0, 300, 3, 0x1000, KERNEL);
    seen(1, 20, 3);
    version_is(0, 199, KERNEL, 1);
    version_is(0, 200, KERNEL, 2);
    version_is(0, 300, KERNEL, 3);
    version_is(1, 10, KERNEL, 2);
    version_is(1, 20, KERNEL, 3);
}

static void what_a_cpu_never_saw_it_never_ran(void **state)
{
    (void)state;
    page(0, 1, 1, 0x1000, KERNEL);
    seen(1, 10, 1);
    page(0, 2, 2, 0x1000, KERNEL);
    page(0, 3, 3, 0x3000, KERNEL + 0x3000);
    version_is(1, 1000, KERNEL, 1);
    version_is(1, 1000, KERNEL + 0x3000, -1);
}

static void number_0_holds_from_the_start_everywhere(void **state)
{
    (void)state;
    page(0, 0, 0, 0x3f000000, KERNEL);
    seen(1, 77, 5);
    version_is(0, 0, KERNEL, 0);
    version_is(1, 0, KERNEL, 0);
}

/* Two processes at one address on two CPUs, and one kernel: the lower half is each CPU's, the upper half is one. */
static void the_lower_half_may_differ(void **state)
{
    (void)state;
    page(0, 100, 1, 0x1000, USER);
    page(1, 100, 2, 0x2000, USER);
    seen(0, 200, 2);
    page(0, 300, 3, 0x5000, KERNEL);
    page(1, 300, 4, 0x6000, KERNEL);
    seen(0, 400, 4);
    version_is(0, 200, USER, 1);
    version_is(1, 100, USER, 2);
    version_is(0, 300, KERNEL, 3);
    version_is(0, 400, KERNEL, 4);
}

static void a_process_that_moved_is_found(void **state)
{
    (void)state;
    page(0, 100, 1, 0x1000, USER);
    seen(1, 50, 1);
    version_is(1, 50, USER, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_cpu_needs_no_seen),
        TEST(a_patch_holds_from_each_cpus_own_moment),
        TEST(skipped_versions_never_ran),
        TEST(an_own_page_counts_as_seen),
        TEST(two_cpus_patch_in_turn),
        TEST(what_a_cpu_never_saw_it_never_ran),
        TEST(number_0_holds_from_the_start_everywhere),
        TEST(the_lower_half_may_differ),
        TEST(a_process_that_moved_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
