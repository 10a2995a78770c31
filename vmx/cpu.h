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

#include "base/msr.h"
#include "vmx/caps.h"
#include "vmx/cpu_offsets.h"
#include "vmx/cpuid_policy.h"
#include "vmx/ept_view.h"
#include "vmx/exit_reasons.h"
#include "vmx/guest_task.h"
#include "vmx/inject.h"
#include "vmx/machine.h"
#include "vmx/soft_step.h"
#include "vmx/vmx.h"

/* As vmx/exit.S pushes them; in the order in which instructions number them. RSP is in the VMCS. */
struct guest_registers {
    uint64_t rax, rcx, rdx, rbx, rsp_unused, rbp, rsi, rdi;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};
_Static_assert(sizeof(struct guest_registers) == 128, "vmx/exit.S pushes 16 registers");

#define VPID_OF_GUEST 1u

/* Where a CPU is, for the others: vmx/summons.h. */
enum cpu_place {
    CPU_IN_ROOT,
    CPU_IN_GUEST,
    CPU_KICKED,         /* in the guest, and an INIT of ours is on its way to it */
    CPU_WAITS_FOR_SIPI, /* in the guest, where it executes nothing until the guest starts it */
    CPU_SPOKEN_FOR,     /* there, and another CPU uses its pt_engine */
    CPU_PARKED          /* stopped for good */
};

struct cpu;

#define NR_PAGE_FAULTS 8u
#define NR_SLEEPERS 32u
#define ABSENT_UNKNOWN UINT64_MAX
struct page_fault {
    uint64_t cr3, linear; /* without PCID */
    uint64_t offset;      /* of this CPU's trace when it faulted */
    uint64_t absent;   /* ... when the page was last seen not to be there; ABSENT_UNKNOWN: another CPU runs the space */
    uint64_t tsc;      /* when it faulted; 0: a sleeper's free place */
    uint64_t wait_tsc; /* from then to the next look */
    uint64_t table;    /* a sleeper's: the page table that tells when it is written; 0: none does */
    uint32_t looks;    /* that have found nothing */
    bool fetch;        /* not a read */
    bool found;        /* the page is there, as the last look has found */
};

