/*
 * A program that faults may have to wait, for a disk maybe. Until it runs again nothing is executed there. Then it may
 * fault elsewhere, which is when the page is looked for; or it runs to its end without. So the page table is made
 * read-only (EPT): the kernel's write to it tells that the program goes on.
 */
#include "vmx/sleepers.h"

#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/guest_map.h"
#include "vmx/guest_memory.h"
#include "vmx/guest_walk.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))
#define PAGE_DIRECTORY_BYTES (1ull << 30) /* that it maps */

bool page_is_being_written(const struct cpu *cpu, uint64_t page)
{
    return cpu->written_gpa == page && cpu->written_rip == vmreadn(VMCS_GUEST_RIP);
}

uint64_t sleepers_watch(struct cpu *cpu, const struct page_fault *fault)
{
    const struct guest_paging paging = guest_paging(fault->cr3);
    struct guest_stretch stretch;

    /* Tables further up are missing where the space has ended: its memory is written for ever, as something else. */
    if (guest_walk(&stretch, &paging, fault->linear, guest_entry_read, NULL) ? stretch.large
                                                                             : stretch.size != PAGE_DIRECTORY_BYTES)
        return 0;
    if (!ept_is_memory(stretch.table))
        return 0;
    const uint64_t page = stretch.table & PAGE_MASK, access = ept_lookup(page) & EPT_ACCESS_MASK;
    if (access == EPT_READ)
        return page;
    if (access != (EPT_READ | EPT_WRITE) || page_is_being_written(cpu, page))
        return 0;
    ept_set_access(page, EPT_READ);
    summons_ept_changed(cpu);
    ept_invalidate(&cpu->view);
    return page;
}

/* A free one, else one after the other. */
static struct page_fault *make_place(struct cpu *cpu)
{
    for (uint32_t i = 0; i < NR_SLEEPERS; i++)
        if (!cpu->sleepers[i].tsc) {
            cpu->nr_sleepers++;
            return &cpu->sleepers[i];
        }
    struct page_fault *place = &cpu->sleepers[cpu->next_sleeper++ % NR_SLEEPERS];

    guest_map_missed(cpu, place);
    return place;
}

void sleepers_add(struct cpu *cpu, const struct page_fault *fault, uint64_t table)
{
    struct page_fault *place = make_place(cpu);

    *place = *fault;
    place->absent = pt_offset(cpu->pt);
    place->table = table;
}

void sleepers_look(struct cpu *cpu, uint64_t cr3, uint64_t linear)
{
    for (uint32_t i = 0; cpu->nr_sleepers && i < NR_SLEEPERS; i++) {
        struct page_fault *sleeper = &cpu->sleepers[i];

        if (sleeper->cr3 != cr3 || !sleeper->tsc)
            continue;
        const bool found = guest_map_tell(cpu, sleeper, sleeper->absent);
        if (!found && page_fault_is_at(sleeper, cr3, linear))
            guest_map_missed(cpu, sleeper);
        sleeper->absent = pt_offset(cpu->pt);
        if (found || page_fault_is_at(sleeper, cr3, linear)) {
            sleeper->tsc = 0;
            cpu->nr_sleepers--;
        }
    }
}

/* Whichever CPU it slept on, its kernel works here now. */
void sleepers_written(struct cpu *cpu, uint64_t page)
{
    for (uint32_t n = 0; n < machine.config.nr_cpus; n++) {
        struct cpu *of = machine.cpus[n];

        for (uint32_t i = 0; of && of->nr_sleepers && i < NR_SLEEPERS; i++) {
            struct page_fault *sleeper = &of->sleepers[i];

            if (sleeper->table != page || !sleeper->tsc)
                continue;
            of->nr_sleepers--;
            page_fault_wake(cpu, sleeper);
        }
    }
}
