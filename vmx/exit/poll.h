/* How often root mode runs: the period of the preemption timer. vmx/exit/poll.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_POLL_H
#define VMX_EXIT_POLL_H

struct cpu;

/* Write the first period into the current VMCS. */
void poll_setup(struct cpu *cpu);

/* Before VM entry, unless timer_is_steady: choose the period. */
void poll_before_entry(struct cpu *cpu);

#endif
