/* Kind: shell, hot */
/*
 * The executable mappings in the guest's page tables, sent to the receiver as RECORD_MAP: one stretch
 * (vmx/guest/walk.h) at a time, and only where it differs from the last record of that stretch. The machine's lock is
 * held.
 */
#include "vmx/code/mappings.h"

#include "vmx/code/memory.h"
#include "vmx/code/page_fault.h"
#include "vmx/code/pages.h"
#include "vmx/code/record.h"
#include "vmx/config.h"
#include "vmx/cpu/cpu.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/kick.h"

const uint32_t vmx_map_memory_size = sizeof(struct code_memory);

static struct sent_map *sent_map_of(uint64_t space, uint64_t linear)
{
    const uint64_t slot =
        (space / RECORD_PAGE_SIZE ^ linear / (GUEST_STRETCH_ENTRIES * RECORD_PAGE_SIZE)) * HASH_FACTOR;

    return &code_memory()->maps[(slot >> 32) % NR_SENT_MAPS];
}

/* The moment from which a RECORD_MAP holds: fault_offset of struct record_map, and its flags. */
struct map_since {
    uint64_t offset;
    uint32_t flags;
};

/* --- pages that devices have written ----------------------------------------------------------------------------- */

static inline bool is_refilled(uint64_t gpa)
{
    uint32_t sum;
    const enum page_sent sent = page_sums_find(&code_memory()->sent, gpa, &sum);

    if (sent == PAGE_NEVER_SENT)
        return false;
    const void *page = guest_page(gpa);
    return page && (sent == PAGE_FORGOTTEN || sum != page_sum(page));
}

static __attribute__((cold, noinline)) bool large_refills_send(struct cpu *cpu, const struct guest_stretch *stretch,
                                                               uint64_t gpa, uint64_t space)
{
    bool any = false;

    for (uint64_t at = 0; at < stretch->size; at += RECORD_PAGE_SIZE)
        if (is_refilled(gpa + at))
            any |= code_page_refilled(cpu, gpa + at, stretch->linear + at, space);
    return any;
}

/* Send those of the pages that a device has written since they were sent. Any page may have been unmapped, refilled and
 * mapped again where it was. */
static bool refills_send(struct cpu *cpu, const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                         uint64_t space)
{
    bool any = false;

    if (stretch->large)
        return pages->executable && large_refills_send(cpu, stretch, guest_entry_gpa(pages->entries[0]), space);
    for (uint32_t left = pages->executable; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint64_t gpa = guest_entry_gpa(pages->entries[i]);

        if (is_refilled(gpa))
            any |= code_page_refilled(cpu, gpa, stretch->linear + i * RECORD_PAGE_SIZE, space);
    }
    return any;
}

/* --- one stretch ------------------------------------------------------------------------------------------------- */

static bool is_of_stretch(const struct sent_map *sent, const struct space_lifetime *lifetime,
                          const struct guest_stretch *stretch)
{
    return sent->generation == lifetime->generation && sent->space == lifetime->space &&
           sent->linear == stretch->linear;
}

/* The slot was never used; or its record is one of this stretch, and was invalidated when the space ended. */
static bool is_unsent(const struct sent_map *sent, const struct space_lifetime *lifetime,
                      const struct guest_stretch *stretch)
{
    return sent->generation == 0 || (sent->generation != lifetime->generation && sent->space == lifetime->space &&
                                     sent->linear == stretch->linear);
}

static void sent_map_update(struct cpu *cpu, struct sent_map *sent, struct space_lifetime *lifetime, uint64_t key,
                            const struct guest_stretch *stretch, const struct guest_stretch_pages *pages)
{
    *sent =
        (struct sent_map){lifetime->space, stretch->linear, pages->sum, lifetime->generation, pages->executable != 0};
    if (pages->executable)
        space_lifetime_recorded(cpu, lifetime, key,
                                stretch->linear + (uint32_t)__builtin_ctz(pages->executable) * RECORD_PAGE_SIZE);
}

static void pages_send(struct cpu *cpu, const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                       uint64_t space, struct map_since since)
{
    struct record_map_run runs[GUEST_STRETCH_ENTRIES];
    const uint32_t nr = guest_stretch_runs(stretch, pages, runs);

    record_map_send(cpu, (struct record_map){space, stretch->linear, stretch->size, since.offset, 0, nr, since.flags},
                    runs);
}

/* again: the fault's page was found mapped before. Returns which pages are executable, as in struct
 * guest_stretch_pages. */
static uint32_t stretch_send(struct cpu *cpu, const struct guest_stretch *stretch, const void *table, uint64_t key,
                             bool again, struct map_since since)
{
    const uint64_t space = guest_key_space(key);
    struct guest_stretch_pages pages;
    struct sent_map *sent = sent_map_of(space, stretch->linear);
    struct space_lifetime *lifetime = space_lifetime_of(cpu, space);

    guest_stretch_read(&pages, stretch, table);
    const bool same = is_of_stretch(sent, lifetime, stretch) ? sent->sum == pages.sum
                                                             : !pages.executable && is_unsent(sent, lifetime, stretch);
    if (same && again)
        return pages.executable;
    if (refills_send(cpu, stretch, &pages, space) || !same)
        pages_send(cpu, stretch, &pages, space, since);
    if (!same)
        sent_map_update(cpu, sent, lifetime, key, stretch, &pages);
    return pages.executable;
}