/* What is to be done behind a step. broken_off: another exit came before the monitor trap's. */
typedef void step_done(struct cpu *cpu, bool broken_off);

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
    uint32_t nmis_pending; /* the guest's, not injected yet; see nmis_pending_max */

    uint16_t number;
    uint32_t apic_id;
    bool has_vmcs; /* the current VMCS is this CPU's */
    bool failing;  /* vmx/dump.c is at work */

    /* vmx/summons.c. place and what was served are read, place is written by other CPUs as well. */
    enum cpu_place place;
    bool init_pending;    /* one of ours that has not exited yet */
    bool guest_init;      /* another CPU's guest code has sent an INIT that may be one with ours; others set it */
    bool just_started;    /* by a SIPI; vmx/startup.c */
    uint32_t start_steps; /* instructions to be stepped at most until it has left real mode */
    uint64_t start_base;  /* its CS.base then */
    uint64_t summons_served, flushes_served, triggers_served, inits_served;
    uint64_t ept_generation; /* of the tree that this CPU's translations are from */
    uint64_t pages_seen;     /* number of the newest code page that this CPU's stream tells of */
    uint64_t icr_written;    /* the ICR as root wrote it last */
    bool icr_by_x2apic;      /* ... in which mode */
    uint64_t icr_guest;      /* ... as the guest wrote it last, where root has seen it */

    uint64_t timer_tsc; /* vmx/timer.c */
    bool timer_steady;  /* it is as it should be as long as no fetch faults and it does not run out */

    /* vmx/page_fault.c: faults whose pages the guest has not mapped yet, and the time until the next look at them */
    struct page_fault faults[NR_PAGE_FAULTS];
    uint32_t nr_faults, nr_fetches;
    struct page_fault sleepers[NR_SLEEPERS]; /* those that have waited longest; looked at when their space faults */
    uint32_t nr_sleepers, next_sleeper;
    uint32_t first_look_tsc;
    uint64_t look_due_tsc; /* no look before */
    uint64_t open_space;   /* vmx/space_life.c: its uppermost table is to be watched again; 0: none */
    struct guest_tasks tasks;
    uint64_t quiet_tsc; /* vmx/space_look.c: root runs when nothing has exited for so long; 0: no space waits for it */

    struct pt_engine *pt;
    struct vmx_controls controls;
    uint32_t proc_controls;  /* as in the VMCS now */
    uint32_t msr_conditions; /* MSR_IF_* */
    struct cpuid_limits cpuid_limits;

    /* vmx/trace_switch.c */
    uint64_t rtit_ctl; /* VMCS_GUEST_IA32_RTIT_CTL as written last */
    struct msr_entry entry_msr, exit_msr;

    uint64_t lapic_pa;       /* page guarded in xAPIC mode, 0 = none */
    uint64_t *lapic_entry;   /* its leaf in the view */
    bool lapic_absent;       /* reads are stepped as well */
    bool lapic_writes;       /* the instruction stepped writes a register */
    uint32_t lvtpc_guest;    /* LVTPC as the guest wants it */
    uint32_t lapic_offset;   /* of the register that the instruction stepped is at, in lapic_stage */
    uint64_t lapic_step_rip; /* of that instruction */
    uint64_t pmis_delivered; /* bits of IA32_PERF_GLOBAL_STATUS that the guest knows of: vmx/pmi.h */

    struct soft_step soft;

    struct ept_view view;
    bool stepping;      /* until the next exit some pages are open in the view */
    step_done *stepped; /* what follows a step, besides closing them; NULL: nothing */

    struct turn *turn;    /* vmx/turns.c: given, and begins with the next VM entry; NULL: none */
    uint64_t written_gpa; /* the last page that lost X by a write, and the instruction that did it */
    uint64_t written_rip;

    /* By basic exit reason: how many, and TSC ticks from there to VM entry. During an exit its reason's ticks lack the
     * TSC: they are negative, until it is added. */
    uint64_t exits[NR_EXIT_REASONS], exit_tsc[NR_EXIT_REASONS];
    char text[4096]; /* for pt_flush_end */

    uint8_t lapic_stage[4096] __attribute__((aligned(4096)));  /* vmx/lapic.c */
    uint8_t hidden_stage[4096] __attribute__((aligned(4096))); /* vmx/violation.c: takes writes to hidden pages */
    uint8_t view_memory[EPT_VIEW_BYTES] __attribute__((aligned(4096)));
    uint8_t vmxon_region[4096] __attribute__((aligned(4096)));
    uint8_t vmcs_region[4096] __attribute__((aligned(4096)));
};
_Static_assert(offsetof(struct cpu, nmis_in_root) == CPU_NMIS_IN_ROOT, "vmx/exit.S");
_Static_assert(sizeof(struct cpu) % 4096 == 0, "struct cpu is whole pages");

/* What an exit's handler wants: go on behind the instruction, do it again, deliver what it injected, or wait for a
 * SIPI.
 */
enum exit_action { EXIT_ADVANCE, EXIT_RETRY, EXIT_INJECTED, EXIT_WAIT_FOR_SIPI };
typedef enum exit_action exit_handler(struct cpu *cpu);

/* vmx/guest.c: the guest's state and events. */
bool guest_code64(void);
bool guest_in_user_mode(void);
bool guest_at_cpl0(void);
uint64_t guest_cr4_seen(void);
void guest_advance_rip(void);
void guest_trap_set(void); /* a single-step trap is pending */
enum exit_action guest_inject_exception(uint32_t vector);
void guest_inject(struct event event);
void guest_redeliver(void);
void guest_pend_nmi(struct cpu *cpu);
void cpu_set_proc_control(struct cpu *cpu, uint32_t bit, bool on);

