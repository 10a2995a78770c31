/*
 * Lifetimes of address spaces. A space is named by the address of its top-level table, and kernels reuse that page for
 * another space. The new space's tables may be a copy (a fork), so that it executes at addresses of the space before
 * without a fault. So the top-level table of a space of which records were sent is made read-only by EPT. When an entry
 * changes that was present, the space has ended: a kernel clears its part of the table before it frees the page. A
 * RECORD_MAP with RECORD_MAP_ENDED then invalidates all earlier records of the space. Exception: if the first page that
 * was recorded is still mapped, through another entry, a program has only unmapped much, and its space continues.
 * (Kernels unmap all pages before they clear tables.)
 *
 * Lower tables are not watched. The machine's lock is held for all functions without another comment. Private to
 * vmx/code/.
 */
#ifndef VMX_CODE_SPACE_LIFETIME_H
#define VMX_CODE_SPACE_LIFETIME_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/code/state.h"

struct cpu;

#define NR_SPACE_LIFETIMES 1024u

/* All zero at the start. */
struct space_lifetime {
    uint64_t space;      /* as struct record_map names it; with generation 0: none */
    uint64_t key;        /* with recorded: how its tables are read (vmx/guest/walk.h) */
    uint64_t first;      /* with recorded: linear address of the first executable page that was recorded */
    uint32_t generation; /* unique on the machine; changes when the space ends */
    bool recorded;       /* a record of something executable was sent */
    bool watched;        /* ... and the top-level table is read-only */
};

/* The lifetime of a space now. Its slot may be another space's after the next call. */
struct space_lifetime *space_lifetime_of(struct cpu *cpu, uint64_t space);

/* A record was sent of something executable: of the page at linear, in the space of this key. */
void space_lifetime_recorded(struct cpu *cpu, struct space_lifetime *lifetime, uint64_t key, uint64_t linear);

/* The guest is about to write at gpa, in a page that it could not write. qualification: of the EPT violation. true: it
 * does so by a single step, and the page stays read-only. */
bool space_lifetime_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification);

/* At the next page fault after an entry was added to a top-level table: watch the table again. The lock is not held. */
void space_lifetime_rewatch(struct cpu *cpu);

static inline bool space_lifetime_is_open(const struct cpu *cpu)
{
    return code_of(cpu)->lifetime.open_space != 0;
}

#endif
