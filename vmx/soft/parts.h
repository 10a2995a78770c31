/*
 * What the files of vmx/soft/ offer each other: step.c calls all others, and those call position.c. Private to
 * vmx/soft/.
 */
#ifndef VMX_SOFT_PARTS_H
#define VMX_SOFT_PARTS_H

#include "vmx/soft/soft.h"
#include "vmx/soft/state.h"

/* SDM Table "Format of Access Rights": D/B, default operation size. */
#define ACCESS_RIGHTS_DB (1u << 14)
#define PAGE_BYTES 4096u

/* SDM "Guest Non-Register State": activity state HLT. */
#define ACTIVITY_HLT 1u

static inline uint64_t soft_page_of(uint64_t linear)
{
    return linear & ~(uint64_t)(PAGE_BYTES - 1);
}

/* position.c: read the guest's position from the VMCS; the linear address of the top of its stack there. */
struct soft_position soft_position_read(void);
uint64_t soft_stack_top(const struct soft_position *at);

/* Read start->at from the VMCS unless it is current. */
void soft_start_refresh(struct soft_start *start);

/* The guest is at this position now; current: and root mode will not change that. */
void soft_start_set(struct soft_start *start, const struct soft_position *at, bool current);

/* start->at is not current any more. */
void soft_start_drop(struct soft_start *start);

/* instruction.c: read and decode the instruction at a position. */
void soft_instruction_read(struct soft_instruction *instruction, const struct soft_position *at);

/* The next instruction may be elsewhere: forget the translation of the page. */
void soft_instruction_forget_page(struct soft_instruction *instruction);

/* outcome.c: has the step from start.at to this position executed its instruction? false: an event was delivered. */
bool soft_was_executed(const struct cpu *cpu, const struct soft_position *to);

/* pacing.c. Before a step: delay interrupts if handlers have had more than their share. The instruction has been read.
 */
void soft_pacing_begin(struct soft_cpu *soft);

/* First after its exit, if blocks: the guest's state must be its own again, or the next VM entry would fail. trapped:
 * the monitor trap flag caused the exit. */
void soft_pacing_end(struct soft_pacing *pacing, bool trapped);

/* The step has delivered an event; the step has executed a far return. */
void soft_pacing_handler_begins(struct soft_pacing *pacing);
void soft_pacing_handler_ends(struct soft_pacing *pacing);

/* window.c. Before VM entry: if the window has changed, withhold execution from all pages. */
void soft_window_update(struct cpu *cpu);

/* Before VM entry: must the guest be stepped? Closes open pages that are not needed any more. */
bool soft_window_steps(struct cpu *cpu);

/* The guest has executed an instruction or taken an event. */
void soft_window_executed(struct soft_window *window);

#endif
