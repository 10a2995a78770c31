/*
 * PT state as component 8 of the XSAVE feature set: XSAVES and XRSTORS of nine MSRs, and IA32_XSS[8]. Bochs's own
 * table of components calls what is here.
 *
 * Source: SDM Vol. 1 "PT State" (13.5.6) and "Processor Tracking of XSAVE-Managed State" (13.6); "Trace Configuration
 * Context Switch Using XSAVES/XRSTORS" (36.3.5.2).
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "pt_internal.h"

#include "cpu/crregs.h"

extern XSaveRestoreStateHelper xsave_restore[];

static const unsigned COMPONENT = 8;
static const uint32_t COMPONENT_BYTES = 128;
static const uint32_t MSR_IA32_RTIT_CTL = 0x570;

/* In the order of the component, 8 bytes each; the rest of it is reserved. */
static const uint32_t state_msrs[] = {MSR_IA32_RTIT_CTL, 0x560, 0x561, 0x571, 0x572, 0x580, 0x581, 0x582, 0x583};
static const unsigned NR_MSRS = sizeof(state_msrs) / sizeof(state_msrs[0]);

static bool available(BX_CPU_C *cpu)
{
    return ptm_config.profile->pt && ptm_config.profile->xsave && cpu->is_cpu_extension_supported(BX_ISA_XSAVES);
}

void ptm_xsave_init(BX_CPU_C *cpu)
{
    if (!available(cpu))
        return;
    XSaveRestoreStateHelper *component = &xsave_restore[COMPONENT];
    component->len = COMPONENT_BYTES;
    component->offset = 0;
    component->xstate_in_use_method = &BX_CPU_C::ptm_xsave_in_use;
    component->xsave_method = &BX_CPU_C::ptm_xsave;
    component->xrstor_method = &BX_CPU_C::ptm_xrstor;
    component->xrstor_init_method = &BX_CPU_C::ptm_xrstor_init;
}

void ptm_xsave_reset(BX_CPU_C *cpu)
{
    if (available(cpu))
        cpu->ia32_xss_suppmask |= 1u << COMPONENT;
}

/* IA32_XSS with bit 8; all other values are Bochs's. */
enum ptm_access ptm_xss_write(BX_CPU_C *cpu, uint64_t value)
{
    if (!available(cpu) || !(value >> COMPONENT & 1))
        return PTM_NOT_MINE;
    if (value & ~(uint64_t)cpu->ia32_xss_suppmask)
        return PTM_FAULT;
    cpu->msr.ia32_xss = value;
    return PTM_DONE;
}

static void trace_en_set(BX_CPU_C *cpu, uint64_t ctl)
{
    ptm_ctl_set(cpu, ctl, cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip), ptm_current_ip(cpu));
}

static uint64_t msr_value(BX_CPU_C *cpu, uint32_t index)
{
    uint64_t value = 0;
    return ptm_rdmsr(cpu, index, &value) == PTM_DONE ? value : 0;
}

/* Bits that software does not write. */
static uint64_t not_state(uint32_t index)
{
    switch (index) {
    case 0x561:
        return TOPA_PTRS_LOWER_ONES;
    case 0x571:
        return RTIT_STATUS_FILTER_EN | RTIT_STATUS_CONTEXT_EN | RTIT_STATUS_TRIGGER_EN;
    default:
        return 0;
    }
}

/* 13.6: in its initial configuration each of the MSRs is 0. */
bool BX_CPU_C::ptm_xsave_in_use(void)
{
    for (unsigned n = 0; n < NR_MSRS; n++)
        if (msr_value(this, state_msrs[n]) & ~not_state(state_msrs[n]))
            return true;
    return false;
}

/* IA32_RTIT_CTL is saved, TraceEn cleared, the rest saved. A fault leaves TraceEn as it was: so what can fault, here
 * and in the header that XSAVES writes last, is written once before. */
void BX_CPU_C::ptm_xsave(bxInstruction_c *i, bx_address offset)
{
    bx_address header = (BX_CPU_RESOLVE_ADDR(i) + 512) & i->asize_mask();
    write_virtual_qword(i->seg(), header, read_virtual_qword(i->seg(), header));
    for (uint32_t byte = 8 * NR_MSRS; byte < COMPONENT_BYTES; byte += 8)
        write_virtual_qword(i->seg(), offset + byte, 0);
    write_virtual_qword(i->seg(), offset, ptm.msr.ctl);
    if (ptm.msr.ctl & RTIT_CTL_TRACE_EN)
        trace_en_set(this, ptm.msr.ctl & ~RTIT_CTL_TRACE_EN);
    for (unsigned n = 1; n < NR_MSRS; n++)
        write_virtual_qword(i->seg(), offset + 8 * n, msr_value(this, state_msrs[n]));
}

/* The MSR writes have WRMSR's checks; IA32_RTIT_CTL comes last. MSRs that this processor lacks are passed over. */
void BX_CPU_C::ptm_xrstor(bxInstruction_c *i, bx_address offset)
{
    uint64_t values[NR_MSRS], old;
    if (ptm.msr.ctl & RTIT_CTL_TRACE_EN)
        exception(BX_GP_EXCEPTION, 0);
    for (unsigned n = 0; n < NR_MSRS; n++)
        values[n] = read_virtual_qword(i->seg(), offset + 8 * n);
    for (unsigned n = NR_MSRS; n-- != 0;)
        if (ptm_rdmsr(this, state_msrs[n], &old) == PTM_DONE && ptm_wrmsr(this, state_msrs[n], values[n]) != PTM_DONE)
            exception(BX_GP_EXCEPTION, 0);
}

void BX_CPU_C::ptm_xrstor_init(void)
{
    uint64_t old;
    if (ptm.msr.ctl & RTIT_CTL_TRACE_EN)
        exception(BX_GP_EXCEPTION, 0);
    for (unsigned n = NR_MSRS; n-- != 0;)
        if (ptm_rdmsr(this, state_msrs[n], &old) == PTM_DONE)
            ptm_wrmsr(this, state_msrs[n], 0);
}
