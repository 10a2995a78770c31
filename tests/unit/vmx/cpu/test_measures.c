/* vmx/cpu/measures.c: the measures of CPUs, by what they enumerate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/msr_numbers.h"
#include "vmx/cpu/measures.h"

#define IBRS_L1D_ARCH (CPUID_7_EDX_IBRS | CPUID_7_EDX_L1D_FLUSH | CPUID_7_EDX_ARCH_CAPABILITIES)

static void real_cpus(void **state)
{
    (void)state;
    const struct {
        struct mitigation_caps caps;
        uint16_t measures, missing;
    } cpus[] = {
        /* Broadwell, Skylake with the firmware of 2017, and with that of 2019 */
        {{0, 0}, MEASURE_RSB, MEASURE_IBRS | MEASURE_L1D_FLUSH | MEASURE_VERW},
        {{CPUID_7_EDX_IBRS, 0}, MEASURE_RSB | MEASURE_IBRS, MEASURE_L1D_FLUSH | MEASURE_VERW},
        {{CPUID_7_EDX_IBRS | CPUID_7_EDX_L1D_FLUSH | CPUID_7_EDX_MD_CLEAR, 0},
         MEASURE_RSB | MEASURE_IBRS | MEASURE_L1D_FLUSH | MEASURE_VERW,
         0},
        /* ... below a hypervisor that flushes the L1 data cache itself: SKIP_L1DFL_VMENTRY */
        {{IBRS_L1D_ARCH | CPUID_7_EDX_MD_CLEAR, 1u << 3}, MEASURE_RSB | MEASURE_IBRS | MEASURE_VERW, 0},
        /* Cascade Lake: RDCL_NO, IBRS_ALL, MDS_NO; MD_CLEAR for TSX asynchronous abort */
        {{IBRS_L1D_ARCH | CPUID_7_EDX_MD_CLEAR, 0x2b}, MEASURE_RSB | MEASURE_IBRS | MEASURE_VERW, 0},
        /* Ice Lake: FB_CLEAR; Gracemont: RFDS_CLEAR; Sapphire Rapids: none of them */
        {{IBRS_L1D_ARCH, 0x2002b}, MEASURE_RSB | MEASURE_IBRS | MEASURE_VERW, 0},
        {{IBRS_L1D_ARCH, 0x1000002bull}, MEASURE_RSB | MEASURE_IBRS | MEASURE_VERW, 0},
        {{IBRS_L1D_ARCH, 0x2b}, MEASURE_RSB | MEASURE_IBRS, 0},
    };

    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        uint16_t missing = 0xffff;

        assert_int_equal(measures_of(&cpus[i].caps, &missing), cpus[i].measures);
        assert_int_equal(missing, cpus[i].missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_cpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
