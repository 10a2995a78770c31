/* How IA32_RTIT_CTL changes between guest and root mode: vmx/exit/trace_switch.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_TRACE_SWITCH_H
#define VMX_EXIT_TRACE_SWITCH_H

struct cpu;

/* Into the current VMCS's controls. */
void trace_switch_setup(struct cpu *cpu);

/* The last step before VM entry: call pt_enter, and have the entry load the IA32_RTIT_CTL that it returns. */
void trace_switch_enter(struct cpu *cpu);

/* The next VM entry leaves tracing off, and pt_enter is not called for it. */
void trace_switch_off(struct cpu *cpu);

#endif
