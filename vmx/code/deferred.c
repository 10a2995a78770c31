/* Kind: shell */
/*
 * A program that faults may have to wait, for a disk for instance. The page is not executed until the program
 * continues. If the program faults again, elsewhere, the page is checked then. But the program may run to its end
 * without another fault. So EPT makes the page table read-only: the kernel's write to it shows that the program is
 * about to continue.
 */
#include "vmx/code/deferred.h"

#include "vmx/code/mappings.h"
#include "vmx/code/pages.h"
#include "vmx/code/state.h"
#include "vmx/cpu/machine.h"
#include "vmx/ept/maths.h"
#include "vmx/guest/memory.h"

#define PAGE_DIRECTORY_BYTES (1ull << 30) /* that it maps */

uint64_t deferred_watch(struct cpu *cpu, const struct page_fault *fault)
{
    const struct guest_paging paging = guest_key_paging(fault->space);
    struct guest_stretch stretch;

    /* Where a space has ended, higher tables are missing: their memory is reused and written all the time. */
    if (guest_walk(&stretch, &paging, fault->linear, guest_entry_read, NULL) ? stretch.large
                                                                             : stretch.size != PAGE_DIRECTORY_BYTES)
        return 0;
    if (!guest_ram(stretch.table))
        return 0;
    const uint64_t page = stretch.table & EPT_PAGE_MASK;

    return code_page_watch_writes(cpu, page) ? page : 0;
}

/* A free slot, else the slots one after the other. */
static struct page_fault *slot_take(struct cpu *cpu)
{
    struct code_deferred *deferred = &code_of(cpu)->deferred;

    for (uint32_t i = 0; i < NR_DEFERRED_FAULTS; i++)
        if (!deferred->faults[i].tsc) {
            deferred->nr++;
            return &deferred->faults[i];
        }
    struct page_fault *slot = &deferred->faults[deferred->next++ % NR_DEFERRED_FAULTS];

    mapping_missed(cpu, slot);
    return slot;
}

void deferred_add(struct cpu *cpu, const struct page_fault *fault, uint64_t table)
{
    struct page_fault *slot = slot_take(cpu);

    *slot = *fault;
    slot->absent_offset = pt_offset(cpu->pt);
    slot->table = table;
}

void deferred_check(struct cpu *cpu, uint64_t space, uint64_t linear)
{
    struct code_deferred *deferred = &code_of(cpu)->deferred;
    uint32_t left = deferred->nr;

    for (struct page_fault *fault = deferred->faults; left != 0; fault++) {
        if (!fault->tsc)
            continue;
        left--;
        if (fault->space != space)
            continue;
        const bool present = mapping_send(cpu, fault, fault->absent_offset) != MAPPING_ABSENT;
        if (!present && page_fault_is_at(fault, space, linear))
            mapping_missed(cpu, fault);
        fault->absent_offset = pt_offset(cpu->pt);
        if (present || page_fault_is_at(fault, space, linear)) {
            fault->tsc = 0;
            deferred->nr--;
        }
    }
}

void deferred_check_for_other(struct cpu *cpu, struct cpu *of, uint64_t space)
{
    for (uint32_t i = 0; code_of(of)->deferred.nr && i < NR_DEFERRED_FAULTS; i++)
        page_fault_check_for_other(cpu, &code_of(of)->deferred.faults[i], space);
}

const struct page_fault *deferred_take(uint64_t page, struct deferred_position *at)
{
    for (; at->cpu < machine.config.nr_cpus; at->cpu++, at->slot = 0) {
        struct cpu *of = machine.cpus[at->cpu];

        while (of && code_of(of)->deferred.nr && at->slot < NR_DEFERRED_FAULTS) {
            struct page_fault *fault = &code_of(of)->deferred.faults[at->slot++];

            if (fault->table != page || !fault->tsc)
                continue;
            code_of(of)->deferred.nr--;
            fault->tsc = 0;
            return fault;
        }
    }
    return NULL;
}
