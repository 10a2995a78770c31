/* How often root mode runs: the period of the preemption timer. vmx/poll.c. */
#ifndef VMX_POLL_H
#define VMX_POLL_H

#include "vmx/exit.h"

exit_handler timer_exit;

/* Write the first period into the current VMCS. */
void poll_setup(struct cpu *cpu);

/* Before VM entry, unless timer_is_steady: choose the period. */
void poll_before_entry(struct cpu *cpu);

#endif
