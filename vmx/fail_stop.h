/* Fail-stop: report why, dump the VMCS and registers, hand over the trace, park. vmx/fail_stop.c. Private to vmx/. */
#ifndef VMX_FAIL_STOP_H
#define VMX_FAIL_STOP_H

struct cpu;
struct guest_registers;

/* cpu may be NULL while the CPU is not set up yet. */
_Noreturn void fail_stop(struct cpu *cpu, const char *why);

/* The same for the CPU that executes this. */
_Noreturn void fail_stop_here(const char *why);

/* Set once: called to stop the other CPUs and hand over the trace. A pointer, because vmx/power.c, which does it, needs
 * fail_stop itself. */
void fail_stop_set_hand_over(void (*hand_over)(struct cpu *cpu));

_Noreturn void cpu_park(void);

/* Called by vmx/exit.S where VMLAUNCH or VMRESUME fails without a VM exit. */
_Noreturn void vmx_entry_failed(struct guest_registers *registers);

#endif
