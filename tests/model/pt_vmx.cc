/*
 * VMX controls for PT: which there are, the checks of VM entry, IA32_RTIT_CTL in the VMCS, output to guest-physical
 * addresses. Bochs has the controls' names and keeps their values; what they do is here and in pt_transitions.cc.
 *
 * Source: SDM "VMX-Specific Packets and VMCS Controls" (36.5.1); "Secondary Processor-Based VM-Execution Controls",
 * "VM-Exit Controls", "VM-Entry Controls", "Checks on VMX Controls", "Checks on the Guest State Area", "Saving MSRs".
 */
#include "pt_internal.h"

#include "memory/memory-bochs.h"

static const uint32_t LINK_POINTER = VMCS_64BIT_GUEST_LINK_POINTER;
static const uint32_t ACTIVITY_HLT = 1;
static const uint64_t EFLAGS_TF = 1 << 8, DEBUGCTL_BTF = 1 << 1, PENDING_DEBUG_BS = 1 << 14;
static const uint32_t RTIT_CTL_FIELD = VMCS_64BIT_GUEST_IA32_RTIT_CTL;

/* Bochs keeps no place for a field that it does not implement: it is where the order of encodings puts it. */
static void field_add(BX_CPU_C *cpu)
{
    unsigned offset = cpu->vmcs_map->vmcs_field_offset(LINK_POINTER);
    for (uint32_t half = 0; half < 2; half++)
        cpu->vmcs_map->set_mapping(RTIT_CTL_FIELD + half, offset + 4 * (RTIT_CTL_FIELD + half - LINK_POINTER));
}

/* Efficiency cores lack controls that performance cores have. */
static void controls_remove(struct bx_VMX_Cap *cap, bool used)
{
    static const uint64_t EPT_CAP_EXECUTE_ONLY = 1, EPT_CAP_ACCESSED_DIRTY = 1 << 21;
    cap->vmx_vmexec_ctrl2_supported_bits &= ~(VMX_VM_EXEC_CTRL2_PAUSE_LOOP_VMEXIT | VMX_VM_EXEC_CTRL2_WBINVD_VMEXIT);
    cap->vmx_ept_vpid_cap_supported_bits &= ~(EPT_CAP_EXECUTE_ONLY | EPT_CAP_ACCESSED_DIRTY);
    if (used)
        cap->vmx_vmexec_ctrl2_supported_bits &= ~VMX_VM_EXEC_CTRL2_VPID_ENABLE;
}

/* The capability MSRs (Appendix A.3 to A.5) come from these. */
void ptm_vmx_init(BX_CPU_C *cpu)
{
    const struct ptm_profile *profile = ptm_config.profile;
    struct bx_VMX_Cap *cap = &cpu->vmx_cap;
    if (!profile->pt || !cpu->is_cpu_extension_supported(BX_ISA_VMX))
        return;
    ptm_pmu_vmx_init(cpu);
    if (!profile->vmx)
        return;
    if (profile->hybrid && cpu->bx_cpuid % 2 != 0)
        controls_remove(cap, profile->hybrid == PTM_HYBRID_USED);
    cap->vmx_vmexec_ctrl2_supported_bits |= VMX_VM_EXEC_CTRL2_SUPPRESS_GUEST_VMX_TRACE;
    cap->vmx_vmexit_ctrl1_supported_bits |= VMX_VMEXIT_CTRL1_SUPPRESS_HOST_VMX_TRACE;
    cap->vmx_vmentry_ctrl_supported_bits |= VMX_VMENTRY_CTRL1_SUPPRESS_VMX_PACKETS;
    if (!profile->vmx_ctl)
        return;
    cap->vmx_vmexit_ctrl1_supported_bits |= VMX_VMEXIT_CTRL1_CLEAR_IA32_RTIT_CTRL;
    cap->vmx_vmentry_ctrl_supported_bits |= VMX_VMENTRY_CTRL1_LOAD_GUEST_RTIT_CTRL;
    field_add(cpu);
    if (profile->vmx_gpa && (cap->vmx_vmexec_ctrl2_supported_bits & VMX_VM_EXEC_CTRL2_EPT_ENABLE))
        cap->vmx_vmexec_ctrl2_supported_bits |= VMX_VM_EXEC_CTRL2_PROCESSOR_TRACE_USE_GPA;
}

/* "Checks on VMX Controls": what needs what, and TraceEn. */
bool ptm_vmentry_controls_valid(BX_CPU_C *cpu)
{
    const VMCS_CACHE *vm = &cpu->vmcs;
    if (vm->vmexec_ctrls2.PROCESSOR_TRACE_USE_GPA() &&
        !(vm->vmexec_ctrls2.EPT_ENABLE() && vm->vmentry_ctrls.LOAD_GUEST_RTIT_CTRL() &&
          vm->vmexit_ctrls1.CLEAR_IA32_RTIT_CTRL()))
        return false;
    return !(vm->vmentry_ctrls.LOAD_GUEST_RTIT_CTRL() && (cpu->ptm.msr.ctl & RTIT_CTL_TRACE_EN));
}

