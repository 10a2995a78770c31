/*
 * One CPU as a host: its stack with the guest's registers on top, and the state of each file of vmx/ on this CPU.
 *
 * Each member belongs to the file that its struct's header names, and no other file touches it. Unless that header says
 * otherwise, only the CPU itself touches it. Private to vmx/.
 */
#ifndef VMX_CPU_H
#define VMX_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/msr.h"
#include "vmx/caps.h"
#include "vmx/code/code.h"
#include "vmx/cpu_offsets.h"
#include "vmx/cpuid_policy.h"
#include "vmx/ept_view.h"
#include "vmx/exit_counts.h"
#include "vmx/kick.h"
#include "vmx/lapic.h"
#include "vmx/lapic_ipi.h"
#include "vmx/machine.h"
#include "vmx/nmi.h"
#include "vmx/requests.h"
#include "vmx/soft/soft.h"
#include "vmx/startup.h"
#include "vmx/step.h"
#include "vmx/timer.h"
#include "vmx/trace_switch.h"

/* As vmx/exit.S pushes them: in the order in which instructions number them. RSP is in the VMCS. */
struct guest_registers {
    uint64_t rax, rcx, rdx, rbx, rsp_unused, rbp, rsi, rdi;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};
_Static_assert(sizeof(struct guest_registers) == 128, "vmx/exit.S pushes 16 registers");

struct cpu {
    union {
        uint8_t stack[CPU_STACK_SIZE];
        struct {
            uint8_t stack_room[CPU_STACK_SIZE - sizeof(struct guest_registers)];
            struct guest_registers registers; /* the guest's, during a VM exit; any handler */
        };
    };
    struct nmi_cpu nmi; /* first: vmx/exit.S reads its first member */

    /* Constant once vmx/vmx.c has prepared the CPU. */
    uint16_t number;
    bool has_vmcs; /* the current VMCS is this CPU's */
    uint32_t apic_id;
    struct pt_engine *pt;
    struct vmx_controls controls;
    uint32_t msr_conditions; /* MSR_IF_* of vmx/msr_policy.h */
    struct cpuid_limits cpuid_limits;

    bool failing;           /* vmx/fail_stop.c: a fail-stop is under way */
    uint32_t proc_controls; /* the primary ones as in the VMCS now; written by vmx/guest.c, read by others */

    struct kick_cpu kick;
    struct requests_cpu requests;
    struct startup_cpu startup;
    struct lapic_cpu lapic;
    struct lapic_ipi_cpu ipi;
    struct timer_cpu timer;
    struct trace_switch_cpu trace_switch;
    struct step_cpu step;
    struct soft_cpu soft;
    struct code_cpu code;
    struct ept_view view; /* the machine's lock: changes of the machine's tree reach it too */
    struct exit_counts counts;

    char text[4096];                                           /* vmx/exit_counts.c: the text for pt_flush_end */
    uint8_t lapic_stage[4096] __attribute__((aligned(4096)));  /* vmx/lapic.c: takes stepped accesses to the APIC */
    uint8_t hidden_stage[4096] __attribute__((aligned(4096))); /* vmx/violation.c: takes writes to hidden pages */
    uint8_t view_memory[EPT_VIEW_BYTES] __attribute__((aligned(4096)));
    uint8_t vmxon_region[4096] __attribute__((aligned(4096)));
    uint8_t vmcs_region[4096] __attribute__((aligned(4096)));
};
_Static_assert(offsetof(struct cpu, nmi.in_root) == CPU_NMIS_IN_ROOT, "vmx/exit.S");
_Static_assert(sizeof(struct cpu) % 4096 == 0, "struct cpu is whole pages");

/* NULL: before vmx_cpu_run. */
static inline struct cpu *cpu_this(void)
{
    return (struct cpu *)(uintptr_t)msr_read(IA32_GS_BASE);
}

static inline struct cpu *cpu_of(struct guest_registers *registers)
{
    return (struct cpu *)(void *)((char *)registers - offsetof(struct cpu, registers));
}

#endif
