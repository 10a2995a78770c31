/* Kind: shell, hot */
/*
 * What the guest's page tables have executable, told to the receiver as RECORD_MAP: one page table's stretch at a time,
 * and only where it is not as it was told last.
 *
 * Shell; the machine's lock is held.
 */
#include "vmx/guest_map.h"

#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/guest_memory.h"
#include "vmx/guest_walk.h"
#include "vmx/map_memory.h"
#include "vmx/map_record.h"
#include "vmx/space_life.h"
#include "vmx/space_look.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

const uint32_t vmx_map_memory_size = sizeof(struct map_memory);

struct space_look *guest_map_space_looks(void)
{
    return map_memory()->looks;
}

static struct told *told_of(uint64_t space, uint64_t linear)
{
    const uint64_t place =
        (space / RECORD_PAGE_SIZE ^ linear / (GUEST_STRETCH_ENTRIES * RECORD_PAGE_SIZE)) * HASH_FACTOR;

    return &map_memory()->told[(place >> 32) % NR_TOLD];
}

/* From when on what is told holds: fault_offset of struct record_map, and its flags. */
struct offset_told {
    uint64_t offset;
    uint32_t flags;
};

/* Has a device written the page since it was sent? */
static inline bool is_refilled(uint64_t gpa)
{
    return page_sums_differ(&map_memory()->sent, gpa, phys_to_virt(gpa));
}

static __attribute__((cold, noinline)) bool large_refills_tell(struct cpu *cpu, const struct guest_stretch *stretch,
                                                               uint64_t gpa, uint64_t space)
{
    bool any = false;

    for (uint64_t at = 0; at < stretch->size; at += RECORD_PAGE_SIZE)
        if (is_refilled(gpa + at))
            any |= code_page_refilled(cpu, gpa + at, stretch->linear + at, space);
    return any;
}

/* Any page may have been unmapped, refilled and mapped again where it was. */
static bool refills_tell(struct cpu *cpu, const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                         uint64_t space)
{
    bool any = false;

    if (stretch->large)
        return pages->executable && large_refills_tell(cpu, stretch, guest_entry_gpa(pages->entries[0]), space);
    for (uint32_t left = pages->executable; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint64_t gpa = guest_entry_gpa(pages->entries[i]);

        if (is_refilled(gpa))
            any |= code_page_refilled(cpu, gpa, stretch->linear + i * RECORD_PAGE_SIZE, space);
    }
    return any;
}

static bool is_told_of(const struct told *told, const struct space_life *life, const struct guest_stretch *stretch)
{
    return told->life == life->life && told->space == life->space && told->linear == stretch->linear;
}

/* Nothing was ever told of what has its place here; or of this stretch, and it ended with the life before. */
static bool is_untold(const struct told *told, const struct space_life *life, const struct guest_stretch *stretch)
{
    return told->life == 0 ||
           (told->life != life->life && told->space == life->space && told->linear == stretch->linear);
}

static void told_is(struct cpu *cpu, struct told *told, struct space_life *life, const struct guest_stretch *stretch,
                    const struct guest_stretch_pages *pages)
{
    *told = (struct told){life->space, stretch->linear, pages->sum, life->life, pages->executable != 0};
    if (pages->executable)
        space_life_told(cpu, life, stretch->linear + (uint32_t)__builtin_ctz(pages->executable) * RECORD_PAGE_SIZE);
}

static void pages_send(struct cpu *cpu, const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                       uint64_t space, struct offset_told since)
{
    struct record_map_run runs[GUEST_STRETCH_ENTRIES];
    const uint32_t nr = guest_stretch_runs(stretch, pages, runs);

    map_record_send(cpu, (struct record_map){space, stretch->linear, stretch->size, since.offset, 0, nr, since.flags},
                    runs);
}

/* Returns which pages are executable, as in struct guest_stretch_pages. */
static uint32_t stretch_tell(struct cpu *cpu, const struct guest_stretch *stretch, uint64_t space, bool again,
                             struct offset_told since)
{
    struct guest_stretch_pages pages;
    struct told *told = told_of(space, stretch->linear);
    struct space_life *life = space_life_of(cpu, space);

    guest_stretch_read(&pages, stretch, phys_to_virt(stretch->table));
    const bool same =
        is_told_of(told, life, stretch) ? told->sum == pages.sum : !pages.executable && is_untold(told, life, stretch);
    if (same && again)
        return pages.executable;
    if (refills_tell(cpu, stretch, &pages, space) || !same)
        pages_send(cpu, stretch, &pages, space, since);
    if (!same)
        told_is(cpu, told, life, stretch, &pages);
    return pages.executable;
}

