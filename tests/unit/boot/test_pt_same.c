/* Comparing another CPU's Intel PT: relevant differences are named, all others are allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/pt_same.h"

static const struct pt_cpuid first = {.leaf0_eax = 0x16,
                                      .leaf7_ebx = 1u << 25,
                                      .leaf14_0 = {1, 0xf, 7, 0},
                                      .leaf14_1 = {0x02490002, 0x003f3fff, 0, 0},
                                      .leaf15 = {2, 216, 0, 0},
                                      .leaf80000008_eax = 0x3027,
                                      .vmx_misc = 0x7004c1e7};

static void names(const struct pt_cpuid *cpu, const char *word)
{
    const char *why = pt_same_check(&first, cpu);
    assert_non_null(why);
    assert_non_null(strstr(why, word));
}

static void differences_are_named(void **state)
{
    (void)state;
    struct pt_cpuid cpu = first;
    cpu.leaf7_ebx = 0;
    names(&cpu, "CPUID.07H:EBX[25]");
    for (unsigned i = 0; i < 4; i++) {
        cpu = first;
        cpu.leaf14_0[i] ^= 0x80;
        names(&cpu, "leaf 14H");
        cpu = first;
        cpu.leaf14_1[i] ^= 0x80;
        names(&cpu, "leaf 14H");
        cpu = first;
        cpu.leaf15[i] ^= 1;
        names(&cpu, "leaf 15H");
    }
    cpu = first;
    cpu.leaf80000008_eax = 0x3024;
    names(&cpu, "MAXPHYADDR");
    cpu = first;
    cpu.vmx_misc &= ~(1ull << 14);
    names(&cpu, "IA32_VMX_MISC");
    cpu = first;
    cpu.vmx_misc ^= 1ull << 16; /* the number of CR3-target values */
    names(&cpu, "IA32_VMX_MISC");
}

static void pt_in_use(void **state)
{
    (void)state;
    struct pt_cpuid cpu = first;
    cpu.rtit_ctl = 1;
    names(&cpu, "TraceEn");
}

static void allowed_differences(void **state)
{
    (void)state;
    struct pt_cpuid cpu = first;
    assert_null(pt_same_check(&first, &cpu));
    cpu.leaf7_ebx |= 1u << 16; /* AVX-512, on some cores only */
    cpu.leaf80000008_eax ^= 0x100;
    cpu.vmx_misc ^= 1;
    cpu.leaf14_0[2] ^= 1u << 31; /* LIP, on efficiency cores */
    cpu.rtit_ctl = 0x2000;       /* left over, but TraceEn is 0 */
    assert_null(pt_same_check(&first, &cpu));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_named),
        cmocka_unit_test(pt_in_use),
        cmocka_unit_test(allowed_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
