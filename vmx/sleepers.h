/*
 * Page faults whose programs wait for long, for a disk or for ever: vmx/sleepers.c. Private to vmx/; the machine's lock
 * is held for all of it.
 */
#ifndef VMX_SLEEPERS_H
#define VMX_SLEEPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu.h"

/* Have the guest's next write to the fault's page table told, or where there is none yet, to the page directory that
 * will point to it. Returns its page; 0: it is in use as something else as well. */
uint64_t sleepers_watch(struct cpu *cpu, const struct page_fault *fault);

/* A fault whose page will not be looked for any more unless its space faults, or that table is written. */
void sleepers_add(struct cpu *cpu, const struct page_fault *fault, uint64_t table);

/* The space faults again, at linear. */
void sleepers_look(struct cpu *cpu, uint64_t cr3, uint64_t linear);

/* The guest is about to write a page that it could not write: a page table that a sleeper waits for? */
void sleepers_written(struct cpu *cpu, uint64_t page);

/* vmx/page_fault.c: the page is about to be mapped; it will be looked at soon, and sleeps no more. Where too many
 * faults wait, another one sleeps instead. */
void page_fault_wake(struct cpu *cpu, struct page_fault *sleeper);

static inline bool page_fault_is_at(const struct page_fault *fault, uint64_t cr3, uint64_t linear)
{
    return fault->cr3 == cr3 && fault->linear >> 12 == linear >> 12;
}

#endif
