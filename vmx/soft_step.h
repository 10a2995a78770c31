/*
 * Soft PT's steps: the guest executes one instruction at a time, and pt/ is told what each has done. Private to vmx/.
 *
 * The monitor trap flag makes an exit behind each instruction, and behind each event that is delivered instead. The
 * guest cannot see it: RFLAGS.TF, debug registers and exceptions stay its own.
 */
#ifndef VMX_SOFT_STEP_H
#define VMX_SOFT_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/engine.h"

struct cpu;

struct guest_stand {
    struct soft_context place;
    uint64_t rip, rsp, cs_base; /* cs_base: 0 in 64-bit mode */
};

/* What is known of the step that the last VM entry has begun. */
struct soft_step {
    bool on;
    bool delivers;            /* the entry injects an event: no instruction of the guest's comes first */
    bool decoded;             /* instruction holds */
    bool settled;             /* begun is where the last exit came from, and root has changed nothing */
    bool handles;             /* an event, until it returns or turns interrupts on */
    uint32_t owed;            /* instructions that come before the next interrupt */
    bool trap_due;            /* a single-step trap behind the instruction, and soft_hold_end() */
    bool no_btf;              /* VM entry does not know it */
    struct guest_stand begun; /* where */
    uint64_t stack;           /* far returns: linear, what they take their target from */
    struct instruction instruction;
    const uint8_t *bytes; /* its own */
    uint8_t copied[INSTRUCTION_MAX_BYTES];

    uint64_t guarded;    /* the page that was opened last, linear; 0: none is open */
    bool opened;         /* ... and nothing has been executed since */
    uint32_t window;     /* pt_soft_window, as of the last VM entry */
    uint64_t cr3_coming; /* 0: none is being loaded */

    /* Where the page is that was executed from last. */
    uint64_t page, page_cr3;
    const uint8_t *page_va; /* NULL: not known */
};

#define ACTIVITY_HLT 1u

/* vmx/soft_hold.c: before a step, hold interrupts back where handlers have had more than their share. step->instruction
 * and step->delivers hold. */
void soft_hold_interrupts(struct soft_step *step);

/* Behind its exit, first, where step->trap_due. */
void soft_hold_end(struct soft_step *step);

/* VM entry has failed, for the guest's state: was it for BTF, which this machine has not? Then all is as before, and is
 * not tried again. */
bool soft_hold_refused(struct soft_step *step);

/* The linear address of the top of the stack that the guest has now; at: where it stands now. */
uint64_t soft_step_stack(const struct guest_stand *at);

/* vmx/soft_judge.c: behind a step, was the instruction executed that step->begun stands at? false: an event was
 * delivered. */
bool soft_step_was_executed(const struct cpu *cpu, const struct guest_stand *to);

/* A fetch from the page of linear, which was guarded before or not: is it guarded now, so that all CPUs that trace
 * execute it by steps alone? */
bool soft_step_guards(const struct cpu *cpu, uint64_t linear, bool guarded);

/* The caller has opened it to this CPU. It is closed again where the guest leaves it and is not traced. */
void soft_step_opened(struct cpu *cpu, uint64_t linear);

/* The guest is about to load CR3. */
void soft_step_cr3(struct cpu *cpu, uint64_t value);

/* The CPU waits for a SIPI: nothing is being stepped. */
void soft_step_drop(struct cpu *cpu);

/* Before VM entry, last of all: step, if pt/ wants it. */
void soft_step_enter(struct cpu *cpu);

/* Behind a VM exit, first of all: what has been executed, or delivered? trapped: it is the monitor trap flag's. */
void soft_step_leave(struct cpu *cpu, bool trapped);

#endif
