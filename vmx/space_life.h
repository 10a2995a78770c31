/*
 * Lives of address spaces. A space is named by where its uppermost table is, and kernels use that page again: for
 * another space, whose tables may be a copy (a fork), so that it runs at addresses that were told of the one before
 * without a fault. So the uppermost table of a space of which something was told is made read-only (EPT). When an entry
 * of it changes that was there, the space has ended: a kernel clears its part of the table before it gives the page up.
 * That is told, and nothing that was told of it before holds any more. Unless what was told of it first is mapped
 * still, by another entry: then a program has unmapped much, and goes on. (Kernels unmap all pages before they clear
 * tables.)
 *
 * Tables further down are not watched. The machine's lock guards all of it. Private to vmx/.
 */
#ifndef VMX_SPACE_LIFE_H
#define VMX_SPACE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

#define NR_SPACE_LIVES 1024u

/* All zero at the start. */
struct space_life {
    uint64_t space; /* as struct record_map names it; with life 0: none */
    uint64_t first; /* with told: the executable page that was told of it first, its linear address */
    uint32_t life;  /* no two lives of the machine's have the same */
    bool told;      /* something was told of it */
    bool watched;   /* ... and its uppermost table is read-only */
};

/* The life of a space that is now. The place may be another space's after the next call. */
struct space_life *space_life_of(struct cpu *cpu, uint64_t space);

/* Something executable was told of it: the page at linear. */
void space_life_told(struct cpu *cpu, struct space_life *life, uint64_t linear);

/* The guest is about to write at gpa, in a page that it could not write. qualification: of the EPT violation. true: it
 * does so by a single step, and the page stays as it is. */
bool space_life_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification);

/* At the next page fault, where an uppermost table is open because an entry was added: watch it again. The lock is not
 * held. */
void space_life_close(struct cpu *cpu);

/* From now on a write to the page exits, on all CPUs. false: it is in use as something else, or the instruction that
 * was let write it has not yet: where exits are slow, as under another hypervisor, the next look is due before it is
 * executed. Watched again, the page would be written by nobody, ever. */
bool page_watch(struct cpu *cpu, uint64_t page);

#endif
