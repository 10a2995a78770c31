/*
 * VM entries and exits: their packets, and IA32_RTIT_CTL in them.
 *
 * Source: SDM "Tracing in VMX Operation" (36.5); Table "Packet Generation under Different Enable Conditions", rows 16
 * and 17.
 */
#include "pt_internal.h"

/* Called when a VM entry has loaded the guest's state or a VM exit the host's, before the MSR lists. */
void ptm_context_switch(BX_CPU_C *cpu)
{
    if (cpu->in_smm)
        return;
    cpu->ptm.in_vmx_transition = true;
    ptm_vmx_ctl_load(cpu);
}

/* The rows "MSR list sets TraceEn", "clears TraceEn". */
static void deferred_apply(BX_CPU_C *cpu, const struct ptm_transfer *transfer)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->ctl_deferred = false;
    if ((p->msr.ctl & RTIT_CTL_TRACE_EN) && (p->hot & PTM_HOT_BRANCH)) {
        ptm_tnt_flush(cpu);
        if (transfer->has_source || transfer->skd022)
            ptm_put_payload(cpu, PT_PACKET_FUP, ptm_ip_payload(transfer->source, p->source_base));
        ptm_enables_update(cpu); /* a PIP needs ContextEn after the transition (36.4.2.7) */
        if (transfer->new_cr3 && p->context_en && (p->msr.ctl & RTIT_CTL_OS))
            ptm_put_pip(cpu, transfer->vm_entry);
        ptm_put_ip_suppressed(cpu, PT_PACKET_TIP_PGD);
        p->hot &= ~PTM_HOT_BRANCH; /* said all that trace_off would say */
    }
    uint64_t ip = ptm_current_ip(cpu);
    ptm_ctl_set(cpu, p->deferred_ctl, ip, ip);
}

static bool transition_ends(BX_CPU_C *cpu, const struct ptm_transfer *transfer)
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

/* The packets of a VM exit or entry. Table "VMX Controls for Intel Processor Trace" (36.5.1): PIPs may be concealed.
 * The truth counts VM exits and entries in scope "traced"; a guest's truth contains only what the guest sees. */
static struct ptm_transfer vm_exit_transfer(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = ptm_config.scope == PTM_SCOPE_TRACED;
    transfer.has_source = cpu->ptm.exit_has_ip;
    transfer.source = cpu->ptm.exit_ip;
    transfer.new_cr3 = !cpu->vmcs.vmexit_ctrls1.PTRACE_SUPPRESS_HOST_VMX_TRACE();
    return transfer;
}

static struct ptm_transfer vm_entry_transfer(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
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
    struct ptm_transfer transfer = p->in_vm_exit ? vm_exit_transfer(cpu) : vm_entry_transfer(cpu);
    deferred_apply(cpu, &transfer);
}

void ptm_vmexit_begin(BX_CPU_C *cpu, uint32_t reason, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool failed_entry = (reason >> 31) != 0;
    /* SDM "Architectural State Before a VM Exit": an NMI or INIT that exits ends HLT only after the exit, so that the
     * next VM entry halts again. Bochs has ended it by now. */
    if ((reason == VMX_VMEXIT_EXCEPTION_NMI || reason == VMX_VMEXIT_INIT) && cpu->get_icount() == p->halt_icount)
        cpu->activity_state = BX_CPU_C::BX_ACTIVITY_STATE_HLT;
    p->exit_ip = failed_entry && p->in_vm_entry ? p->entry_ip : ip;
    p->source_base = ptm_ip_base(cpu);
    p->exit_has_ip = !failed_entry;
    if (ptm_config.pmu_version != 0)
        ptm_counters_update(cpu); /* what the guest has done is counted while its state is loaded */
    p->in_vm_exit = true;
    if (!failed_entry) {
        ptm_vmx_ctl_save(cpu);
        if ((reason & 0xffff) < TRUTH_NR_EXIT_REASONS)
            p->vm_exits[reason & 0xffff]++;
        p->in_exception = false;
        ptm_truth_interrupted(cpu);
        ptm_truth_world(cpu, false);
        ptm_speculation_vmexit(cpu);
    }
}

/* Row 16. */
void ptm_vmexit_done(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = vm_exit_transfer(cpu);
    ptm_pmu_vmexit(cpu);
    if (!transition_ends(cpu, &transfer))
        ptm_transfer_packets(cpu, &transfer);
}

/* 36.5.2.7: after a VM entry that fails before it loads any state, execution continues with the next instruction; it is
 * still a far transfer. */
void ptm_vmentry_failed(BX_CPU_C *cpu)
{
    struct ptm_transfer transfer = {};
    transfer.is_branch = ptm_config.scope == PTM_SCOPE_TRACED;
    transfer.source = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    ptm_transfer_packets(cpu, &transfer);
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
    struct ptm_transfer transfer = vm_entry_transfer(cpu);
    if (!ptm_init_waits(cpu))
        cpu->clear_event(BX_EVENT_INIT);
    /* Bochs decides which interrupts are masked when it loads RFLAGS, before the CPU is in non-root operation: with IF
     * = 0 in root and in the guest no external interrupt would exit, whatever the control says. */
    cpu->handleInterruptMaskChange();
    ptm_truth_world(cpu, true);
    ptm_speculation_vmentry(cpu);
    if (!transition_ends(cpu, &transfer))
        ptm_transfer_packets(cpu, &transfer);
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
