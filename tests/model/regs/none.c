/*
 * A processor without Intel PT: CPUID does not have it, RDMSR and WRMSR of IA32_RTIT_* fault.
 *
 * Source: SDM "General Considerations" (36.2.7.1), "Detection of Intel Processor Trace" (36.3.1).
 */
#include "regs.h"

void tests(void)
{
    static const uint32_t msrs[] = {0x560, 0x561, 0x570, 0x571, 0x572, 0x580, 0x581,
                                    0x582, 0x583, 0x584, 0x585, 0x586, 0x587};
    uint32_t words[4];
    cpuid(7, 0, words);
    check_equal("none: CPUID.7.EBX[25]", words[1] >> 25 & 1, 0);
    for (unsigned n = 0; n < sizeof(msrs) / sizeof(msrs[0]); n++) {
        check_n("none: RDMSR faults", msrs[n], rdmsr_faults(msrs[n]));
        check_n("none: WRMSR faults", msrs[n], wrmsr_faults(msrs[n], 0));
    }
}
