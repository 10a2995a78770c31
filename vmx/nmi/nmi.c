/* Kind: shell, hot */
/*
 * NMIs: none is lost, none is duplicated, and none of the guest's is taken for a PMI.
 *
 * An NMI causes a VM exit (NMI exiting), or arrives in root mode, where it is counted. If a ToPA PMI explains it, it
 * ends here. Otherwise the guest gets it by injection, with virtual NMIs: it blocks them as it would block real ones.
 */
#include "vmx/nmi/nmi.h"

#include "base/msr.h"
#include "base/trap_frame.h"
#include "vmx/apic/lapic.h"
#include "vmx/cpu/entry.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/proc_control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/guest.h"
#include "vmx/nmi/pmi.h"

static uint32_t early_nmis; /* before this CPU had a struct cpu */

void nmi_init(struct cpu *cpu)
{
    nmi_of(cpu)->pending = __atomic_exchange_n(&early_nmis, 0, __ATOMIC_RELAXED) ? 1 : 0;
}

void vmx_root_nmi(struct trap_frame *frame)
{
    struct cpu *cpu = cpu_this();
    const uint64_t start = (uint64_t)(uintptr_t)vmx_entry_window_start;
    const uint64_t end = (uint64_t)(uintptr_t)vmx_entry_window_end;

    if (!cpu) {
        early_nmis++;
        return;
    }
    cpu->nmis_in_root++;
    /* Between the test of the count and VMRESUME: test again, or the NMI would wait until the next exit. */
    if (frame->rip >= start && frame->rip < end)
        frame->rip = start;
}

/* The guest must not notice that NMIs are blocked for root mode's sake. */
static void iret_await_end(struct nmi_cpu *nmi)
{
    if (!nmi->awaits_iret)
        return;
    nmi->awaits_iret = false;
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) & ~INTERRUPTIBILITY_NMI);
}

static void nmi_pend(struct nmi_cpu *nmi)
{
    iret_await_end(nmi);
    if (nmi->pending <
        nmis_pending_max(vmread32(VMCS_ENTRY_INTERRUPTION_INFORMATION), vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE)))
        nmi->pending++;
}

void nmis_sent(struct cpu *cpu, uint32_t count)
{
    for (; count > 0; count--)
        nmi_pend(nmi_of(cpu));
}

/* One NMI has arrived: a PMI of ours, of the guest's counters, or an NMI of the guest's? LVTPC serves the guest's
 * counters as well: their PMIs are delivered as the guest's LVTPC says. An NMI that LVTPC has not delivered is the
 * guest's, whatever the status says: a counter may overflow without an interrupt. */
static void nmi_arrived(struct cpu *cpu)
{
    if (!machine.config.watch_lvtpc) {
        nmi_pend(nmi_of(cpu));
        return;
    }
    const struct pmi pmi = pmi_judge(msr_read(IA32_PERF_GLOBAL_STATUS), nmi_of(cpu)->pmis_delivered);
    const bool by_lvtpc = pt_pmi_serve(cpu->pt);
    if (!by_lvtpc) {
        nmi_pend(nmi_of(cpu));
        return;
    }
    nmi_of(cpu)->pmis_delivered = pmi.delivered;
    if (pmi.counters) {
        if (lapic_guest_pmi(cpu))
            nmi_pend(nmi_of(cpu));
    } else if (pmi.thaw) {
        msr_write(IA32_PERF_GLOBAL_STATUS_RESET, pmi.thaw);
    }
}

/* After an exit by an NMI, further NMIs are blocked until IRET or VM entry, as in an NMI handler, and two that arrive
 * meanwhile merge: a guest's with a PMI, once LVTPC is unmasked. So unblock them by an IRET; they are then counted. SDM
 * "Nonmaskable Interrupt (NMI)", "Handling Multiple NMIs"; "Loading Host State": blocking by NMI. */
static void nmis_unblock(void)
{
    uint64_t scratch;

    __asm__ volatile("mov %%rsp, %0\n\t"
                     "pushq $0\n\t"
                     "pushq %0\n\t"
                     "pushfq\n\t"
                     "mov %%cs, %k0\n\t"
                     "pushq %0\n\t"
                     "lea 1f(%%rip), %0\n\t"
                     "pushq %0\n\t"
                     "iretq\n"
                     "1:"
                     : "=&r"(scratch)
                     :
                     : "memory", "cc");
}

enum exit_action nmi_exit(struct cpu *cpu)
{
    nmis_unblock();
    nmi_arrived(cpu);
    return EXIT_RETRY;
}

/* IRET ends the blocking of virtual NMIs, whether an NMI began it or not: SDM "Changes to Instruction Behavior in VMX
 * Non-Root Operation", IRET. */
void nmi_exit_after_iret(struct cpu *cpu)
{
    const uint32_t interruptibility = vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE);

    if ((interruptibility & INTERRUPTIBILITY_NMI) || nmi_of(cpu)->pending)
        return;
    nmi_of(cpu)->awaits_iret = true;
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, interruptibility | INTERRUPTIBILITY_NMI);
    proc_control_set(cpu, PROC_NMI_WINDOW_EXITING, true);
}

/* What is pending is injected by nmi_deliver. */
bool nmi_window_opened(struct cpu *cpu)
{
    const bool after_iret = nmi_of(cpu)->awaits_iret;

    nmi_of(cpu)->awaits_iret = false;
    proc_control_set(cpu, PROC_NMI_WINDOW_EXITING, false);
    return after_iret;
}

void nmi_deliver(struct cpu *cpu)
{
    uint32_t counted = __atomic_exchange_n(&cpu->nmis_in_root, 0, __ATOMIC_RELAXED);

    while (counted-- > 0)
        nmi_arrived(cpu);
    if (nmi_of(cpu)->pending > 0 &&
        nmi_can_inject(vmread32(VMCS_ENTRY_INTERRUPTION_INFORMATION), vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE))) {
        guest_inject(event_nmi());
        nmi_of(cpu)->pending--;
    }
    proc_control_set(cpu, PROC_NMI_WINDOW_EXITING, nmi_of(cpu)->pending > 0 || nmi_of(cpu)->awaits_iret);
}

void nmi_drop_pending(struct cpu *cpu)
{
    nmi_of(cpu)->pending = 0;
    nmi_of(cpu)->awaits_iret = false;
    proc_control_set(cpu, PROC_NMI_WINDOW_EXITING, false);
}

void nmi_keep_counted(struct cpu *cpu)
{
    const uint32_t counted = __atomic_exchange_n(&cpu->nmis_in_root, 0, __ATOMIC_RELAXED);

    if (counted && !machine.config.watch_lvtpc)
        nmi_of(cpu)->pending = 1;
}

void nmi_forget_pmis(struct cpu *cpu)
{
    nmi_of(cpu)->pmis_delivered = msr_read(IA32_PERF_GLOBAL_STATUS);
}

void nmi_pmis_reset(struct cpu *cpu, uint64_t bits)
{
    nmi_of(cpu)->pmis_delivered &= ~bits;
}
