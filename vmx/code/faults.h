/* Page faults whose pages the guest has not mapped yet: faults.c. Private to vmx/code/. */
#ifndef VMX_CODE_FAULTS_H
#define VMX_CODE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/code/state.h"

/* deferred.c: this fault's page is about to be mapped: check it again soon, on this CPU. If too many faults are
 * pending, another one is deferred instead. The machine's lock is held. */
void fault_wake(struct cpu *cpu, struct page_fault *fault);

/* The same: the space of another CPU's fault runs on this CPU. Check it here as well. */
void fault_check_for_other(struct cpu *cpu, struct page_fault *fault, uint64_t cr3);

static inline bool page_fault_is_at(const struct page_fault *fault, uint64_t cr3, uint64_t linear)
{
    return fault->cr3 == cr3 && fault->linear >> 12 == linear >> 12;
}

#endif