enum guest_map_found guest_map_tell(struct cpu *cpu, const struct page_fault *fault, uint64_t offset)
{
    const struct guest_paging paging = guest_paging(fault->cr3);
    const uint64_t space = guest_space(&paging);
    struct guest_stretch stretch;
    const struct offset_told since = offset == ABSENT_UNKNOWN
                                         ? (struct offset_told){fault->offset, RECORD_MAP_LOOKED_AT}
                                         : (struct offset_told){offset, 0};

    /* Forbidden: a kernel with page-table isolation has user pages so in its own space. */
    if (!guest_walk(&stretch, &paging, fault->linear, guest_entry_read, NULL))
        return stretch.forbidden ? GUEST_MAP_NOTHING : GUEST_MAP_NOT_YET;
    if (!ept_is_memory(stretch.table))
        return GUEST_MAP_NOT_YET;
    if (!guest_stretch_maps(&stretch, phys_to_virt(stretch.table), fault->linear))
        return GUEST_MAP_NOT_YET;
    uint32_t executable = stretch_tell(cpu, &stretch, space, fault->found, since);
    if (guest_stretch_goes_on(&stretch, executable) && guest_stretch_next(&stretch))
        executable |= stretch_tell(cpu, &stretch, space, fault->found, since);
    return executable ? GUEST_MAP_TOLD : GUEST_MAP_NOTHING;
}

/* --- a whole space ---------------------------------------------------------------------------------------------------
 */

struct space_tour {
    struct cpu *cpu;
    uint64_t space;
    struct offset_told since;
};

static const void *table_read(void *context, uint64_t table)
{
    (void)context;
    return ept_is_memory(table) ? phys_to_virt(table) : NULL;
}

/* Where nothing is executable and nothing was told, nothing is to be told. What is told already was looked at for
 * refills when it was. */
static void tour_stretch(void *context, const struct guest_stretch *stretch)
{
    const struct space_tour *tour = context;
    struct guest_stretch_pages pages;

    guest_stretch_read(&pages, stretch, phys_to_virt(stretch->table));
    struct told *told = told_of(tour->space, stretch->linear);
    struct space_life *life = space_life_of(tour->cpu, tour->space);
    const bool is_told = is_told_of(told, life, stretch);
    if (is_told ? told->sum == pages.sum : !pages.executable)
        return;
    (void)refills_tell(tour->cpu, stretch, &pages, tour->space);
    pages_send(tour->cpu, stretch, &pages, tour->space, tour->since);
    told_is(tour->cpu, told, life, stretch, &pages);
}

__attribute__((cold, noinline)) void guest_map_tell_all(struct cpu *cpu, uint64_t cr3, uint64_t looked)
{
    const struct guest_paging paging = guest_paging(cr3);
    struct space_tour tour = {cpu, guest_space(&paging), {pt_offset(cpu->pt), 0}};

    if (looked != ABSENT_UNKNOWN)
        tour.since = (struct offset_told){looked, RECORD_MAP_LOOKED_AT};
    guest_tables_each(&(struct guest_tables){table_read, tour_stretch, &tour}, &paging);
}

/* A number that no record has: what the others run up to here, they ran before the page that faults is mapped. */
__attribute__((cold, noinline)) void guest_map_fault_begins(struct cpu *cpu, uint64_t cr3, uint64_t linear)
{
    const struct guest_paging paging = guest_paging(cr3);
    const uint64_t space = guest_space(&paging);
    struct told *told = told_of(space, guest_stretch_of(linear));

    if (!told->executable || told->space != space || told->linear != guest_stretch_of(linear))
        return;
    machine.pages_sent++;
    summons_ept_changed(cpu);
}

/* Whatever was told of linear will be told again: of the part of a page table, or of the large page that it lies in. */
static void told_forget(uint64_t space, uint64_t linear)
{
    static const uint8_t shifts[] = {21, 22, 30};

    told_of(space, guest_stretch_of(linear))->sum = 0;
    for (uint32_t i = 0; i < sizeof shifts; i++)
        told_of(space, linear & ~((1ull << shifts[i]) - 1))->sum = 0;
}

__attribute__((cold, noinline)) void guest_map_missed(struct cpu *cpu, const struct page_fault *fault)
{
    const struct guest_paging paging = guest_paging(fault->cr3);
    const uint64_t space = guest_space(&paging), page = fault->linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1);

    map_record_send(cpu, (struct record_map){space, page, RECORD_PAGE_SIZE, fault->offset, 0, 0, 0}, NULL);
    told_forget(space, fault->linear);
}
