/*
 * One CPU as a host: its stack, the guest's registers on top of it, and all that vmx/ remembers about it.
 *
 * Private to vmx/.
 */
#ifndef VMX_CPU_H
#define VMX_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmx/caps.h"
#include "vmx/cpu_offsets.h"
#include "vmx/cpuid_policy.h"
#include "vmx/exit_reasons.h"
#include "vmx/inject.h"
#include "vmx/vmx.h"

/* As vmx/exit.S pushes them; in the order in which instructions number them. RSP is in the VMCS. */
struct guest_registers {
    uint64_t rax, rcx, rdx, rbx, rsp_unused, rbp, rsi, rdi;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};
_Static_assert(sizeof(struct guest_registers) == 128, "vmx/exit.S pushes 16 registers");

#define VPID_OF_GUEST 1u

/* A page that is open for one instruction, and who closes it. */
enum step_kind { STEP_LAPIC, STEP_CODE_PAGE, STEP_HIDDEN, STEP_TRIGGER };
struct step_page {
    uint64_t gpa;
    enum step_kind kind;
};
#define STEP_MAX_PAGES 20u /* more than an instruction can touch: 16 elements scattered, two pages of code */

/* SDM Table "Format of an MSR Entry" */
struct msr_entry {
    uint32_t index, reserved;
    uint64_t value;
} __attribute__((aligned(16)));

struct cpu {
    union {
        uint8_t stack[CPU_STACK_SIZE];
        struct {
            uint8_t stack_room[CPU_STACK_SIZE - sizeof(struct guest_registers)];
            struct guest_registers registers;
        };
    };

    uint32_t nmis_in_root; /* counted by vmx_root_nmi, taken by nmi_deliver; vmx/exit.S looks at it */
    uint32_t nmis_owed;    /* the guest's, not injected yet; see nmis_owed_max */

    uint16_t number;
    bool has_vmcs; /* the current VMCS is this CPU's */
    struct pt_engine *pt;
    struct vmx_controls controls;
    uint32_t proc_controls;  /* as in the VMCS now */
    uint32_t msr_conditions; /* MSR_IF_* */
    struct cpuid_limits cpuid_limits;

    /* vmx/trace_switch.c */
    uint64_t rtit_ctl; /* VMCS_GUEST_IA32_RTIT_CTL as written last */
    struct msr_entry entry_msr, exit_msr;

    uint32_t config_address; /* what the guest wrote to 0CF8H */
    uint64_t lapic_pa;       /* page guarded in xAPIC mode, 0 = none */
    uint32_t lvtpc_guest;    /* LVTPC as the guest wants it */
    uint64_t lapic_step_rip; /* of the instruction that writes to lapic_stage */
    uint64_t pmis_told;      /* bits of IA32_PERF_GLOBAL_STATUS that the guest knows of: vmx/pmi.h */

    struct step_page step_pages[STEP_MAX_PAGES];
    uint32_t nr_step_pages;
    uint64_t written_gpa; /* the last page that lost X by a write, and the instruction that did it */
    uint64_t written_rip;

    uint64_t trigger_gpa; /* the page of pt.trigger= */
    bool trigger_sent;    /* ... has been sent as it is */

    uint64_t exits[NR_EXIT_REASONS];
    char text[4096]; /* for pt_flush_end */

    uint8_t lapic_stage[4096] __attribute__((aligned(4096))); /* vmx/lapic.c */
    uint8_t vmxon_region[4096] __attribute__((aligned(4096)));
    uint8_t vmcs_region[4096] __attribute__((aligned(4096)));
};
_Static_assert(offsetof(struct cpu, nmis_in_root) == CPU_NMIS_IN_ROOT, "vmx/exit.S");
_Static_assert(sizeof(struct cpu) % 4096 == 0, "struct cpu is whole pages");

/* Set once by vmx_machine_init. */
extern struct vmx_machine vmx_machine;

/* What an exit's handler wants: go on behind the instruction, do it again, or deliver what it injected. */
enum exit_action { EXIT_ADVANCE, EXIT_RETRY, EXIT_INJECTED };
typedef enum exit_action exit_handler(struct cpu *cpu);

