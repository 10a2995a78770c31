/*
 * When packets are generated: TriggerEn, ContextEn, FilterEn, and what switching them by IA32_RTIT_CTL writes.
 *
 * Source: SDM "Trace Filtering" (36.2.4), "Packet Generation Enable Controls" (36.2.5).
 */
#include "pt_internal.h"

uint64_t ptm_current_ip(BX_CPU_C *cpu)
{
    return cpu->get_laddr(BX_SEG_REG_CS, cpu->get_instruction_pointer());
}

/* 36.2.4.2: bits 63:12, or 63:5 with PAE paging; CR0.PG has no part in it. 36.4.2.7: a PIP's are the same. */
uint64_t ptm_cr3_address(BX_CPU_C *cpu, uint64_t cr3)
{
    bool pae = cpu->cr4.get_PAE() && !cpu->efer.get_LMA();
    return cr3 & ~(pae ? 0x1full : 0xfffull);
}

static bool context_en(BX_CPU_C *cpu)
{
    const struct ptm_cpu *p = &cpu->ptm;
    bool user = cpu->sregs[BX_SEG_REG_CS].selector.rpl != 0;
    if (!(p->msr.ctl & (user ? RTIT_CTL_USER : RTIT_CTL_OS)))
        return false;
    return !(p->msr.ctl & RTIT_CTL_CR3_FILTER) ||
           ptm_cr3_address(cpu, cpu->cr3) == ptm_cr3_address(cpu, p->msr.cr3_match);
}

/* "The processor does not update ContextEn when TriggerEn = 0" (36.2.5.3); FilterEn is 1 where TraceEn is 1 and there
 * is no range (36.2.5.5), else ptm_enables_at says. */
void ptm_enables_update(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool trace_en = (p->msr.ctl & RTIT_CTL_TRACE_EN) != 0;
    p->trigger_en = trace_en && (p->msr.status & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED)) == 0;
    if (p->trigger_en)
        p->context_en = context_en(cpu);
    if (trace_en && !ptm_ranges_used(p))
        p->filter_en = true;
    p->packet_en = p->trigger_en && p->context_en && p->filter_en;
    p->return_compression = !(p->msr.ctl & RTIT_CTL_DIS_RETC);
    p->hot = 0;
    bool traced = p->packet_en && (p->msr.ctl & RTIT_CTL_BRANCH_EN);
    if (traced)
        p->hot |= PTM_HOT_BRANCH;
    bool in_scope = (cpu->in_vmx_guest || ptm_config.scope == PTM_SCOPE_TRACED) &&
                    (traced || ptm_config.scope == PTM_SCOPE_NON_ROOT);
    if (ptm_truth_on() && in_scope)
        p->hot |= PTM_HOT_TRUTH | (ptm_config.branches_path ? PTM_HOT_LIST : 0);
    if (p->trigger_en)
        p->hot |= PTM_HOT_TRIGGER;
    if (p->trigger_en && p->context_en && ptm_ranges_used(p))
        p->hot |= PTM_HOT_RANGES;
    ptm_slow_update(p);
}

static uint64_t psb_bytes(const struct ptm_cpu *p)
{
    return 2048ull << ((p->msr.ctl & RTIT_CTL_PSB_FREQ) >> RTIT_CTL_PSB_FREQ_SHIFT);
}

/* IA32_RTIT_CTL.InjectPsbPmiOnEnable, of later editions: what was due when TraceEn was cleared comes when it is set. */
static bool take_pending(struct ptm_cpu *p, uint64_t bit)
{
    bool pending = (p->msr.ctl & RTIT_CTL_INJECT_PSB_PMI) && (p->msr.status & bit);
    if (pending)
        p->msr.status &= ~bit;
    return pending;
}