enum mapping mapping_send(struct cpu *cpu, const struct page_fault *fault, uint64_t offset)
{
    const struct guest_paging paging = guest_key_paging(fault->space);
    struct guest_stretch stretch;
    const struct map_since since = offset == ABSENT_UNKNOWN ? (struct map_since){fault->offset, RECORD_MAP_SCANNED}
                                                            : (struct map_since){offset, 0};

    /* A kernel with page-table isolation has user pages in its own space, where the table above forbids execution. */
    if (!guest_walk(&stretch, &paging, fault->linear, guest_entry_read, NULL))
        return stretch.forbidden ? MAPPING_DATA : MAPPING_ABSENT;
    const uint8_t *table = guest_ram(stretch.table);
    if (!table || !guest_stretch_maps(&stretch, table, fault->linear))
        return MAPPING_ABSENT;
    const uint64_t first = stretch.table;
    uint32_t executable = stretch_send(cpu, &stretch, table, fault->space, fault->mapped, since);
    if (guest_stretch_continues(&stretch, executable) && guest_stretch_next(&stretch))
        executable |= stretch_send(cpu, &stretch, table + (stretch.table - first), fault->space, fault->mapped, since);
    return executable ? MAPPING_CODE : MAPPING_DATA;
}

/* --- a whole space --------------------------------------------------------------------------------------------------
 */

struct space_walk {
    struct cpu *cpu;
    uint64_t key, space;
    struct map_since since;
    uint64_t begin_tsc;
    uint32_t nr_tables;
};

/* At least the tables that lead to one page table, so that each part makes progress. */
#define LEAST_TABLES 8u

static bool part_is_over(void *context)
{
    struct space_walk *walk = context;

    return ++walk->nr_tables > LEAST_TABLES && tsc_read() - walk->begin_tsc >= MAPPING_PART_TSC;
}

static const void *table_read(void *context, uint64_t table)
{
    (void)context;
    return guest_ram(table);
}

/* Skip stretches that have neither code nor an earlier record. Pages of which there is a record were checked for
 * refills when it was sent. */
static void walk_stretch(void *context, const struct guest_stretch *stretch)
{
    const struct space_walk *walk = context;
    struct guest_stretch_pages pages;
    const void *table = stretch->large ? NULL : guest_ram(stretch->table);

    if (!stretch->large && !table)
        return;
    guest_stretch_read(&pages, stretch, table);
    struct sent_map *sent = sent_map_of(walk->space, stretch->linear);
    struct space_lifetime *lifetime = space_lifetime_of(walk->cpu, walk->space);
    if (is_of_stretch(sent, lifetime, stretch) ? sent->sum == pages.sum : !pages.executable)
        return;
    (void)refills_send(walk->cpu, stretch, &pages, walk->space);
    pages_send(walk->cpu, stretch, &pages, walk->space, walk->since);
    sent_map_update(walk->cpu, sent, lifetime, walk->key, stretch, &pages);
}

__attribute__((cold, noinline)) uint64_t mapping_send_all(struct cpu *cpu, uint64_t key, uint64_t since, uint64_t from)
{
    const struct guest_paging paging = guest_key_paging(key);
    struct space_walk walk = {cpu, key, guest_key_space(key), {pt_offset(cpu->pt), 0}, tsc_read(), 0};

    if (since != ABSENT_UNKNOWN)
        walk.since = (struct map_since){since, RECORD_MAP_SCANNED};
    return guest_tables_each(&(struct guest_tables){table_read, walk_stretch, part_is_over, &walk}, &paging, from);
}

/* --- faults ------------------------------------------------------------------------------------------------------ */

/* Uses a number without a record: what other CPUs execute up to it, they executed before the faulting page is mapped.
 */
__attribute__((cold, noinline)) void mapping_fault_begins(struct cpu *cpu, uint64_t key, uint64_t linear)
{
    const uint64_t space = guest_key_space(key);
    struct sent_map *sent = sent_map_of(space, guest_stretch_of(linear));

    if (!sent->executable || sent->space != space || sent->linear != guest_stretch_of(linear))
        return;
    record_advance(cpu);
    kick_ept_changed(cpu);
}

/* Have the record of linear sent again: that of its part of a page table, or of a large page around it. */
static void sent_map_forget(uint64_t space, uint64_t linear)
{
    static const uint8_t shifts[] = {21, 22, 30};

    sent_map_of(space, guest_stretch_of(linear))->sum = 0;
    for (uint32_t i = 0; i < sizeof shifts; i++)
        sent_map_of(space, linear & ~((1ull << shifts[i]) - 1))->sum = 0;
}

__attribute__((cold, noinline)) void mapping_missed(struct cpu *cpu, const struct page_fault *fault)
{
    const uint64_t space = guest_key_space(fault->space), page = fault->linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1);

    record_map_send(cpu, (struct record_map){space, page, RECORD_PAGE_SIZE, fault->offset, 0, 0, 0}, NULL);
    sent_map_forget(space, fault->linear);
}