/* vmx/guest.c: the guest's state and events. */
bool guest_code64(void);
uint64_t guest_cr4_seen(void);
void guest_advance_rip(void);
enum exit_action guest_inject_exception(uint32_t vector);
void guest_inject(struct event event);
void guest_redeliver(void);
void cpu_set_proc_control(struct cpu *cpu, uint32_t bit, bool on);

/* vmx/exits.c. Called by vmx/exit.S. */
void vmx_exit_dispatch(struct guest_registers *registers);
void vmx_nmi_before_entry(struct guest_registers *registers);

/* vmx/exit.S. Hidden, so that their addresses are formed relative to RIP and not through a GOT. */
#pragma GCC visibility push(hidden)
void vmx_exit_entry(void);
_Noreturn void vmx_launch(struct guest_registers *registers);
extern const char vmx_entry_window_start[], vmx_entry_window_end[];
#pragma GCC visibility pop

/* Handlers, one file per concern. */
exit_handler nmi_exit, nmi_window_exit;    /* vmx/nmi.c */
exit_handler cr_access_exit, xsetbv_exit;  /* vmx/cr.c */
exit_handler io_exit;                      /* vmx/io.c */
exit_handler rdmsr_exit, wrmsr_exit;       /* vmx/msr.c */
exit_handler step_exit;                    /* vmx/step.c */
exit_handler timer_exit;                   /* vmx/timer.c */
exit_handler ept_violation_exit;           /* vmx/violation.c */
exit_handler triple_fault_exit, init_exit; /* vmx/power.c */

/* vmx/nmi.c: turn NMIs counted in root and those owed into an injection or a window. */
void nmi_deliver(struct cpu *cpu);
void nmi_owe(struct cpu *cpu);
uint32_t nmi_take_early(void);

/* vmx/step.c: let the guest execute one instruction with the page open, then close it. access: EPT_* meanwhile. */
void step_open_page(struct cpu *cpu, uint64_t gpa, enum step_kind kind, uint64_t access);

/* vmx/trigger.c: the page of pt.trigger=, fetched and written. trigger_fetched: does it need no sending? */
bool trigger_guards(const struct cpu *cpu, uint64_t gpa, uint64_t linear);
bool trigger_fetched(struct cpu *cpu, uint64_t gpa);
void trigger_written(struct cpu *cpu, uint64_t gpa);

/* vmx/cr.c: have the guest's loads of CR3 told to pt_cr3, if it wants them. */
void cr3_watch(struct cpu *cpu);

/* vmx/timer.c: into the current VMCS. */
void timer_setup(const struct cpu *cpu);

/* vmx/lapic.c */
void lapic_guard_start(struct cpu *cpu);
void lapic_guard_follow(struct cpu *cpu);
void lapic_step_open(struct cpu *cpu, uint64_t gpa);
void lapic_step_done(struct cpu *cpu, uint64_t gpa);
bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value);
bool lapic_is_x2apic(void);
void lapic_guest_pmi(struct cpu *cpu);

/* vmx/code_pages.c */
void code_page_fetched(struct cpu *cpu, uint64_t gpa, uint64_t qualification);
void code_page_written(struct cpu *cpu, uint64_t gpa);
void code_page_step_done(uint64_t gpa);

/* vmx/power.c: hand over all that was traced; the machine may go down. */
void power_flush(struct cpu *cpu);

/* vmx/vmcs_setup.c: fill the current VMCS. */
void vmcs_setup(struct cpu *cpu, const struct vmx_entry *entry);

/* vmx/trace_switch.c: into the controls; and the last call of a VM entry: pt_enter, and see to it that the entry loads
 * what it says. */
void trace_switch_setup(struct cpu *cpu);
void trace_switch_enter(struct cpu *cpu);

/* vmx/vmx.c */
const uint8_t *vmx_io_bitmap(unsigned which);
const uint8_t *vmx_msr_bitmap(void);

/* vmx/dump.c: say why, dump the VMCS and the registers, hand over the trace, park. */
_Noreturn void fail_stop(struct cpu *cpu, const char *why);
_Noreturn void vmx_entry_failed(struct guest_registers *registers);
struct cpu *cpu_this(void);

static inline struct cpu *cpu_of(struct guest_registers *registers)
{
    return (struct cpu *)(void *)((char *)registers - offsetof(struct cpu, registers));
}

#endif
