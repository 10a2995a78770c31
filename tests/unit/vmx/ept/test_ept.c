/*
 * The machine's EPT tree of large machines, walked as the processor walks it: SDM "The Extended Page Table Mechanism
 * (EPT)". The code is the hypervisor's own, vmx/ept/ept.c; only what it reads of the hardware is the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/msr.h"

static uint64_t ept_vpid_cap; /* pages of 1 GiB, or none */
static uint64_t memory_end;
static bool alternating; /* types: every 8 KBytes another one */

static uint64_t fake_msr_read(uint32_t msr)
{
    (void)msr;
    return ept_vpid_cap;
}

#define msr_read fake_msr_read
#include "vmx/ept/ept.c"
#undef msr_read
#include "vmx/ept/tables.c"

struct machine machine;

bool memory_types_read(void)
{
    return true;
}

/* As MTRRs say it: the hole below 4 GiB and addresses after memory are uncached. */
int memory_type_of(uint64_t start, uint64_t size)
{
    const struct range hole = {0x80000000, FOUR_GIB};
    const uint64_t end = start + size;
    if (alternating)
        return size > 2 * EPT_PAGE_SIZE          ? MEMORY_TYPE_MIXED
               : start / (2 * EPT_PAGE_SIZE) % 2 ? MEMORY_TYPE_UC
                                                 : MEMORY_TYPE_WB;
    if (start >= memory_end || (start >= hole.start && end <= hole.end))
        return MEMORY_TYPE_UC;
    if (end > memory_end || (start < hole.end && end > hole.start))
        return size == EPT_PAGE_SIZE ? MEMORY_TYPE_UC : MEMORY_TYPE_MIXED;
    return MEMORY_TYPE_WB;
}

void ept_views_follow(uint64_t gpa, unsigned level, uint64_t entry)
{
    (void)gpa;
    (void)level;
    (void)entry;
}

void ept_views_follow_all(void)
{
}

uint64_t *ept_view_open(struct cpu *cpu, uint64_t gpa)
{
    (void)cpu;
    (void)gpa;
    return NULL;
}

static const char *failed;
static jmp_buf after_failure;

void fail_stop_here(const char *why)
{
    failed = why;
    longjmp(after_failure, 1);
}

/* The processor's walk. 0: an EPT violation. */
static uint64_t walk(uint64_t gpa, uint64_t *entry)
{
    const uint64_t *table = root;
    for (unsigned level = 4;; level--) {
        const uint64_t size = 0x1000ull << 9 * (level - 1);
        *entry = table[gpa / size % 512];
        if (!(*entry & 7))
            return 0;
        if (level == 1 || (*entry & 0x80)) {
            assert_true(level < 4 && (level < 3 || ept_vpid_cap));
            assert_int_equal(*entry & 0x000ffffffffff000ull & (size - 1), 0);
            return (*entry & 0x000ffffffffff000ull) | (gpa & (size - 1));
        }
        table = ept_table_at(*entry);
    }
}

#define GIB (1ull << 30)
#define TIB (1ull << 40)

