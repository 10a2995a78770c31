/*
 * Far transfers and events: everything that may change the mode, the privilege level or the address space while it
 * moves the IP. VM entries and exits are in pt_transitions.cc.
 *
 * Source: SDM Table "Packet Generation under Different Enable Conditions", rows 5, 10 to 15, 30 to 32.
 */
#include "pt_internal.h"

#include <inttypes.h>

/*
 * The common part of all rows: PacketEn before and after decide between TIP, TIP.PGE, TIP.PGD and nothing. The CPU's
 * state is the target's.
 */
void ptm_transfer_packets(BX_CPU_C *cpu, const struct ptm_transfer *transfer)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t hot = p->hot;
    bool before = (hot & PTM_HOT_BRANCH) != 0, trigger = p->trigger_en;
    uint64_t ip = ptm_current_ip(cpu);
    bool stop = ptm_enables_at(cpu, ip, transfer->is_mov_cr3 ? transfer->source : ip);
    bool after = (p->hot & PTM_HOT_BRANCH) != 0;
    /* An event that leaves the context has no target in the trace, and does not differ from a VM exit. */
    bool resolved = after || p->context_en;
    if (transfer->is_branch && (resolved || !transfer->has_source || ptm_config.scope != PTM_SCOPE_GUEST))
        ptm_truth_branch(cpu, hot, transfer->source, ip, resolved);
    if (!trigger)
        return;
    ptm_tnt_flush(cpu);
    if (before && transfer->has_source)
        ptm_put_payload(cpu, PT_PACKET_FUP, ptm_ip_payload(transfer->source, p->source_base));
    if (transfer->new_cr3 && p->context_en && (p->msr.ctl & RTIT_CTL_OS))
        ptm_put_pip(cpu, transfer->vm_entry);
    if (after)
        ptm_put_mode(cpu, false);
    if (before && after) {
        if (!transfer->is_mov_cr3)
            ptm_put_ip(cpu, PT_PACKET_TIP, ip);
    } else if (after) {
        p->retstack_depth = 0;
        ptm_put_ip(cpu, PT_PACKET_TIP_PGE, ip);
    } else if (before && p->context_en) {
        ptm_put_ip(cpu, PT_PACKET_TIP_PGD, ip);
    } else if (before) {
        ptm_put_ip_suppressed(cpu, PT_PACKET_TIP_PGD);
    }
    if (stop)
        ptm_trace_stop(cpu);
    ptm_psb_if_due(cpu, ip);
}

static bool take_cr3_changed(struct ptm_cpu *p)
{
    bool changed = p->cr3_changed;
    p->cr3_changed = false;
    return changed;
}

/* Row 10. */
void ptm_far_branch(BX_CPU_C *cpu, uint64_t from)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = true;
    transfer.source = from;
    transfer.new_cr3 = take_cr3_changed(&cpu->ptm);
    cpu->ptm.task_committed = false;
    ptm_transfer_packets(cpu, &transfer);
}

/* exception() counts the instruction that it ends as one that retired. */
static void exception_ends(struct ptm_cpu *p)
{
    if (p->in_exception && (p->hot & PTM_HOT_TRUTH))
        p->not_retired++;
    p->in_exception = false;
}

/* An event may fault on its way and give place to another: only the one that arrives counts. A fault in a task switch
 * that is past its commit point reports where that task switch started (36.4.2.6). */
void ptm_event_begin(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->task_committed) {
        p->event_ip = ip;
        p->source_base = ptm_ip_base(cpu);
    }
    p->task_committed = false;
    ptm_truth_interrupted(cpu);
}

void ptm_task_commits(BX_CPU_C *cpu, bool by_event)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->task_committed = true;
    if (by_event)
        return;
    p->event_ip = cpu->far_branch.prev_laddr;
    p->source_base = ptm_ip_base(cpu);
}

/* Rows 11, 12, 13. */
void ptm_event_done(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = true;
    transfer.has_source = true;
    transfer.source = cpu->ptm.event_ip;
    transfer.new_cr3 = take_cr3_changed(&cpu->ptm);
    cpu->ptm.task_committed = false;
    exception_ends(&cpu->ptm);
    ptm_transfer_packets(cpu, &transfer);
}

/* 25.5.2 "Monitor Trap Flag": where an interrupt is delivered before the first instruction, the VM exit is on the
 * boundary after its delivery. Bochs would first execute the handler's first instruction. */
void ptm_hw_interrupt_done(BX_CPU_C *cpu)
{
    cpu->ptm.hw_interrupt = false;
    if (cpu->in_vmx_guest && cpu->is_pending(BX_EVENT_VMX_MONITOR_TRAP_FLAG))
        cpu->VMexit(VMX_VMEXIT_MONITOR_TRAP_FLAG, 0);
}

/* Row 5. The IP does not move: where nothing but CR3 changes, there is only the PIP. */
void ptm_mov_cr3(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    if (!cpu->ptm.trigger_en)
        return;
    transfer.new_cr3 = true;
    transfer.is_mov_cr3 = true;
    transfer.source = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    ptm_transfer_packets(cpu, &transfer);
}

