/* Kind: shell, hot */
/*
 * NMIs: none is lost, none is doubled, none of the guest's is taken for ours.
 *
 * An NMI arrives by an exit (NMI exiting) or in root mode, where it is counted. Those that a ToPA PMI explains end
 * here; the guest gets the others, with virtual NMIs: it blocks them as it would the real ones.
 */
#include "base/msr.h"
#include "base/trap_frame.h"
#include "vmx/cpu.h"
#include "vmx/msr_policy.h"
#include "vmx/pmi.h"
#include "vmx/vmcs.h"

static uint32_t early_nmis; /* before this CPU had a struct cpu */

uint32_t nmi_take_early(void)
{
    return __atomic_exchange_n(&early_nmis, 0, __ATOMIC_RELAXED);
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
    /* Between the look at the count and VMRESUME: look again, or it would wait until the next exit. */
    if (frame->rip >= start && frame->rip < end)
        frame->rip = start;
}

/* One NMI has arrived: whose is it? */
static void nmi_arrived(struct cpu *cpu)
{
    if (!machine.config.watch_lvtpc) {
        guest_pend_nmi(cpu);
        return;
    }
    const struct pmi pmi = pmi_judge(msr_read(IA32_PERF_GLOBAL_STATUS), cpu->pmis_delivered);
    const bool ours = pt_pmi_serve(cpu->pt);
    /* The guest's counters share LVTPC with us: they are served as its own LVTPC asks. An NMI that neither explains
     * reaches the guest. */
    cpu->pmis_delivered = pmi.delivered;
    if (pmi.counters)
        lapic_guest_pmi(cpu);
    else if (!ours)
        guest_pend_nmi(cpu);
    else if (pmi.thaw)
        msr_write(IA32_PERF_GLOBAL_STATUS_RESET, pmi.thaw);
}

/* Behind an exit by an NMI the next one waits, as it does in an NMI's handler, for IRET or VM entry, and one more is
 * one with it: the guest's with a PMI's, if LVTPC is unmasked meanwhile. So let it come now, to be counted. SDM
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
    const uint32_t information = vmread32(VMCS_EXIT_INTERRUPTION_INFORMATION);

    if (event_type_of(information) != EVENT_NMI)
        return page_fault_exit(cpu, information);
    nmis_unblock();
    nmi_arrived(cpu);
    return EXIT_RETRY;
}

enum exit_action nmi_window_exit(struct cpu *cpu)
{
    cpu_set_proc_control(cpu, PROC_NMI_WINDOW_EXITING, false);
    return EXIT_RETRY; /* the dispatcher delivers what is pending */
}

void nmi_deliver(struct cpu *cpu)
{
    uint32_t counted = __atomic_exchange_n(&cpu->nmis_in_root, 0, __ATOMIC_RELAXED);

    while (counted-- > 0)
        nmi_arrived(cpu);
    if (cpu->nmis_pending > 0 &&
        nmi_can_inject(vmread32(VMCS_ENTRY_INTERRUPTION_INFORMATION), vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE))) {
        guest_inject(event_nmi());
        cpu->nmis_pending--;
    }
    cpu_set_proc_control(cpu, PROC_NMI_WINDOW_EXITING, cpu->nmis_pending > 0);
}
