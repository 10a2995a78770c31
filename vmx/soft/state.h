/*
 * What vmx/soft/ remembers per CPU. Only the file that each struct names writes its members; the other files of the
 * room may read them. Only the CPU itself touches its struct soft_cpu. Private to vmx/soft/.
 */
#ifndef VMX_SOFT_STATE_H
#define VMX_SOFT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/engine.h"
#include "vmx/cpu/cpu.h"

/* Where the guest is. */
struct soft_position {
    struct soft_context context;
    uint64_t rip, rsp, cs_base; /* cs_base: 0 in 64-bit mode */
};

/* position.c: where the guest was before the step */
struct soft_start {
    struct soft_position at;
    bool current; /* the guest is still there: the last exit came from there, and root mode has changed nothing */
};

/* step.c */
struct soft_step {
    bool injects_event; /* the VM entry injects an event, which is delivered before any instruction */
};

/* instruction.c: the instruction at the step's start */
struct soft_instruction {
    bool decoded; /* decode is valid */
    struct instruction decode;
    uint8_t bytes[INSTRUCTION_MAX_BYTES]; /* a copy: the instruction may overwrite itself */
    uint64_t stack;                       /* far returns: linear address from which they read their target */

    /* The translation of the page that was executed from last. */
    uint64_t page, page_cr3;
    const uint8_t *page_va; /* NULL: unknown */
};

/* pacing.c: interrupts are delayed so that the guest makes progress */
struct soft_pacing {
    bool in_handler; /* the guest handles an event, until it returns or enables interrupts */
    bool blocks;     /* blocking by STI is ours, and soft_pacing_end must run after the step */
    bool trap_due;   /* with blocks: BTF is ours, too, and a single-step trap may be due */
    bool no_btf;     /* VM entry does not accept IA32_DEBUGCTL.BTF */
    uint32_t owed;   /* instructions to execute before the next interrupt */
};

/* window.c: which pages are executed only by steps */
struct soft_window {
    uint64_t open_page;  /* linear address of the guarded page that was opened to this CPU last */
    bool just_opened;    /* ... and nothing has been executed since */
    uint32_t generation; /* pt_soft_window at the last VM entry */
    uint64_t next_cr3;   /* the guest's next instruction loads it into CR3; 0: none does */
};

struct soft_cpu {
    struct soft_start start;
    struct soft_step step;
    struct soft_instruction instruction;
    struct soft_pacing pacing;
    struct soft_window window;
};
CPU_STATE(soft)

#endif
