/* Kind: shell */
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
#include "vmx/space_life.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))
#define PAGE_DIRECTORY_BYTES (1ull << 30) /* that it maps */

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
    const uint64_t page = stretch.table & PAGE_MASK;

    return page_watch(cpu, page) ? page : 0;
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
    uint32_t left = cpu->nr_sleepers;

    for (struct page_fault *sleeper = cpu->sleepers; left != 0; sleeper++) {
        if (!sleeper->tsc)
            continue;
        left--;
        if (sleeper->cr3 != cr3)
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
