/* vmx/policy/perf_policy.c: the bits of IA32_PERF_GLOBAL_CTRL, by CPUID.0AH and IA32_PERF_CAPABILITIES. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmx/policy/perf_policy.h"

static void bits_of_real_cpus(void **state)
{
    (void)state;
    const struct {
        struct perf_unit unit;
        uint64_t bits;
    } cpus[] = {
        {{0x07300404, 0, 0x603, 0x33c5}, 0x70000000f},           /* Skylake, Hyper-Threading on */
        {{0x07300804, 0, 0x603, 0x33c5}, 0x7000000ff},           /* ... off */
        {{0x08300805, 0x0, 0x8604, 0xf3c5}, 0x1000f000000ffull}, /* Ice Lake: PERF_METRICS */
        {{0x08300805, 0xf, 0x8604, 0xf3c5}, 0x1000f000000ffull}, /* Alder Lake, a P-core */
        {{0x07300605, 0x7, 0x8603, 0x1073c5}, 0x70000003full},   /* ... an E-core: none */
        {{0x07300805, 0x77, 0x8603, 0x73c5}, 0x77000000ffull},   /* fixed counters 4 to 6 by ECX only */
        {{0x07300404, 0xff, 0x603, 0}, 0x70000000f},             /* before version 5 ECX says nothing */
        {{0, 0, 0, 0}, 0},
        {{0xff05 | 0xff << 8, ~0u, ~0u, ~0ull}, 0x1ffffffffffffull}, /* nothing overlaps */
    };

    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++)
        assert_int_equal(perf_global_ctrl_bits(&cpus[i].unit), cpus[i].bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_of_real_cpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
