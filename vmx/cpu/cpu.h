/*
 * One CPU as a host: its stack with the guest's registers on top, what is constant on it, and the state that the files
 * of vmx/ keep on it.
 *
 * Each state belongs to one file, which defines its struct and is the only one that sees or changes its members; here
 * is only its size. So this header depends on no room of vmx/. Unless the struct's comment names a lock, only the CPU
 * itself touches its state.
 */
#ifndef VMX_CPU_CPU_H
#define VMX_CPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/msr.h"
#include "pt/engine.h"
#include "vmx/caps.h"
#include "vmx/cpu/offsets.h"

/* As vmx/cpu/entry.S pushes them: in the order in which instructions number them. RSP is in the VMCS. */
struct guest_registers {
    uint64_t rax, rcx, rdx, rbx, rsp_unused, rbp, rsi, rdi;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};
_Static_assert(sizeof(struct guest_registers) == 128, "vmx/cpu/entry.S pushes 16 registers");

#define CPU_STATE_BYTES(name, bytes) uint8_t name##_state[bytes] __attribute__((aligned(16)))

struct cpu {
    union {
        uint8_t stack[CPU_STACK_SIZE];
        struct {
            uint8_t stack_room[CPU_STACK_SIZE - sizeof(struct guest_registers)];
            struct guest_registers registers; /* the guest's, during a VM exit; any handler */
        };
    };
    uint32_t nmis_in_root; /* vmx/nmi/nmi.c: arrived in root mode, not handled yet. vmx/cpu/entry.S reads it before
                              VMRESUME */

    /* vmx/cpu/mitigations.c: constant, except guest_spec_ctrl, which vmx/cpu/entry.S saves at VM exits. */
    uint16_t measures; /* MEASURE_*; 0: mitigations=off */
    uint16_t verw_selector;
    uint64_t guest_spec_ctrl; /* IA32_SPEC_CTRL */

    /* Constant once vmx/vmx.c has prepared the CPU; any file reads them. */
    uint16_t number;
    uint32_t apic_id;
    struct pt_engine *pt;
    struct vmx_controls controls;

    CPU_STATE_BYTES(fail_stop, 16);     /* vmx/cpu/fail_stop.c */
    CPU_STATE_BYTES(proc_control, 16);  /* vmx/cpu/proc_control.c */
    CPU_STATE_BYTES(timer, 16);         /* vmx/cpu/timer.c */
    CPU_STATE_BYTES(exit_counts, 1376); /* vmx/cpu/exit_counts.c */
    CPU_STATE_BYTES(ept_view, 1360);    /* vmx/ept/view.c */
    CPU_STATE_BYTES(step, 16);          /* vmx/ept/step.c */
    CPU_STATE_BYTES(lapic, 48);         /* vmx/apic/lapic.c */
    CPU_STATE_BYTES(lapic_ipi, 48);     /* vmx/apic/ipi.c */
    CPU_STATE_BYTES(guest_ipi, 16);     /* vmx/apic/guest_ipi.c */
    CPU_STATE_BYTES(kick, 48);          /* vmx/smp/kick.c */
    CPU_STATE_BYTES(requests, 32);      /* vmx/smp/requests.c */
    CPU_STATE_BYTES(nmi, 16);           /* vmx/nmi/nmi.c */
    CPU_STATE_BYTES(soft, 160);         /* vmx/soft/ */
    CPU_STATE_BYTES(code, 4592);        /* vmx/code/ */
    CPU_STATE_BYTES(cpuid, 16);         /* vmx/exit/cpuid.c */
    CPU_STATE_BYTES(msr, 16);           /* vmx/exit/msr.c */
    CPU_STATE_BYTES(startup, 16);       /* vmx/exit/startup.c */
    CPU_STATE_BYTES(trace_switch, 48);  /* vmx/exit/trace_switch.c */
    CPU_STATE_BYTES(filter, 32);        /* vmx/exit/filter.c */

    char text[4096];                                          /* vmx/cpu/exit_counts.c: the text for pt_flush_end */
    uint8_t lapic_stage[4096] __attribute__((aligned(4096))); /* vmx/apic/lapic.c: takes stepped accesses to the APIC */
    uint8_t hidden_stage[4096] __attribute__((aligned(4096)));    /* writes to hidden pages; fetches from registers */
    uint8_t filter_stage[4096] __attribute__((aligned(4096)));    /* vmx/exit/filter.c: takes stepped accesses */
    uint8_t view_tables[44][4096] __attribute__((aligned(4096))); /* vmx/ept/view.c */
    uint8_t vmxon_region[4096] __attribute__((aligned(4096)));    /* vmx/vmx.c */
    uint8_t vmcs_region[4096] __attribute__((aligned(4096)));     /* vmx/vmx.c */
};
_Static_assert(offsetof(struct cpu, nmis_in_root) == CPU_NMIS_IN_ROOT, "vmx/cpu/entry.S");
_Static_assert(offsetof(struct cpu, measures) == CPU_MEASURES, "vmx/cpu/entry.S");
_Static_assert(offsetof(struct cpu, verw_selector) == CPU_VERW_SELECTOR, "vmx/cpu/entry.S");
_Static_assert(offsetof(struct cpu, guest_spec_ctrl) == CPU_GUEST_SPEC_CTRL, "vmx/cpu/entry.S");
_Static_assert(sizeof(struct cpu) % 4096 == 0, "struct cpu is whole pages");

/* After struct name_cpu: define name_of(cpu), that struct on a CPU. */
#define CPU_STATE(name)                                                                                                \
    _Static_assert(sizeof(struct name##_cpu) <= sizeof(((struct cpu *)0)->name##_state),                               \
                   "enlarge it in vmx/cpu/cpu.h");                                                                     \
    static inline struct name##_cpu *name##_of(const struct cpu *cpu)                                                  \
    {                                                                                                                  \
        return (struct name##_cpu *)(uintptr_t)cpu->name##_state;                                                      \
    }

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
