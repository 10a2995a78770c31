/* Fail-stop: report why, dump the VMCS and registers, hand over the trace, park. vmx/cpu/fail_stop.c. Private to vmx/.
 */
#ifndef VMX_CPU_FAIL_STOP_H
#define VMX_CPU_FAIL_STOP_H

#include <stdint.h>

struct cpu;

/* cpu may be NULL while the CPU is not set up yet. */
_Noreturn void fail_stop(struct cpu *cpu, const char *why);

/* The same for the CPU that executes this. */
_Noreturn void fail_stop_here(const char *why);

/* A VMCS field that cannot be read or written is a bug of ours. */
_Noreturn void vmcs_access_failed(uint32_t field);

/* Set once: called to stop the other CPUs and hand over the trace. A pointer, because vmx/smp/power.c, which does it,
 * needs fail_stop itself. */
void fail_stop_set_hand_over(void (*hand_over)(struct cpu *cpu));

/* The CPU's VMCS is current: dumps include it. */
void fail_stop_vmcs_ready(struct cpu *cpu);

/* An exception in root mode was dumped on this CPU: stop the other CPUs, and hand over the trace as far as possible. */
void vmx_root_fault(void);

_Noreturn void cpu_park(void);

#endif