/* vmx/exits.c. Called by vmx/exit.S. */
void vmx_exit_dispatch(struct guest_registers *registers);
void vmx_nmi_before_entry(struct guest_registers *registers);
void vmx_enter_guest(struct cpu *cpu);

/* vmx/exit.S. Hidden, so that their addresses are formed relative to RIP and not through a GOT. */
#pragma GCC visibility push(hidden)
void vmx_exit_entry(void);
_Noreturn void vmx_launch(struct guest_registers *registers);
extern const char vmx_entry_window_start[], vmx_entry_window_end[];
#pragma GCC visibility pop

/* Handlers, one file per concern. */
exit_handler nmi_exit, nmi_window_exit;   /* vmx/nmi.c */
exit_handler cr_access_exit, xsetbv_exit; /* vmx/cr.c */
exit_handler vmcall_exit;                 /* vmx/vmcall.c */
exit_handler io_exit;                     /* vmx/io_instruction.c */
exit_handler rdmsr_exit, wrmsr_exit;      /* vmx/msr.c */
exit_handler step_exit;                   /* vmx/step.c */
exit_handler timer_exit;                  /* vmx/timer.c */
exit_handler ept_violation_exit;          /* vmx/violation.c */
exit_handler triple_fault_exit;           /* vmx/power.c */
exit_handler init_exit, sipi_exit;        /* vmx/startup.c */
exit_handler task_switch_exit;            /* vmx/task_switch.c */

/* vmx/nmi.c: turn NMIs counted in root and those pending into an injection or a window. */
void nmi_deliver(struct cpu *cpu);
uint32_t nmi_take_early(void);

/* vmx/step.c: let the guest execute one instruction, with gpa's page mapped by leaf, in this CPU's view alone; then
 * close it. */
void step_open_page(struct cpu *cpu, uint64_t gpa, uint64_t leaf);
/* Close all such pages; the machine's lock is held, and the caller calls ept_invalidate. */
void step_close_pages(struct cpu *cpu);
/* Close them where soft PT has left pages open behind its steps; the lock is not held. */
void step_forget_pages(struct cpu *cpu);
/* The machine's tree has changed: close them where one of them is not guarded there any more, or is another page. The
 * lock is not held, and the caller calls ept_invalidate. */
void step_follow_pages(struct cpu *cpu);
/* Have one instruction stepped; done, unless NULL, is called behind it. */
void step_begin(struct cpu *cpu, step_done *done);
/* Behind an exit for this reason, where a step may be under way: where another exit came first, it is over, too. */
void step_leave(struct cpu *cpu, uint32_t reason);
/* The instruction will not come back. */
void step_cancel(struct cpu *cpu);

/* vmx/page_fault.c: into the current VMCS; an exit by a fault; behind an exit, look at what the guest has mapped
 * since. */
void page_faults_setup(void);
enum exit_action page_fault_exit(struct cpu *cpu, uint32_t information);
void page_faults_look(struct cpu *cpu);
/* TSC ticks until the next look at a page that is to be executed; UINT64_MAX: there is none. */
uint64_t page_faults_wait(const struct cpu *cpu);

/* vmx/trigger.c: the page of pt.trigger=, fetched and written. trigger_fetched: does it need no sending? */
bool trigger_guards(uint64_t gpa, uint64_t linear);
bool trigger_fetched(struct cpu *cpu, uint64_t gpa);
void trigger_written(uint64_t gpa);

/* vmx/cr.c: have the guest's loads of CR3 told to pt_cr3, if it wants them. */
void cr3_watch(struct cpu *cpu);

/* vmx/timer.c: into the current VMCS; and root runs soon where a fetch fault waits, often while pt/ has something under
 * way, else seldom. */
void timer_setup(struct cpu *cpu);
void timer_before_entry(struct cpu *cpu);
void timer_run(struct cpu *cpu, bool on);

/* vmx/lapic.c */
void lapic_guard_start(struct cpu *cpu);
void lapic_guard_follow(struct cpu *cpu);
void lapic_accessed(struct cpu *cpu, uint64_t gpa, bool write);
bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value);
void lapic_guest_pmi(struct cpu *cpu);

