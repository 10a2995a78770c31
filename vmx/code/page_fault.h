/*
 * A page fault whose page the guest has not mapped yet: faults.c has it first, deferred.c if it takes long. Private to
 * vmx/code/.
 */
#ifndef VMX_CODE_PAGE_FAULT_H
#define VMX_CODE_PAGE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

struct page_fault {
    uint64_t space, linear; /* the space's key (vmx/guest/walk.h) */
    uint64_t offset;        /* of this CPU's trace at the fault */
    uint64_t absent_offset; /* ... when the page was last seen absent; ABSENT_UNKNOWN: another CPU runs the space */
    uint64_t tsc;           /* of the fault; 0: a free slot of the deferred ones */
    uint64_t wait_tsc;      /* ticks from the fault to the next check */
    uint64_t table;         /* of a deferred fault: the page table whose next write exits; 0: none */
    uint32_t checks;        /* that found the page absent */
    bool fetch;             /* by an instruction fetch, not by a read */
    bool mapped;            /* the last check found the page present */
};
#define ABSENT_UNKNOWN UINT64_MAX

static inline bool page_fault_is_at(const struct page_fault *fault, uint64_t space, uint64_t linear)
{
    return fault->space == space && fault->linear >> 12 == linear >> 12;
}

/* The space may run on this CPU now. If the fault is another CPU's in that space, check it here as well. The machine's
 * lock is held. */
void page_fault_check_for_other(struct cpu *cpu, struct page_fault *fault, uint64_t space);

#endif
