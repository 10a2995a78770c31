/*
 * Deferred faults: page faults whose programs wait for long, for a disk or for ever. deferred.c. Private to vmx/code/;
 * the machine's lock is held for all functions.
 */
#ifndef VMX_CODE_DEFERRED_H
#define VMX_CODE_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/code/page_fault.h"

struct cpu;

/* Let the guest's next write to the fault's page table exit, or, if there is no page table yet, to the page directory
 * that will point to it. Returns that table's page; 0: it cannot be watched. */
uint64_t deferred_watch(struct cpu *cpu, const struct page_fault *fault);

/* Defer a fault: its page is checked again only when its space faults, or when that table is written. */
void deferred_add(struct cpu *cpu, const struct page_fault *fault, uint64_t table);

/* The space faults again, at linear: check its deferred faults. */
void deferred_check(struct cpu *cpu, uint64_t space, uint64_t linear);

/* The space may run on this CPU now: check the deferred faults of another CPU in it. */
void deferred_check_for_other(struct cpu *cpu, struct cpu *of, uint64_t space);

/* The guest is about to write a page that it could not write. Take the next of all CPUs' faults that wait for a write
 * to this page; its slot is free again. NULL: there is no other. at: 0 at first. */
struct deferred_position {
    uint32_t cpu, slot;
};
const struct page_fault *deferred_take(uint64_t page, struct deferred_position *at);

#endif
