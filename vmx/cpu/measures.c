/* Kind: core, init */
#include "vmx/cpu/measures.h"

/* IA32_ARCH_CAPABILITIES */
#define RDCL_NO (1ull << 0)
#define SKIP_L1DFL_VMENTRY (1ull << 3) /* a hypervisor below flushes the L1 data cache */
#define MDS_NO (1ull << 5)
#define FB_CLEAR (1ull << 17)
#define RFDS_CLEAR (1ull << 28)

/* L1 terminal fault: only CPUs that are subject to rogue data cache loads have it. */
static uint16_t l1d_flush_of(const struct mitigation_caps *caps, uint16_t *missing)
{
    if (caps->arch_capabilities & (RDCL_NO | SKIP_L1DFL_VMENTRY))
        return 0;
    if (caps->cpuid_7_edx & CPUID_7_EDX_L1D_FLUSH)
        return MEASURE_L1D_FLUSH;
    *missing |= MEASURE_L1D_FLUSH;
    return 0;
}

/* Buffers from which faulting or assisted loads forward stale data. */
static uint16_t verw_of(const struct mitigation_caps *caps, uint16_t *missing)
{
    if ((caps->cpuid_7_edx & CPUID_7_EDX_MD_CLEAR) || (caps->arch_capabilities & (FB_CLEAR | RFDS_CLEAR)))
        return MEASURE_VERW;
    if (!(caps->arch_capabilities & MDS_NO))
        *missing |= MEASURE_VERW;
    return 0;
}

static uint16_t ibrs_of(const struct mitigation_caps *caps, uint16_t *missing)
{
    if (caps->cpuid_7_edx & CPUID_7_EDX_IBRS)
        return MEASURE_IBRS;
    *missing |= MEASURE_IBRS;
    return 0;
}

uint16_t measures_of(const struct mitigation_caps *caps, uint16_t *missing)
{
    *missing = 0;
    return MEASURE_RSB | l1d_flush_of(caps, missing) | verw_of(caps, missing) | ibrs_of(caps, missing);
}
