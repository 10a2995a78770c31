/* Single steps with pages opened for one instruction: vmx/ept/step.c. Private to vmx/. */
#ifndef VMX_EPT_STEP_H
#define VMX_EPT_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/cpu.h"
#include "vmx/cpu/exit_action.h"

/* Called after a step. interrupted: another exit came before the monitor trap flag's. */
typedef void step_done(struct cpu *cpu, bool interrupted);

/* vmx/ept/step.c. Only its own CPU touches it. */
struct step_cpu {
    bool active;     /* until the next exit some pages are open in this CPU's view */
    bool each;       /* soft PT: each instruction is a step */
    bool left_open;  /* pages stay open after steps */
    step_done *done; /* called when the step is over and the pages are closed; NULL: nothing */
};
CPU_STATE(step)

exit_handler step_exit;

/* Map gpa's page by this leaf entry, in this CPU's view only, until the step is over. The machine's lock is held, or
 * the page is this CPU's own. */
void step_open_page(struct cpu *cpu, uint64_t gpa, uint64_t leaf);

/* Execute one instruction by the monitor trap flag, then call done (unless NULL). */
void step_begin(struct cpu *cpu, step_done *done);

/* Call early in each VM exit, before its handler, while the monitor trap flag is set: an exit for another reason ends
 * the step. */
void step_leave(struct cpu *cpu, uint32_t reason);

/* Abandon the step; its instruction will not be executed again. */
void step_cancel(struct cpu *cpu);

/* Soft PT: have the monitor trap flag's exit come after each instruction, until it is switched off. */
void step_each(struct cpu *cpu, bool on);

static inline bool step_is_each(const struct cpu *cpu)
{
    return step_of(cpu)->each;
}

/* Is a step by step_begin under way? */
static inline bool step_is_active(const struct cpu *cpu)
{
    return step_of(cpu)->active;
}

/* Leave the pages that are open as they are when steps are over, until they are closed by one of the functions below.
 */
static inline void step_leave_open(struct cpu *cpu)
{
    step_of(cpu)->left_open = true;
}

static inline bool step_has_left_open(const struct cpu *cpu)
{
    return step_of(cpu)->left_open;
}

/* Close all pages that are open. The machine's lock is held; the caller calls ept_invalidate. */
void step_close_pages(struct cpu *cpu);

/* Close the pages that were left open. The machine's lock is not held. */
void step_forget_pages(struct cpu *cpu);

/* The machine's tree has changed: close the open pages unless each is still guarded there and still the same page. The
 * machine's lock is not held; the caller calls ept_invalidate. */
void step_follow_pages(struct cpu *cpu);

#endif
