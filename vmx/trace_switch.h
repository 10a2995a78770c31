/* How IA32_RTIT_CTL changes between guest and root mode: vmx/trace_switch.c. Private to vmx/. */
#ifndef VMX_TRACE_SWITCH_H
#define VMX_TRACE_SWITCH_H

#include <stdint.h>

struct cpu;

/* SDM Table "Format of an MSR Entry" */
struct msr_entry {
    uint32_t index, reserved;
    uint64_t value;
} __attribute__((aligned(16)));

/* Owned by vmx/trace_switch.c. Only its own CPU touches it. */
struct trace_switch_cpu {
    uint64_t rtit_ctl; /* what VM entry loads into IA32_RTIT_CTL, as written last */
    struct msr_entry entry_msr, exit_msr;
};

/* Into the current VMCS's controls. */
void trace_switch_setup(struct cpu *cpu);

/* The last step before VM entry: call pt_enter, and have the entry load the IA32_RTIT_CTL that it returns. */
void trace_switch_enter(struct cpu *cpu);

/* The next VM entry leaves tracing off, and pt_enter is not called for it. */
void trace_switch_off(struct cpu *cpu);

#endif
