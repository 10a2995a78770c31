/* Kind: core */
#include "vmx/policy/perf_policy.h"

#define VERSION(eax) ((eax)&0xff)
#define NR_GENERAL(eax) ((eax) >> 8 & 0xff)
#define NR_FIXED(edx) ((edx)&0x1f)
#define FIXED_SHIFT 32
#define EN_PERF_METRICS (1ull << 48)

static uint64_t low_bits(uint32_t nr)
{
    return nr < 32 ? (1ull << nr) - 1 : 0xffffffff;
}

uint64_t perf_global_ctrl_bits(const struct perf_unit *unit)
{
    uint64_t fixed = low_bits(NR_FIXED(unit->cpuid_a_edx));

    /* Version 5: fixed counter n exists if ECX[n] is 1 or n is below the number in EDX. */
    if (VERSION(unit->cpuid_a_eax) >= 5)
        fixed |= unit->cpuid_a_ecx;
    return low_bits(NR_GENERAL(unit->cpuid_a_eax)) | (fixed & 0xffff) << FIXED_SHIFT |
           (unit->capabilities & PERF_CAPABILITIES_METRICS ? EN_PERF_METRICS : 0);
}