static struct vmx_machine large(uint64_t top, bool gib_pages)
{
    const uint32_t pages = vmx_ept_pages_least(top);
    void *memory =
        mmap(NULL, 4096ull * pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    memory_end = top;
    ept_vpid_cap = gib_pages ? EPT_CAP_1G : 0;
    return (struct vmx_machine){.reserved = {0x70000000, 0x7a200000},
                                .top_of_memory = top,
                                .code_pages = true,
                                .ports = {.hidden_mmio = {96 * TIB + 0x100000, 96 * TIB + 0x120000}},
                                .ept_pool = memory,
                                .nr_ept_pages = pages};
}

static void build(uint64_t top, bool gib_pages)
{
    machine.config = large(top, gib_pages);
    assert_null(ept_build(&machine.config));
}

static void release(void)
{
    munmap(machine.config.ept_pool, 4096ull * machine.config.nr_ept_pages);
}

static void expect(uint64_t gpa, int type, uint64_t rights)
{
    uint64_t entry;
    assert_int_equal(walk(gpa, &entry), gpa);
    assert_int_equal(entry >> 3 & 7, type);
    assert_int_equal(entry & 7, rights);
    assert_int_equal(ept_lookup(gpa), entry);
    assert_int_equal(ept_is_memory(gpa), type == MEMORY_TYPE_WB);
}

static void all_of_it_is_mapped(void **state)
{
    (void)state;
    static const uint64_t tops[] = {3 * GIB, TIB, TIB + 4096, TIB + 0x12345000, 3 * TIB / 2, 12 * TIB};
    for (unsigned i = 0; i < 2 * sizeof tops / sizeof tops[0]; i++) {
        const uint64_t top = tops[i / 2];
        uint64_t entry;
        build(top, i % 2);
        const uint64_t places[] = {0,         0x6ffff000,          0x7a200000, 4 * GIB,
                                   511 * GIB, 512 * GIB - 4096,    512 * GIB,  TIB - 4096,
                                   TIB,       top / 2 & ~0xfffull, top - 4096};
        for (unsigned k = 0; k < sizeof places / sizeof places[0]; k++)
            if (places[k] < top && !(places[k] >= 0x80000000 && places[k] < FOUR_GIB))
                expect(places[k], MEMORY_TYPE_WB, 3);
        expect(0xfee00000, MEMORY_TYPE_UC, 3);
        for (uint64_t at = machine.config.reserved.start; at < machine.config.reserved.end; at += 0x1ff000)
            assert_int_equal(walk(at, &entry), 0);
        assert_int_equal(walk(top > FOUR_GIB ? top : FOUR_GIB, &entry), 0);
        release();
    }
}

/* Addresses beyond the top are not mapped, whatever memory type the MTRRs give them. */
static void nothing_beyond_the_top_is_mapped(void **state)
{
    (void)state;
    const uint64_t tops[] = {TIB + 4096, TIB + 0x12345000, 3 * TIB / 2};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t entry;
        machine.config = large(tops[i], true);
        memory_end = 64 * TIB;
        assert_null(ept_build(&machine.config));
        expect(tops[i] - 4096, MEMORY_TYPE_WB, 3);
        assert_int_equal(walk(tops[i], &entry), 0);
        release();
    }
}

/* A BAR high above memory is hidden. The range next to it is mapped on its first violation, without the BAR. */
static void what_is_hidden_stays_hidden(void **state)
{
    (void)state;
    const uint64_t bar = 96 * TIB + 0x100000;
    for (unsigned gib_pages = 0; gib_pages < 2; gib_pages++) {
        uint64_t entry;
        build(3 * TIB / 2, gib_pages);
        const uint64_t nexts[] = {bar - 4096, bar + 0x20000, bar + GIB, 96 * TIB - 4096, 3 * TIB / 2, 2 * TIB};
        for (unsigned k = 0; k < sizeof nexts / sizeof nexts[0]; k++) {
            assert_int_equal(walk(nexts[k], &entry), 0);
            ept_map_missing(nexts[k]);
            expect(nexts[k], MEMORY_TYPE_UC, 3);
            for (uint64_t at = bar; at < bar + 0x20000; at += 4096) {
                assert_int_equal(walk(at, &entry), ones_pa);
                assert_int_equal(entry & 7, EPT_READ);
                assert_true(ept_is_hidden(at));
            }
        }
        /* Our own memory is shown as ones, page by page. */
        ept_map_missing(machine.config.reserved.end - 1);
        assert_int_equal(walk(machine.config.reserved.end - 1, &entry), ones_pa | 0xfff);
        assert_int_equal(walk(machine.config.reserved.end - 4097, &entry), 0);
        expect(machine.config.reserved.end, MEMORY_TYPE_WB, 3);
        release();
    }
}

/* Code in so many places of 2 MiB, as far apart as memory has them; with more than that the machine stops, with a
 * reason. */
static void code_may_be_anywhere(void **state)
{
    (void)state;
    const uint64_t top = 3 * TIB / 2, places = 32 * GIB >> 21, step = top / places & ~0xfffull;
    build(top, true);
    for (uint64_t i = 0; i < places; i++) {
        const uint64_t gpa = i * step;
        if (ept_is_memory(gpa)) {
            ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
            expect(gpa, MEMORY_TYPE_WB, 5);
            expect(gpa + 4096, MEMORY_TYPE_WB, 3);
        }
    }
    uint64_t entry;
    assert_int_equal(walk(4 * GIB + step - 4096, &entry), 4 * GIB + step - 4096);
    failed = NULL;
    if (setjmp(after_failure) == 0)
        for (uint64_t gpa = 4 * GIB; gpa < top; gpa += 1ull << 21)
            ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
    assert_string_equal(failed, "the EPT page pool is exhausted");
    release();
}

static void too_few_pages_are_said(void **state)
{
    (void)state;
    struct vmx_machine config = large(TIB + 4096, true);
    config.nr_ept_pages--;
    assert_string_equal(ept_build(&config), "too few pages for EPT tables");
    munmap(config.ept_pool, 4096ull * (config.nr_ept_pages + 1));
}

