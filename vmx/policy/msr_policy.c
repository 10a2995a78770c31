/* Kind: core */
#include "vmx/policy/msr_policy.h"

/* A hypervisor below writes to the page that the guest names in such an MSR: KVM's clocks and counters (Linux,
 * Documentation/virt/kvm/x86/msr.rst), Hyper-V's pages (Hypervisor Top Level Functional Specification), Xen's page of
 * hypercalls. Bare CPUs have none of them. The other bits of the value are flags. */
#define PAGE_ADDRESS (~0xfffull)

/* clang-format off */
const struct msr_row msr_policy[] = {
    /* The trace's times and their order between CPUs depend on it. */
    {0x010, 0x010, MSR_NATIVE, MSR_TSC, MSR_ALWAYS, 0, "IA32_TIME_STAMP_COUNTER"},
    {0x011, 0x012, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, ~1ull, "MSR_KVM_WALL_CLOCK, SYSTEM_TIME"},
    /* The local APIC may move or change its mode: move the guard, and keep it where root mode reaches it. */
    {0x01b, 0x01b, MSR_NATIVE, MSR_APIC_BASE, MSR_ALWAYS, 0, "IA32_APIC_BASE"},
    /* Exists where CPUID.(7,1):EDX[15] = 1, which is hidden. */
    {0x01c, 0x01c, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_USER_MSR_CTL"},
    /* VISIBLE: as if firmware had locked VMX and SMX off. Exists where CPUID.1:ECX[5] or [6] is 1. */
    {0x03a, 0x03a, MSR_FEATURE_CONTROL_OFF, MSR_FAULT, MSR_ALWAYS, 0, "IA32_FEATURE_CONTROL"},
    /* VISIBLE: SDM "Microcode Update Facility": no update may be performed in VMX non-root operation. */
    {0x03b, 0x03b, MSR_NATIVE, MSR_TSC, MSR_ALWAYS, 0, "IA32_TSC_ADJUST"},
    {0x079, 0x079, MSR_NATIVE, MSR_FORGET, MSR_ALWAYS, 0, "IA32_BIOS_UPDT_TRIG"},
    {0x09b, 0x09b, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_SMM_MONITOR_CTL"},
    /* Exist where CPUID.(7,1):EAX[17] = 1, which is hidden. */
    {0x1cc, 0x1d4, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_FRED_RSP0 to CONFIG"},
    {0x200, 0x20f, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_PHYSBASE0 to PHYSMASK7"},
    {0x210, 0x23f, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_PHYSBASE8 to PHYSMASK31"},
    {0x250, 0x250, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_FIX64K_00000"},
    {0x258, 0x259, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_FIX16K_80000, A0000"},
    {0x268, 0x26f, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_FIX4K_C0000 to F8000"},
    {0x2ff, 0x2ff, MSR_NATIVE, MSR_MTRR, MSR_ALWAYS, 0, "IA32_MTRR_DEF_TYPE"},
    /* PEBS into PT's buffers: PT is ours. */
    {0x345, 0x345, MSR_MASK, MSR_NATIVE, MSR_IF_PT, PERF_CAPABILITIES_PEBS_OUTPUT_PT, "IA32_PERF_CAPABILITIES"},
    {0x38e, 0x38e, MSR_MASK, MSR_NATIVE, MSR_IF_PT, PERF_GLOBAL_STATUS_TOPA_PMI, "IA32_PERF_GLOBAL_STATUS"},
    {0x38f, 0x38f, MSR_NATIVE, MSR_PERF_GLOBAL_CTRL, MSR_IF_PERF_CTRL, 0, "IA32_PERF_GLOBAL_CTRL"},
    {0x390, 0x390, MSR_NATIVE, MSR_PERF_RESET, MSR_IF_PT, PERF_GLOBAL_STATUS_TOPA_PMI, "IA32_PERF_GLOBAL_STATUS_RESET"},
    {0x391, 0x391, MSR_NATIVE, MSR_MASK, MSR_IF_PT, PERF_GLOBAL_STATUS_TOPA_PMI, "IA32_PERF_GLOBAL_STATUS_SET"},
    /* Exist where CPUID.1:ECX[5] = 1, which is hidden. */
    {0x480, 0x493, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_VMX_BASIC to IA32_VMX_EXIT_CTLS2"},
    /* Exist where CPUID.7:EBX[25] = 1, which is hidden. PT output is not subject to EPT: the guest must access none of them. */
    {0x560, 0x561, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_RTIT_OUTPUT_BASE, MASK_PTRS"},
    {0x570, 0x572, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_RTIT_CTL, STATUS, CR3_MATCH"},
    {0x580, 0x587, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_RTIT_ADDR0_A to ADDR3_B"},
    /* VISIBLE: software-disabling the local APIC would mask LVTPC. */
    {0x80f, 0x80f, MSR_NATIVE, MSR_SVR, MSR_IF_PT, 0, "IA32_X2APIC_SIVR"},
    {0x830, 0x830, MSR_NATIVE, MSR_ICR, MSR_IF_IPIS, 0, "IA32_X2APIC_ICR"},
    {0x834, 0x834, MSR_LVT_PMI, MSR_LVT_PMI, MSR_IF_PT, 0, "IA32_X2APIC_LVT_PMI"},
    /* Exist where CPUID.7:EDX[5] = 1, which is hidden. */
    {0x985, 0x98a, MSR_FAULT, MSR_FAULT, MSR_ALWAYS, 0, "IA32_UINTR_RR to TT"},
    /* XSAVES and XRSTORS would reach PT's state. Exists where CPUID.(0DH,1):EAX[3] = 1. */
    {0xda0, 0xda0, MSR_NATIVE, MSR_REFUSE, MSR_ALWAYS, XSS_PT_STATE | XSS_UINTR_STATE, "IA32_XSS"},
    {0x40000000, 0x40000001, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, PAGE_ADDRESS, "HV_X64_MSR_HYPERCALL, Xen's"},
    {0x40000021, 0x40000021, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, PAGE_ADDRESS, "HV_X64_MSR_REFERENCE_TSC"},
    {0x40000073, 0x40000073, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, PAGE_ADDRESS, "HV_X64_MSR_VP_ASSIST_PAGE"},
    {0x40000082, 0x40000083, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, PAGE_ADDRESS, "HV_X64_MSR_SIEFP, SIMP"},
    {0x40000200, 0x40000200, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, PAGE_ADDRESS, "Xen's, beside Hyper-V's"},
    {0x4b564d00, 0x4b564d04, MSR_NATIVE, MSR_SHARED_PAGE, MSR_ALWAYS, ~3ull, "MSR_KVM_WALL_CLOCK_NEW to PV_EOI_EN"},
};
/* clang-format on */
const size_t msr_policy_nr_rows = sizeof(msr_policy) / sizeof(msr_policy[0]);

static bool row_applies(const struct msr_row *row, uint32_t conditions)
{
    return (row->condition & conditions) == row->condition;
}

const struct msr_row *msr_policy_find(uint32_t msr, uint32_t conditions)
{
    for (size_t i = 0; i < msr_policy_nr_rows; i++)
        if (msr >= msr_policy[i].first && msr <= msr_policy[i].last && row_applies(&msr_policy[i], conditions))
            return &msr_policy[i];
    return NULL;
}

/* SDM "MSR-Bitmap Address": 1 KByte each for reads of low and high MSRs, and for writes of low and high MSRs. */
#define READ_LOW 0u
#define WRITE_LOW 2048u
#define LOW_MSRS 0x2000u

void msr_policy_bitmap(uint8_t bitmap[MSR_BITMAP_SIZE], uint32_t conditions)
{
    for (size_t i = 0; i < MSR_BITMAP_SIZE; i++)
        bitmap[i] = 0;
    for (size_t i = 0; i < msr_policy_nr_rows; i++) {
        const struct msr_row *row = &msr_policy[i];

        if (!row_applies(row, conditions))
            continue;
        for (uint32_t msr = row->first; msr <= row->last && msr < LOW_MSRS; msr++) {
            if (row->read != MSR_NATIVE)
                bitmap[READ_LOW + msr / 8] |= (uint8_t)(1u << msr % 8);
            if (row->write != MSR_NATIVE)
                bitmap[WRITE_LOW + msr / 8] |= (uint8_t)(1u << msr % 8);
        }
    }
}
