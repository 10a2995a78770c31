/* Kind: core, init */
#include "boot/pt_same.h"

#include <string.h>

#include "pt/rtit.h"

#define DIFFERS " differs from the first CPU's"

/* ECX.LIP may differ: on hybrid processors, IP payloads are linear addresses on efficiency cores and effective ones on
 * performance cores. The decoder handles that per CPU. */
static bool leaf14_differs(const uint32_t first[4], const uint32_t cpu[4])
{
    return first[0] != cpu[0] || first[1] != cpu[1] || ((first[2] ^ cpu[2]) & ~CPUID_14_ECX_LIP) != 0 ||
           first[3] != cpu[3];
}

const char *pt_same_check(const struct pt_cpuid *first, const struct pt_cpuid *cpu)
{
    const uint64_t misc = VMX_MISC_PT_IN_VMX | VMX_MISC_CR3_TARGETS;
    if ((first->leaf7_ebx ^ cpu->leaf7_ebx) & CPUID_7_EBX_PT)
        return "CPUID.07H:EBX[25], Intel PT," DIFFERS;
    if (leaf14_differs(first->leaf14_0, cpu->leaf14_0) ||
        memcmp(first->leaf14_1, cpu->leaf14_1, sizeof cpu->leaf14_1) != 0)
        return "CPUID leaf 14H, the capabilities of Intel PT," DIFFERS;
    if (memcmp(first->leaf15, cpu->leaf15, sizeof cpu->leaf15) != 0)
        return "CPUID leaf 15H, the TSC frequency," DIFFERS;
    if ((first->leaf80000008_eax ^ cpu->leaf80000008_eax) & 0xff)
        return "MAXPHYADDR" DIFFERS;
    if ((first->vmx_misc ^ cpu->vmx_misc) & misc)
        return "IA32_VMX_MISC" DIFFERS;
    return cpu->rtit_ctl & RTIT_CTL_TRACE_EN ? pt_refusal_text(PT_TRACE_ENABLED) : NULL;
}