/* A mask of IA32_MTRR_PHYSMASKn need not be contiguous: types may alternate everywhere, in memory and outside. */
static void types_that_alternate(void **state)
{
    (void)state;
    static const uint64_t tops[] = {128ull << 20, 3 * GIB, 20 * GIB};
    if (setjmp(after_failure))
        fail_msg("%s", failed);
    for (unsigned i = 0; i < 2 * sizeof tops / sizeof tops[0]; i++) {
        alternating = false;
        build(tops[i / 2], i % 2);
        alternating = true;
        assert_true(ept_memory_types_update());
        for (uint64_t gpa = 0; gpa < tops[i / 2]; gpa += EPT_PAGE_SIZE) {
            if (gpa >= machine.config.reserved.start && gpa < machine.config.reserved.end)
                continue;
            expect(gpa, gpa / (2 * EPT_PAGE_SIZE) % 2 ? MEMORY_TYPE_UC : MEMORY_TYPE_WB, EPT_READ | EPT_WRITE);
        }
        uint64_t entry;
        assert_int_equal(walk(FOUR_GIB - EPT_PAGE_SIZE, &entry), FOUR_GIB - EPT_PAGE_SIZE);
        for (uint64_t gpa = 0; gpa < tops[i / 2]; gpa += 2 << 20) /* all memory can become executable */
            ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
        ept_map_missing(5 * TIB); /* and devices above it are mapped */
        assert_int_equal(walk(5 * TIB + 0x123, &entry), 5 * TIB + 0x123);
        release();
    }
    alternating = false;
}

/* More places above memory than there are tables for: none is mapped wrongly, and what was built stays. */
static void places_without_end(void **state)
{
    (void)state;
    if (setjmp(after_failure))
        fail_msg("%s", failed);
    for (unsigned round = 0; round < 3; round++) {
        unsigned forgotten = 0;
        uint64_t entry;

        build(3 * GIB, round % 2);
        alternating = round == 2;
        for (uint64_t n = 0; n < 5000; n++) {
            const uint64_t gpa =
                (n * 7919 % 8000 + 6) * (n % 3 ? GIB : TIB / 2) % (1ull << 46) + n * EPT_PAGE_SIZE + 4 * GIB;

            if (walk(gpa, &entry) == gpa)
                continue;
            assert_int_equal(entry & 7, 0);
            if (!ept_missing_has_room()) {
                ept_missing_forget();
                forgotten++;
            }
            ept_map_missing(gpa);
            assert_int_equal(walk(gpa, &entry), gpa);
            assert_int_equal(entry & 7, EPT_READ | EPT_WRITE);
        }
        assert_true(forgotten > 10);
        assert_int_equal(walk(2 * GIB + 0x1234, &entry), 2 * GIB + 0x1234);
        assert_int_equal(walk(machine.config.ports.hidden_mmio.start, &entry), ones_pa);
        release();
    }
    alternating = false;
}

/* As many units of a machine as there can be, each in another 2 MBytes, of the smallest and of a large machine. */
static void filtered_pages_exit(void **state)
{
    (void)state;
    static uint64_t pages[128];
    for (uint64_t i = 0; i < 128; i++)
        pages[i] = 0x80000000 + i * 0xa01000;
    for (unsigned round = 0; round < 2; round++) {
        uint64_t entry;
        machine.config = large(round ? 16 * TIB : 256 << 20, round);
        machine.config.reserved = (struct range){0x8000000, 0x9000000};
        machine.config.filter = (struct vmx_filter){.pages = pages, .nr_pages = 128};
        machine.config.nr_ept_pages += 128;
        munmap(machine.config.ept_pool, 4096ull * (machine.config.nr_ept_pages - 128));
        machine.config.ept_pool = mmap(NULL, 4096ull * machine.config.nr_ept_pages, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_null(ept_build(&machine.config));
        for (unsigned i = 0; i < 128; i++) {
            assert_int_equal(walk(pages[i], &entry), 0);
            assert_int_equal(walk(pages[i] + 0xfff, &entry), 0);
            assert_int_equal(walk(pages[i] - 1, &entry), pages[i] - 1);
            assert_int_equal(walk(pages[i] + 0x1000, &entry), pages[i] + 0x1000);
        }
        release();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_that_alternate),        cmocka_unit_test(places_without_end),
        cmocka_unit_test(all_of_it_is_mapped),         cmocka_unit_test(nothing_beyond_the_top_is_mapped),
        cmocka_unit_test(what_is_hidden_stays_hidden), cmocka_unit_test(code_may_be_anywhere),
        cmocka_unit_test(too_few_pages_are_said),      cmocka_unit_test(filtered_pages_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