/* "Checks on Guest Non-Register State", what Bochs leaves out: of a single-step trap that is pending. */
static bool pending_debug_valid(BX_CPU_C *cpu)
{
    const uint64_t flags = cpu->VMread64(VMCS_GUEST_RFLAGS), debugctl = cpu->VMread64(VMCS_64BIT_GUEST_IA32_DEBUGCTL),
                   pending = cpu->VMread64(VMCS_GUEST_PENDING_DBG_EXCEPTIONS);
    const uint32_t blocking = cpu->VMread32(VMCS_32BIT_GUEST_INTERRUPTIBILITY_STATE) & 3,
                   activity = cpu->VMread32(VMCS_32BIT_GUEST_ACTIVITY_STATE);
    const bool steps = (flags & EFLAGS_TF) && !(debugctl & DEBUGCTL_BTF);
    return (!blocking && activity != ACTIVITY_HLT) || steps == ((pending & PENDING_DEBUG_BS) != 0);
}

/* "Checks on Guest Control Registers, Debug Registers, and MSRs": the bits that the MSR reserves. */
bool ptm_vmentry_guest_valid(BX_CPU_C *cpu)
{
    if (!pending_debug_valid(cpu)) {
        cpu->error("VMENTER FAIL: a single-step trap is pending, or is not, against TF, BTF and what is blocked");
        return false;
    }
    if (!ptm_pmu_vmentry_valid(cpu))
        return false;
    if (cpu->vmcs.vmentry_ctrls.LOAD_GUEST_RTIT_CTRL() && !ptm_ctl_bits_valid(cpu->VMread64(RTIT_CTL_FIELD)))
        return false;
    cpu->ptm.in_vm_entry = true;
    cpu->ptm.entry_ip = cpu->get_laddr(BX_SEG_REG_CS, cpu->prev_rip);
    cpu->ptm.source_base = ptm_ip_base(cpu);
    return true;
}

/* The guest's state or the host's is loaded, the MSR list comes next. */
void ptm_vmx_ctl_load(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_pmu_vmx_load(cpu);
    if (p->in_vm_exit && cpu->vmcs.vmexit_ctrls1.CLEAR_IA32_RTIT_CTRL()) {
        p->ctl_deferred = true;
        p->deferred_ctl = 0;
    } else if (p->in_vm_entry && !p->in_vm_exit && cpu->vmcs.vmentry_ctrls.LOAD_GUEST_RTIT_CTRL()) {
        p->ctl_deferred = true;
        p->deferred_ctl = cpu->VMread64(RTIT_CTL_FIELD);
    }
}

/* "Saving Control Registers, Debug Registers, and MSRs": where either control is supported. */
void ptm_vmx_ctl_save(BX_CPU_C *cpu)
{
    if (cpu->vmx_cap.vmx_vmentry_ctrl_supported_bits & VMX_VMENTRY_CTRL1_LOAD_GUEST_RTIT_CTRL)
        cpu->VMwrite64(RTIT_CTL_FIELD, cpu->ptm.msr.ctl);
}

bool ptm_vmx_concealed(BX_CPU_C *cpu)
{
    return cpu->in_vmx_guest && cpu->vmcs.vmexec_ctrls2.PTRACE_SUPPRESS_GUEST_VMX_TRACE();
}

/* --- guest-physical addresses ----------------------------------------------------------------------------------- */

bool ptm_output_is_guest_physical(BX_CPU_C *cpu)
{
    return cpu->in_vmx_guest && cpu->vmcs.vmexec_ctrls2.PROCESSOR_TRACE_USE_GPA();
}

/* The EPT walk of an output or table access. */
bool ptm_guest_physical(BX_CPU_C *cpu, uint64_t *pa, bool write)
{
    static const uint64_t READ = 1, WRITE = 2, LARGE = 1 << 7;
    uint64_t table = cpu->vmcs.eptptr & 0xffffffffff000ull;
    for (unsigned shift = 39;; shift -= 9) {
        uint64_t entry = 0;
        BX_MEM(0)->readPhysicalPage(cpu, table + 8 * (*pa >> shift & 0x1ff), 8, &entry);
        if (!(entry & READ) || (write && !(entry & WRITE)))
            return false;
        if (shift == 12 || (shift <= 30 && (entry & LARGE))) {
            uint64_t in_page = (1ull << shift) - 1;
            *pa = (entry & 0xffffffffff000ull & ~in_page) | (*pa & in_page);
            return true;
        }
        table = entry & 0xffffffffff000ull;
    }
}
