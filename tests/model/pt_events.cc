/*
 * Far transfers, events, VM entries and exits: everything that may change the mode, the privilege level or the address
 * space while it moves the IP.
 *
 * Source: SDM Table "Packet Generation under Different Enable Conditions", rows 5 and 10 to 17; "Tracing and VMX
 * Operation" (36.5).
 */
#include "pt_internal.h"

/* What a transfer tells beside its target. */
struct transfer {
    bool is_branch;  /* of those that the truth counts */
    bool has_source; /* asynchronous: a FUP says where it hit */
    bool new_cr3;    /* a PIP */
    bool skd022;     /* a VM entry that has a FUP where it clears TraceEn: the erratum */
    bool is_mov_cr3; /* no IP moves; TraceStop looks where it stands */
    bool vm_entry;
    uint64_t source;
};

/*
 * The common part of all rows: PacketEn before and after decide between TIP, TIP.PGE, TIP.PGD and nothing. The CPU's
 * state is the target's.
 */
static void transfer_packets(BX_CPU_C *cpu, const struct transfer *transfer)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t hot = p->hot;
    bool before = (hot & PTM_HOT_BRANCH) != 0, trigger = p->trigger_en;
    uint64_t ip = ptm_current_ip(cpu);
    bool stop = ptm_enables_at(cpu, ip, transfer->is_mov_cr3 ? transfer->source : ip);
    bool after = (p->hot & PTM_HOT_BRANCH) != 0;
    /* An event out of context tells no target, and does not differ from a VM exit. */
    bool told = after || p->context_en;
    if (transfer->is_branch && (told || !transfer->has_source || ptm_config.scope != PTM_SCOPE_GUEST))
        ptm_truth_branch(cpu, hot, transfer->source, ip, told);
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
    struct transfer transfer = {};
    transfer.is_branch = true;
    transfer.source = from;
    transfer.new_cr3 = take_cr3_changed(&cpu->ptm);
    cpu->ptm.task_committed = false;
    transfer_packets(cpu, &transfer);
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
    struct transfer transfer = {};
    transfer.is_branch = true;
    transfer.has_source = true;
    transfer.source = cpu->ptm.event_ip;
    transfer.new_cr3 = take_cr3_changed(&cpu->ptm);
    cpu->ptm.task_committed = false;
    exception_ends(&cpu->ptm);
    transfer_packets(cpu, &transfer);
}

/* Row 5. No IP moves: where nothing but CR3 changes, there is the PIP alone. */
void ptm_mov_cr3(BX_CPU_C *cpu)
{
    struct transfer transfer = {};
    if (!cpu->ptm.trigger_en)
        return;
    transfer.new_cr3 = true;
    transfer.is_mov_cr3 = true;
    transfer.source = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    transfer_packets(cpu, &transfer);
}

void ptm_task_switch_cr3(BX_CPU_C *cpu)
{
    cpu->ptm.cr3_changed = true;
}

/* Called when a VM entry has loaded the guest's state or a VM exit the host's, before the MSR lists. */
void ptm_context_switch(BX_CPU_C *cpu)
{
    if (cpu->in_smm)
        return;
    cpu->ptm.in_vmx_transition = true;
    ptm_vmx_ctl_load(cpu);
}

/* The rows "MSR list sets TraceEn", "clears TraceEn". */
static void deferred_apply(BX_CPU_C *cpu, const struct transfer *transfer)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->ctl_deferred = false;
    if ((p->msr.ctl & RTIT_CTL_TRACE_EN) && (p->hot & PTM_HOT_BRANCH)) {
        ptm_tnt_flush(cpu);
        if (transfer->has_source || transfer->skd022)
            ptm_put_payload(cpu, PT_PACKET_FUP, ptm_ip_payload(transfer->source, p->source_base));
        ptm_enables_update(cpu); /* a PIP wants ContextEn where the transition leads (36.4.2.7) */
        if (transfer->new_cr3 && p->context_en && (p->msr.ctl & RTIT_CTL_OS))
            ptm_put_pip(cpu, transfer->vm_entry);
        ptm_put_ip_suppressed(cpu, PT_PACKET_TIP_PGD);
        p->hot &= ~PTM_HOT_BRANCH; /* said all that trace_off would say */
    }
    uint64_t ip = ptm_current_ip(cpu);
    ptm_ctl_set(cpu, p->deferred_ctl, ip, ip);
}

static bool transition_ends(BX_CPU_C *cpu, const struct transfer *transfer)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->in_vmx_transition = p->in_vm_entry = p->in_vm_exit = false;
    if (!p->ctl_deferred)
        return false;
    if (((p->deferred_ctl ^ p->msr.ctl) & RTIT_CTL_TRACE_EN) == 0) {
        p->ctl_deferred = false;
        p->msr.ctl = p->deferred_ctl;
        return false;
    }
    deferred_apply(cpu, transfer);
    return true;
}

/* What a VM exit or entry tells. Table "VMX Controls for Intel Processor Trace" (36.5.1): PIPs may be concealed. The
 * truth counts them where it is of all that PT traces; that of a guest has no more than the guest sees. */
