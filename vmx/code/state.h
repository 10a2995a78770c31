/*
 * What vmx/code/ remembers per CPU. Only the file that each struct names touches its members. Include vmx/code/code.h.
 */
#ifndef VMX_CODE_STATE_H
#define VMX_CODE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmx/code/arbitration.h"
#include "vmx/code/page_fault.h"
#include "vmx/code/task.h"
#include "vmx/cpu/cpu.h"

#define NR_PAGE_FAULTS 8u
#define NR_DEFERRED_FAULTS 32u

/* faults.c. The machine's lock: other CPUs check the entries of spaces that they run too. */
struct code_faults {
    struct page_fault pending[NR_PAGE_FAULTS];
    uint32_t nr, nr_fetches;
    uint32_t irets;   /* of other handlers since the last fetch. Only this CPU */
    uint64_t due_tsc; /* TSC of the next check, 0: at once. Only this CPU */
};

/* deferred.c. The machine's lock: a write by any CPU to a watched page table wakes entries of all CPUs. */
struct code_deferred {
    struct page_fault faults[NR_DEFERRED_FAULTS];
    uint32_t nr, next; /* next: the slot to be reused when none is free */
};

/* pages.c. Only this CPU. */
struct code_pages_cpu {
    struct arbitration_slot *turn; /* granted, and begins with the next VM entry; NULL: none */
    uint64_t written_gpa;          /* the last page that lost execute permission by a write ... */
    uint64_t written_rip;          /* ... and the instruction that wrote it */
};

/* segments.c. Only this CPU. */
#define NR_SEGMENT_PAGES 16u
struct code_segments_cpu {
    bool look;                        /* check the segment at the next VM entry even if CS.L is set */
    bool stepped;                     /* the CPU is being single-stepped */
    bool loaded;                      /* root mode has changed CS since the last VM exit */
    bool leaves;                      /* the instruction at RIP clears CR0.PE */
    uint32_t base;                    /* with stepped: CS.base in the last record */
    uint32_t next;                    /* the slot to be reused */
    uint64_t pages[NR_SEGMENT_PAGES]; /* that were executed meanwhile, + 1; 0: none */
};

struct code_cpu {
    struct code_faults faults;
    struct code_deferred deferred;
    struct code_pages_cpu pages;
    struct code_segments_cpu segments;
    struct {
        uint64_t
            open_space; /* a space whose top-level table was opened for a write and is to be watched again; 0: none */
    } lifetime;         /* space_lifetime.c. Only this CPU */
    struct {
        uint64_t quiet_tsc; /* run root mode when nothing has exited for so many ticks; 0: no space waits for a scan */
    } scan;                 /* space_scan.c. Only this CPU */
    struct {
        uint64_t seen; /* number of the newest record of code that this CPU's trace is current with */
    } record;          /* record.c. Only this CPU */
    struct task_cpu task;
};
CPU_STATE(code)

#endif
