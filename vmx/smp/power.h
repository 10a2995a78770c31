/* How the machine goes down, with the trace handed over first: vmx/smp/power.c. Private to vmx/. */
#ifndef VMX_SMP_POWER_H
#define VMX_SMP_POWER_H

#include "vmx/cpu/exit_action.h"

exit_handler triple_fault_exit;

/* The guest is about to write to a port that ends the machine or puts it to sleep: have all CPUs hand over what they
 * have traced and wait for its arrival. power_announce_sleep comes before, if it is a sleep; power_survived after, if
 * this CPU still runs. */
void power_announce_sleep(void);
void power_flush(struct cpu *cpu);
void power_survived(struct cpu *cpu);

/* The same before a fail-stop parks the CPU; the other CPUs stop. */
void power_fail(struct cpu *cpu);

/* Flush and reset the machine. */
_Noreturn void power_reset(struct cpu *cpu);

#endif