/* vmx/lapic_reset.c */
void lapic_reset(struct cpu *cpu);

/* vmx/lapic_ipi.c: IPIs of root's: what the guest is about to write to the ICR's high half is put back behind them. */
struct lapic_ipi {
    uint64_t icr;     /* as found */
    bool guests_init; /* it is an INIT of the guest's */
};
struct lapic_ipi lapic_ipi_begin(const struct cpu *cpu);
void lapic_send_init(struct cpu *cpu, uint32_t apic_id);
void lapic_ipi_end(struct cpu *cpu, struct lapic_ipi ipi);
/* If the guest's last IPI from this CPU is an INIT, it may have merged with one of ours: send it again. */
void lapic_init_again(struct cpu *cpu);
/* If it is a SIPI to that CPU, it may have come before that one waited for it: send it again. false: it is not. */
bool lapic_sipi_again(struct cpu *cpu, const struct cpu *to);
bool lapic_is_x2apic(void);

/* vmx/code_pages.c */
void code_page_fetched(struct cpu *cpu, uint64_t gpa, uint64_t qualification);
void code_page_written(struct cpu *cpu, uint64_t gpa);
void code_page_rebased(struct cpu *cpu);
/* It has been mapped, and is not what was sent. The caller sends the RECORD_MAP behind it. false: nor can it run. */
bool code_page_refilled(struct cpu *cpu, uint64_t gpa, uint64_t linear, uint64_t cr3);

/* vmx/power.c: hand over all that all CPUs have traced, and wait for its arrival; the machine may go down.
 * power_survived: it has not. power_reset: it does. Before it, power_say_sleep: it only sleeps. */
void power_say_sleep(void);
void power_flush(struct cpu *cpu);
void power_survived(struct cpu *cpu);
void power_fail(struct cpu *cpu);
_Noreturn void power_reset(struct cpu *cpu);

/* vmx/startup.c: CPUs start and wait for it as the guest's INIT and SIPI say. */
void startup_wait(struct cpu *cpu);
/* A prepared CPU into VMX non-root operation: the first to the guest's entry, another to wait for its SIPI. */
_Noreturn void cpu_start(struct cpu *cpu, bool first);

/* vmx/vmcs_setup.c: fill the current VMCS. entry NULL: the guest's state is the one after INIT. */
void vmcs_setup(struct cpu *cpu, const struct vmx_entry *entry);
void vmcs_setup_guest_init(const struct cpu *cpu, uint64_t cr0);

/* vmx/trace_switch.c: into the controls; and the last call of a VM entry: pt_enter, and see to it that the entry loads
 * what it says. */
void trace_switch_setup(struct cpu *cpu);
void trace_switch_enter(struct cpu *cpu);
/* The next VM entry does not switch tracing on, and pt/ is not asked. */
void trace_switch_off(struct cpu *cpu);

/* vmx/dump.c: say why, dump the VMCS and the registers, hand over the trace, park. How it is handed over is said once
 * by who can do it; this file stands below all others. */
_Noreturn void fail_stop(struct cpu *cpu, const char *why);
void fail_stop_hands_over(void (*hand_over)(struct cpu *cpu));
_Noreturn void cpu_park(void);
_Noreturn void vmx_entry_failed(struct guest_registers *registers);

/* NULL: before vmx_cpu_run. */
static inline struct cpu *cpu_this(void)
{
    return (struct cpu *)(uintptr_t)msr_read(IA32_GS_BASE);
}

/* The machine's lock is held: this CPU needs not be told of any page up to now. */
static inline void cpu_has_seen_pages(struct cpu *cpu)
{
    cpu->ept_generation = __atomic_load_n(&machine.ept_generation, __ATOMIC_SEQ_CST);
    cpu->pages_seen = machine.pages_sent;
}

static inline struct cpu *cpu_of(struct guest_registers *registers)
{
    return (struct cpu *)(void *)((char *)registers - offsetof(struct cpu, registers));
}

#endif