static struct transfer vm_exit_transfer(BX_CPU_C *cpu)
{
    struct transfer transfer = {};
    transfer.is_branch = ptm_config.scope == PTM_SCOPE_TRACED;
    transfer.has_source = cpu->ptm.exit_has_ip;
    transfer.source = cpu->ptm.exit_ip;
    transfer.new_cr3 = !cpu->vmcs.vmexit_ctrls1.PTRACE_SUPPRESS_HOST_VMX_TRACE();
    return transfer;
}

static struct transfer vm_entry_transfer(BX_CPU_C *cpu)
{
    struct transfer transfer = {};
    transfer.is_branch = ptm_config.scope == PTM_SCOPE_TRACED;
    transfer.vm_entry = true;
    transfer.skd022 = (ptm_config.errata & PTM_SKD022) != 0;
    transfer.source = cpu->ptm.entry_ip;
    transfer.new_cr3 = !cpu->vmcs.vmentry_ctrls.PTRACE_SUPPRESS_VMX_PACKETS();
    return transfer;
}

void ptm_transition_settle(BX_CPU_C *cpu)
{
    const struct ptm_cpu *p = &cpu->ptm;
    if (!p->in_vmx_transition || !p->ctl_deferred)
        return;
    if (!(p->msr.ctl & RTIT_CTL_TRACE_EN) || (p->deferred_ctl & RTIT_CTL_TRACE_EN))
        return;
    struct transfer transfer = p->in_vm_exit ? vm_exit_transfer(cpu) : vm_entry_transfer(cpu);
    deferred_apply(cpu, &transfer);
}

void ptm_vmexit_begin(BX_CPU_C *cpu, uint32_t reason, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool failed_entry = (reason >> 31) != 0;
    p->exit_ip = failed_entry && p->in_vm_entry ? p->entry_ip : ip;
    p->source_base = ptm_ip_base(cpu);
    p->exit_has_ip = !failed_entry;
    p->in_vm_exit = true;
    if (!failed_entry) {
        ptm_vmx_ctl_save(cpu);
        if ((reason & 0xffff) < TRUTH_NR_EXIT_REASONS)
            p->vm_exits[reason & 0xffff]++;
        p->in_exception = false;
        ptm_truth_interrupted(cpu);
        ptm_truth_world(cpu, false);
    }
}

/* Row 16. */
void ptm_vmexit_done(BX_CPU_C *cpu)
{
    struct transfer transfer = vm_exit_transfer(cpu);
    ptm_pmu_vmexit(cpu);
    if (!transition_ends(cpu, &transfer))
        transfer_packets(cpu, &transfer);
}

/* 36.5.2.7: a VM entry that fails before it loads any state goes on behind its instruction, and is a far transfer all
 * the same. */
void ptm_vmentry_failed(BX_CPU_C *cpu)
{
    struct transfer transfer = {};
    transfer.is_branch = ptm_config.scope == PTM_SCOPE_TRACED;
    transfer.source = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    transfer_packets(cpu, &transfer);
}

/* "VM-Instruction Error Numbers", those of VM entries. */
void ptm_vmfail(BX_CPU_C *cpu, uint32_t error)
{
    switch (error) {
    case VMXERR_VMLAUNCH_NON_CLEAR_VMCS:
    case VMXERR_VMRESUME_NON_LAUNCHED_VMCS:
    case VMXERR_VMENTRY_INVALID_VM_CONTROL_FIELD:
    case VMXERR_VMENTRY_INVALID_VM_HOST_STATE_FIELD:
    case VMXERR_VMENTRY_MOV_SS_BLOCKING:
        ptm_vmentry_failed(cpu);
    }
}

/* Row 17; an event that the entry injects follows as an event of its own. */
void ptm_vmentry(BX_CPU_C *cpu)
{
    struct transfer transfer = vm_entry_transfer(cpu);
    ptm_truth_world(cpu, true);
    if (!transition_ends(cpu, &transfer))
        transfer_packets(cpu, &transfer);
}

/* 36.4.2.15: at each VMPTRLD, in context. */
void ptm_vmptrld(BX_CPU_C *cpu)
{
    if (!cpu->ptm.trigger_en || !cpu->ptm.context_en)
        return;
    ptm_tnt_flush(cpu);
    ptm_put_vmcs(cpu);
}

/* 36.5.1: without IA32_VMX_MISC[14], VMXON clears TraceEn. */
void ptm_vmxon(BX_CPU_C *cpu)
{
    uint64_t ip = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    if (!ptm_config.profile->vmx)
        ptm_ctl_set(cpu, cpu->ptm.msr.ctl & ~RTIT_CTL_TRACE_EN, ip, ip);
}

void ptm_init_begin(BX_CPU_C *cpu)
{
    cpu->ptm.in_init = true;
    cpu->ptm.event_ip = ptm_current_ip(cpu);
}

/* Table "FUP Cases and IP Payload", INIT: an event like an interrupt, after which CR3 is 0. IA32_RTIT_* keep their
 * values (36.2.7.1). */
void ptm_init_done(BX_CPU_C *cpu)
{
    struct transfer transfer = {};
    transfer.is_branch = true;
    transfer.has_source = true;
    transfer.source = cpu->ptm.event_ip;
    transfer.new_cr3 = true;
    cpu->ptm.in_init = false;
    transfer_packets(cpu, &transfer);
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
