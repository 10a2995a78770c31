/*
 * Capabilities: each refusal by its one cause, and IA32_RTIT_CTL against literal values of the manual's table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pt/caps.h"
#include "pt/scheme.h"

/* A part with all that is needed; PSB of 2K to 64K. */
static const struct pt_cpuid good_cpu = {
    .leaf0_eax = 0x16,
    .leaf7_ebx = 1u << 25,
    .leaf14_0 = {1, 0x0f, 0x07, 0},
    .leaf14_1 = {0x02490002, 0x003f3fff, 0, 0},
    .leaf80000008_eax = 39,
    .vmx_misc = 1u << 14,
};
static const struct pt_config plain = {.enabled = true,
                                       .region_bytes = 1 << 19,
                                       .nr_regions = 8,
                                       .os = true,
                                       .user = true,
                                       .tsc = true,
                                       .psb_bytes = 16384};

static uint64_t resolve(const struct pt_cpuid *cpu, const struct pt_config *config, enum pt_refusal expected)
{
    struct pt_setup setup = {.rtit_ctl = ~0ull};
    assert_int_equal(pt_config_resolve(&setup, cpu, config), expected);
    if (expected != PT_OK)
        assert_int_equal(setup.rtit_ctl, 0);
    return setup.rtit_ctl;
}

static void test_ctl(void **state)
{
    (void)state;
    struct pt_config config = plain;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x0300250c); /* PSBFreq 3 BranchEn TSCEn ToPA User OS */
    config.tsc = false, config.user = false, config.psb_bytes = 2048, config.disable_retc = true;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x00002904);
    config.os = false, config.user = true, config.psb_bytes = 65536;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x05002908);
}

static void test_refusals(void **state)
{
    (void)state;
    struct pt_config config = plain;
    struct pt_cpuid cpu = good_cpu;
    cpu.leaf0_eax = 0x13;
    resolve(&cpu, &config, PT_NO_CPUID);
    cpu = good_cpu, cpu.leaf7_ebx = ~(1u << 25);
    resolve(&cpu, &config, PT_NO_CPUID);
    cpu = good_cpu, cpu.vmx_misc = ~(1ull << 14);
    resolve(&cpu, &config, PT_NO_VMX_MISC_14);
    cpu = good_cpu, cpu.leaf14_0[2] = 0;
    resolve(&cpu, &config, PT_NO_OUTPUT);
    cpu = good_cpu, cpu.rtit_ctl = 1;
    resolve(&cpu, &config, PT_TRACE_ENABLED);
    cpu = good_cpu, cpu.leaf14_0[1] = 0x0d;
    resolve(&cpu, &config, PT_BAD_OPTION);
    config.enabled = false;
    resolve(&good_cpu, &config, PT_OFF);
}

static void scheme_is(uint32_t output, enum pt_scheme wanted, enum pt_refusal refusal, enum pt_scheme chosen)
{
    struct pt_config config = plain;
    struct pt_cpuid cpu = good_cpu;
    enum pt_scheme scheme;
    config.scheme = wanted, cpu.leaf14_0[2] = output;
    uint64_t ctl = resolve(&cpu, &config, refusal);
    assert_int_equal(pt_scheme_resolve(&scheme, &cpu, &config), refusal);
    if (refusal == PT_OK) {
        assert_int_equal(scheme, chosen);
        assert_int_equal(ctl >> 8 & 1, chosen != PT_SCHEME_RANGE);
    }
}

/* CPUID.14H:ECX: TOPAOUT 1, MENTRY 2, SNGLRNGOUT 4. */
static void test_schemes(void **state)
{
    (void)state;
    scheme_is(7, PT_SCHEME_AUTO, PT_OK, PT_SCHEME_TOPA);
    scheme_is(3, PT_SCHEME_AUTO, PT_OK, PT_SCHEME_TOPA);
    scheme_is(5, PT_SCHEME_AUTO, PT_OK, PT_SCHEME_SINGLE);
    scheme_is(4, PT_SCHEME_AUTO, PT_OK, PT_SCHEME_RANGE);
    scheme_is(6, PT_SCHEME_AUTO, PT_OK, PT_SCHEME_RANGE); /* MENTRY says nothing without TOPAOUT */
    scheme_is(2, PT_SCHEME_AUTO, PT_NO_OUTPUT, PT_SCHEME_AUTO);
    scheme_is(7, PT_SCHEME_SINGLE, PT_OK, PT_SCHEME_SINGLE);
    scheme_is(7, PT_SCHEME_RANGE, PT_OK, PT_SCHEME_RANGE);
    scheme_is(1, PT_SCHEME_TOPA, PT_NO_MENTRY, PT_SCHEME_AUTO);
    scheme_is(6, PT_SCHEME_TOPA, PT_NO_TOPA, PT_SCHEME_AUTO);
    scheme_is(4, PT_SCHEME_SINGLE, PT_NO_TOPA, PT_SCHEME_AUTO);
    scheme_is(3, PT_SCHEME_RANGE, PT_NO_RANGE, PT_SCHEME_AUTO);
}

static void test_scheme_sizes(void **state)
{
    (void)state;
    struct pt_config config = plain;
    enum pt_scheme scheme;
    config.region_bytes = 4096, config.nr_regions = 4096;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_OK);
    assert_int_equal(pt_scheme_align(scheme, &config), 4096);
    config.scheme = PT_SCHEME_SINGLE;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_REGIONS_MANY);
    config.nr_regions = 120, config.policy = PT_POLICY_RING;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_RING_SCHEME);
    config.policy = PT_POLICY_DROP;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_OK);
    config.scheme = PT_SCHEME_RANGE, config.region_bytes = 128 << 20, config.nr_regions = 31;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_OK);
    assert_int_equal(pt_scheme_align(scheme, &config), 1u << 31); /* 31 regions hold 16 */
    config.nr_regions = 32;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_RANGE_LARGE);
    config.region_bytes = 4096, config.nr_regions = 7;
    assert_int_equal(pt_scheme_range_bytes(&config), 16384);
}

static void test_psb(void **state)
{
    (void)state;
    struct pt_config config = plain;
    struct pt_cpuid cpu = good_cpu;
    config.psb_bytes = 131072; /* code 6: not in the bitmap */
    resolve(&cpu, &config, PT_BAD_OPTION);
    config.psb_bytes = 3000;
    resolve(&cpu, &config, PT_BAD_OPTION);
    config.psb_bytes = 4096, cpu.leaf14_0[0] = 0; /* sub-leaf 1 is not there: its bytes mean nothing */
    resolve(&cpu, &config, PT_BAD_OPTION);
    config.psb_bytes = 0, cpu.leaf14_0[1] = 0;
    assert_int_equal(resolve(&cpu, &config, PT_OK) >> 24, 0);
}

static void test_texts(void **state)
{
    (void)state;
    for (int r = PT_OK; r <= PT_BAD_OPTION; r++)
        assert_string_not_equal(pt_refusal_text((enum pt_refusal)r), "unknown refusal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctl),          cmocka_unit_test(test_refusals), cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_scheme_sizes), cmocka_unit_test(test_psb),      cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
