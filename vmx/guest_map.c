/*
 * What the guest's page tables have executable, told to the receiver as RECORD_MAP: one page table's stretch at a time,
 * and only where it is not as it was told last.
 *
 * Shell; the machine's lock is held.
 */
#include "vmx/guest_map.h"

#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/guest_walk.h"
#include "vmx/mtrr.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

/* What was told of a stretch last. Where two share a place, one is told again: that costs bytes, nothing else. */
#define NR_TOLD 4096u
struct told {
    uint64_t space, linear, sum;
};
const uint32_t vmx_map_memory_size = NR_TOLD * sizeof(struct told);

static struct told *told_of(uint64_t space, uint64_t linear)
{
    const uint64_t place = __builtin_ia32_crc32di(__builtin_ia32_crc32di(0, space), linear);

    return (struct told *)machine.config.map_memory + place % NR_TOLD;
}

/* Tables lie in memory that the guest can read; devices' registers do not hold any. */
static bool is_guest_memory(uint64_t gpa)
{
    const uint64_t entry = ept_lookup(gpa);

    return gpa < machine.config.top_of_memory && ept_entry_present(entry) && !ept_is_hidden(gpa) &&
           (entry & EPT_MEMORY_TYPE_MASK) >> EPT_MEMORY_TYPE_SHIFT == MEMORY_TYPE_WB;
}

static bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    (void)context;
    if (!is_guest_memory(gpa))
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

/* In as many records as the runs need, each for its part of the stretch. */
static void stretch_send(struct cpu *cpu, const struct guest_stretch *stretch, const void *table, uint64_t space,
                         uint64_t fault_offset)
{
    struct record_map_run *runs = (void *)cpu->text;
    const uint32_t max = sizeof cpu->text / sizeof *runs, entries = guest_stretch_entries(stretch);
    const uint64_t page = stretch->size / entries;

    for (uint32_t at = 0; at < entries;) {
        const uint32_t first = at, nr = guest_stretch_runs(stretch, table, &at, runs, max);
        const struct record_map head = {.cr3 = space,
                                        .linear = stretch->linear + first * page,
                                        .size = (at - first) * page,
                                        .fault_offset = fault_offset,
                                        .number = ++machine.pages_sent,
                                        .runs = nr};

        pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, runs, nr * (uint32_t)sizeof *runs);
    }
    cpu->pages_seen = machine.pages_sent;
}

bool guest_map_tell(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset)
{
    const struct guest_paging paging = guest_paging(cr3);
    const uint64_t space = guest_space(&paging);
    struct guest_stretch stretch;
    const void *table = NULL;

    if (!guest_walk(&stretch, &paging, linear, entry_read, NULL))
        return false;
    if (!stretch.large) {
        if (!is_guest_memory(stretch.table))
            return false;
        table = phys_to_virt(stretch.table);
        if (!guest_stretch_maps(&stretch, table, linear))
            return false;
    }
    struct told *told = told_of(space, stretch.linear);
    const struct told now = {space, stretch.linear, guest_stretch_sum(&stretch, table)};
    if (told->space != now.space || told->linear != now.linear || told->sum != now.sum)
        stretch_send(cpu, &stretch, table, space, fault_offset);
    *told = now;
    return true;
}

void guest_map_missed(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset)
{
    const struct guest_paging paging = guest_paging(cr3);
    const struct record_map head = {.cr3 = guest_space(&paging),
                                    .linear = linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
                                    .size = RECORD_PAGE_SIZE,
                                    .fault_offset = fault_offset,
                                    .number = ++machine.pages_sent};

    pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, NULL, 0);
    cpu->pages_seen = machine.pages_sent;
    for (unsigned shift = 21; shift <= 22; shift++) /* whichever its page table's stretch is */
        told_of(head.cr3, linear >> shift << shift)->sum = 0;
}