void ptm_task_switch_cr3(BX_CPU_C *cpu)
{
    cpu->ptm.cr3_changed = true;
}

void ptm_init_begin(BX_CPU_C *cpu)
{
    cpu->ptm.in_init = true;
    cpu->ptm.event_ip = ptm_current_ip(cpu);
    cpu->ptm.source_base = ptm_ip_base(cpu);
}

/* Row 31: the target comes with the SIPI, and PacketEn stays until then. */
static void init_waits(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->slow.slept = false; /* the clock stops after these packets */
    if (p->hot & PTM_HOT_BRANCH) {
        ptm_tnt_flush(cpu);
        ptm_put_payload(cpu, PT_PACKET_FUP, ptm_ip_payload(p->event_ip, p->source_base));
        if (p->msr.ctl & RTIT_CTL_OS)
            ptm_put_pip(cpu, false);
    }
    ptm_halt(cpu);
}

/* Row 32. */
void ptm_sipi(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = true;
    transfer.source = cpu->ptm.event_ip;
    ptm_transfer_packets(cpu, &transfer);
}

/* 25.2, "Other Causes of VM Exits": only the active state has NMIs and SMIs again. */
void ptm_sipi_exit(BX_CPU_C *cpu)
{
    uint32_t vector = cpu->ptm.sipi & 0xff;
    cpu->ptm.sipi = 0;
    cpu->unmask_event(BX_EVENT_SMI | BX_EVENT_NMI);
    cpu->VMexit(VMX_VMEXIT_SIPI, vector);
}

/*
 * 25.2 and 26.7.2: in VMX root operation INIT is blocked, and waits for the next VM entry; Bochs would lose it. In the
 * wait-for-SIPI state it is blocked as well, which the manual leaves open: without the option, it is as if it had come
 * before.
 */
bool ptm_init_waits(const BX_CPU_C *cpu)
{
    return cpu->activity_state != BX_CPU_C::BX_ACTIVITY_STATE_WAIT_FOR_SIPI ||
           (cpu->in_vmx_guest && ptm_config.keep_init);
}

static uint32_t inits, inits_lost;

/* loseinit: as if the target's local APIC changed its mode at that moment. */
bool ptm_init_kept(const BX_CPU_C *cpu)
{
    if (!ptm_init_waits(cpu))
        return false;
    if (ptm_config.lose_inits == 0 || !cpu->in_vmx || ++inits % ptm_config.lose_inits != 0)
        return true;
    inits_lost++;
    return false;
}

static struct {
    uint64_t all, merged;
} nmis;

/* SDM "Nonmaskable Interrupt (NMI)": while one is pending, others that arrive are lost. */
void ptm_nmi_arrives(const BX_CPU_C *cpu)
{
    nmis.all++;
    nmis.merged += (cpu->pending_event & BX_EVENT_NMI) != 0;
}

void ptm_nmis_print(FILE *file)
{
    if (ptm_config.lose_inits)
        fprintf(file, "ptmodel: INITs: lost %" PRIu32 "\n", inits_lost);
    if (nmis.all)
        fprintf(file, "ptmodel: NMIs: all %" PRIu64 " merged %" PRIu64 "\n", nmis.all, nmis.merged);
}

/* Table "FUP Cases and IP Payload", INIT: an event like an interrupt, after which CR3 is 0. IA32_RTIT_* keep their
 * values (36.2.7.1). */
void ptm_init_done(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = true;
    transfer.has_source = true;
    transfer.source = cpu->ptm.event_ip;
    transfer.new_cr3 = true;
    cpu->ptm.in_init = false;
    if (cpu->activity_state == BX_CPU_C::BX_ACTIVITY_STATE_WAIT_FOR_SIPI)
        init_waits(cpu);
    else
        ptm_transfer_packets(cpu, &transfer);
}

/* Row 14 and 36.2.8.3, "System Management Mode": an SMI clears TraceEn, RSM brings it back. Called before the CPU's
 * state changes, and after it was restored. */
void ptm_smi(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t ip = ptm_current_ip(cpu);
    p->smm_trace_en = (p->msr.ctl & RTIT_CTL_TRACE_EN) != 0;
    ptm_ctl_set(cpu, p->msr.ctl & ~RTIT_CTL_TRACE_EN, ip, ip);
    if (cpu->in_vmx_guest)
        ptm_truth_world(cpu, false);
    p->hot = 0;
}

/* Row 15. With TraceEn = 1, rows 15d to 15f: shutdown. */
void ptm_rsm(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t ip = ptm_current_ip(cpu);
    p->in_vmx_transition = false;
    if (cpu->in_vmx_guest)
        ptm_truth_world(cpu, true);
    if (p->msr.ctl & RTIT_CTL_TRACE_EN)
        cpu->shutdown();
    ptm_ctl_set(cpu, p->smm_trace_en ? p->msr.ctl | RTIT_CTL_TRACE_EN : p->msr.ctl, ip, ip);
}