/* Rows 2a to 2e: TraceEn 0 to 1. */
static void trace_on(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t byte_count = (p->msr.status & RTIT_STATUS_BYTE_CNT) >> RTIT_STATUS_BYTE_CNT_SHIFT;
    p->psb_wanted = false;
    p->next_psb = ptm_trace_offset(p) + (byte_count < psb_bytes(p) ? psb_bytes(p) - byte_count : 0);
    p->filter_en = !ptm_filter_ranges_used(p); /* 36.2.5.5 */
    bool stop = ptm_enables_at(cpu, ip, ip);
    if (!p->trigger_en) {
        ptm_output_place(p);
        return;
    }
    if (!ptm_output_start(cpu)) {
        ptm_enables_update(cpu);
        return;
    }
    ptm_overflow_plan(p);
    ptm_timing_start(cpu);
    ptm_tnt_drop(p);
    p->retstack_depth = 0;
    p->mode_known = false;
    p->task_committed = false;
    bool psb = take_pending(p, RTIT_STATUS_PEND_PSB) || byte_count == 0;
    if (!psb) {
        ptm_put_tsc(cpu);
        ptm_put_cbr(cpu);
    }
    bool psb_first = (ptm_config.errata & PTM_BDM70) != 0;
    if (psb && psb_first)
        ptm_psb(cpu, ip);
    if (p->hot & PTM_HOT_BRANCH) {
        p->slow.ip_uncompressed |= psb_first; /* decoders ignore the FUP that should not be there */
        ptm_put_mode(cpu, true);
        ptm_put_ip(cpu, PT_PACKET_TIP_PGE, ip);
    }
    if (psb && !psb_first)
        ptm_psb(cpu, ip);
    if (stop)
        ptm_trace_stop(cpu);
    if (take_pending(p, RTIT_STATUS_PEND_TOPA_PMI))
        ptm_pmi_signal(cpu);
}

/* Rows 3a and 3b: TraceEn 1 to 0. */
static void trace_off(BX_CPU_C *cpu, uint64_t ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->hot & PTM_HOT_BRANCH) {
        ptm_tnt_flush(cpu);
        ptm_put_ip(cpu, PT_PACKET_FUP, ip);
        ptm_put_ip_suppressed(cpu, PT_PACKET_TIP_PGD);
    }
    if (p->slow.overflow) {
        p->hot &= ~PTM_HOT_BRANCH;
        ptm_overflow_end(cpu, ip);
    }
    uint64_t since_psb =
        p->next_psb > ptm_trace_offset(p) ? psb_bytes(p) - (p->next_psb - ptm_trace_offset(p)) : psb_bytes(p);
    uint64_t most = RTIT_STATUS_BYTE_CNT >> RTIT_STATUS_BYTE_CNT_SHIFT;
    p->msr.status &= ~RTIT_STATUS_BYTE_CNT;
    if (ptm_cap(ptm_config.profile, PTM_CAP_CPSB_CAM))
        p->msr.status |= (since_psb < most ? since_psb : most) << RTIT_STATUS_BYTE_CNT_SHIFT;
    if (p->psb_wanted && (p->msr.ctl & RTIT_CTL_INJECT_PSB_PMI))
        p->msr.status |= RTIT_STATUS_PEND_PSB;
    ptm_output_stop(cpu);
}

void ptm_ctl_set(BX_CPU_C *cpu, uint64_t ctl, uint64_t disable_ip, uint64_t enable_ip)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool was_on = (p->msr.ctl & RTIT_CTL_TRACE_EN) != 0;
    bool is_on = (ctl & RTIT_CTL_TRACE_EN) != 0;
    if (was_on && !is_on)
        trace_off(cpu, disable_ip);
    p->msr.ctl = ctl;
    ptm_enables_update(cpu);
    if (!was_on && is_on)
        trace_on(cpu, enable_ip);
}

void ptm_trigger_lost(BX_CPU_C *cpu)
{
    cpu->ptm.slow.overflow = false;
    ptm_tnt_drop(&cpu->ptm);
    ptm_enables_update(cpu);
}
