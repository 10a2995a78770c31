/*
 * What the guest's page tables have executable, told to the receiver as RECORD_MAP: one page table's stretch at a time,
 * and only where it is not as it was told last.
 *
 * Shell; the machine's lock is held.
 */
#include "vmx/guest_map.h"

#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/guest_walk.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

/* What was told of a stretch last. Where two share a place, one is told again: that costs bytes, nothing else. */
#define NR_TOLD 16384u
struct told {
    uint64_t space, linear, sum;
};
const uint32_t vmx_map_memory_size = NR_TOLD * sizeof(struct told);

static struct told *told_of(uint64_t space, uint64_t linear)
{
    const uint64_t place =
        (space / RECORD_PAGE_SIZE ^ linear / (GUEST_STRETCH_ENTRIES * RECORD_PAGE_SIZE)) * HASH_FACTOR;

    return (struct told *)machine.config.map_memory + (place >> 32) % NR_TOLD;
}

static bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    (void)context;
    if (!ept_is_memory(gpa)) /* devices' registers hold no tables */
        return false;
    *entry = size == 8 ? *(const volatile uint64_t *)phys_to_virt(gpa) : *(const volatile uint32_t *)phys_to_virt(gpa);
    return true;
}

static struct guest_paging guest_paging(uint64_t cr3)
{
    return (struct guest_paging){.cr0 = vmreadn(VMCS_GUEST_CR0),
                                 .cr3 = cr3,
                                 .cr4 = vmreadn(VMCS_GUEST_CR4),
                                 .efer = vmread64(VMCS_GUEST_IA32_EFER)};
}

/* nr runs of the stretch, or none: it is not known. */
static void map_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs)
{
    head.number = ++machine.pages_sent;
    pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, runs, (uint32_t)(head.runs * sizeof *runs));
    cpu->pages_seen = machine.pages_sent;
}

/* Returns how many runs there are. */
static uint32_t stretch_tell(struct cpu *cpu, const struct guest_stretch *stretch, const void *table, uint64_t space,
                             uint64_t fault_offset)
{
    struct record_map_run runs[GUEST_STRETCH_ENTRIES];
    struct told now = {space, stretch->linear, 0};
    const uint32_t nr = guest_stretch_runs(stretch, table, runs, &now.sum);
    struct told *told = told_of(now.space, now.linear);

    if (told->space != now.space || told->linear != now.linear || told->sum != now.sum)
        map_send(cpu, (struct record_map){now.space, stretch->linear, stretch->size, fault_offset, 0, nr}, runs);
    *told = now;
    return nr;
}

enum guest_map_found guest_map_tell(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset)
{
    const struct guest_paging paging = guest_paging(cr3);
    const uint64_t space = guest_space(&paging);
    struct guest_stretch stretch;

    /* Forbidden: a kernel with page-table isolation has user pages so in its own space. */
    if (!guest_walk(&stretch, &paging, linear, entry_read, NULL))
        return stretch.forbidden ? GUEST_MAP_NOTHING : GUEST_MAP_NOT_YET;
    if (!ept_is_memory(stretch.table))
        return GUEST_MAP_NOT_YET;
    const void *table = phys_to_virt(stretch.table);
    if (!guest_stretch_maps(&stretch, table, linear))
        return GUEST_MAP_NOT_YET;
    uint32_t runs = stretch_tell(cpu, &stretch, table, space, fault_offset);
    if (guest_stretch_goes_on(&stretch, table) && guest_stretch_next(&stretch))
        runs += stretch_tell(cpu, &stretch, phys_to_virt(stretch.table), space, fault_offset);
    return runs ? GUEST_MAP_TOLD : GUEST_MAP_NOTHING;
}

/* Whatever was told of linear will be told again: of the part of a page table, or of the large page that it lies in. */
static void told_forget(uint64_t space, uint64_t linear)
{
    static const uint8_t shifts[] = {21, 22, 30};

    told_of(space, guest_stretch_of(linear))->sum = 0;
    for (uint32_t i = 0; i < sizeof shifts; i++)
        told_of(space, linear & ~((1ull << shifts[i]) - 1))->sum = 0;
}

void guest_map_missed(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset)
{
    const struct guest_paging paging = guest_paging(cr3);
    const uint64_t space = guest_space(&paging), page = linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1);

    map_send(cpu, (struct record_map){space, page, RECORD_PAGE_SIZE, fault_offset, 0, 0}, NULL);
    told_forget(space, linear);
}
