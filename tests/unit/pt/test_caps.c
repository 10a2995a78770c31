/*
 * Capabilities: each refusal by its one cause, and IA32_RTIT_CTL against literal values of the manual's table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pt/caps.h"
#include "pt/output/scheme.h"

/* A part with all that is needed; PSB of 2K to 64K. */
static const struct pt_cpuid good_cpu = {
    .leaf0_eax = 0x16,
    .leaf7_ebx = 1u << 25,
    .leaf14_0 = {1, 0x0f, 0x07, 0},
    .leaf14_1 = {0x02490002, 0x003f3fff, 0, 0},
    .leaf80000008_eax = 39,
    .vmx_misc = 4u << 16 | 1u << 14, /* four CR3-target values, PT in VMX operation */
};
static const struct pt_options plain = {.enabled = true,
                                        .region_bytes = 1 << 19,
                                        .nr_regions = 8,
                                        .os = true,
                                        .user = true,
                                        .tsc = true,
                                        .psb_bytes = 16384};

static uint64_t resolve(const struct pt_cpuid *cpu, const struct pt_options *config, enum pt_refusal expected)
{
    struct pt_setup setup = {.rtit_ctl = ~0ull};
    assert_int_equal(pt_options_resolve(&setup, cpu, config), expected);
    if (expected != PT_OK)
        assert_int_equal(setup.rtit_ctl, 0);
    return setup.rtit_ctl;
}

static void test_ctl(void **state)
{
    (void)state;
    struct pt_options config = plain;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x0300250c); /* PSBFreq 3 BranchEn TSCEn ToPA User OS */
    config.tsc = false, config.user = false, config.psb_bytes = 2048, config.disable_retc = true;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x00002904);
    config.os = false, config.user = true, config.psb_bytes = 65536;
    assert_int_equal(resolve(&good_cpu, &config, PT_OK), 0x05002908);
}

static void test_refusals(void **state)
{
    (void)state;
    struct pt_options config = plain;
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
    struct pt_options config = plain;
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
    struct pt_options config = plain;
    enum pt_scheme scheme;
    config.region_bytes = 4096, config.nr_regions = 4096;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_OK);
    assert_int_equal(pt_scheme_align(scheme, &config), 4096);
    config.scheme = PT_SCHEME_SINGLE;
    assert_int_equal(pt_scheme_resolve(&scheme, &good_cpu, &config), PT_REGIONS_MANY);
    config.nr_regions = 120;
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
    struct pt_options config = plain;
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

/* Everything of a part that has it all, against Table "IA32_RTIT_CTL MSR". */
static void test_what_and_when(void **state)
{
    (void)state;
    struct pt_cpuid cpu = good_cpu;
    struct pt_options config = plain;
    struct pt_setup setup;
    cpu.leaf14_0[1] = 0x1f;
    config.psb_bytes = 0, config.tsc = false;
    config.mtc_on = true, config.mtc = 3, config.cyc_on = true, config.cyc = 13;
    assert_int_equal(resolve(&cpu, &config, PT_OK), 0x0068e30e); /* MTCFreq 3, MTCEn, CycThresh 13, CYCEn */
    config.mtc_on = config.cyc_on = false, config.ptwrite = true, config.no_branches = true;
    assert_int_equal(resolve(&cpu, &config, PT_OK), 0x0000112c); /* PTWEn, FUPonPTW, no BranchEn */
    config.ptwrite = config.no_branches = false, config.cr3_on = true, config.cr3[0] = 0x1ab000,
    config.cr3[1] = 0x1ac000;
    config.ranges[0] = (struct pt_range){PT_RANGE_FILTER, 0x1000, 0x1fff};
    config.ranges[1] = (struct pt_range){PT_RANGE_STOP, 0xffffffff81000000, 0xffffffff8100000f};
    assert_int_equal(pt_options_resolve(&setup, &cpu, &config), PT_OK);
    assert_int_equal(setup.rtit_ctl, 0x210000218cull);
    assert_true(setup.has_cr3_match);
    assert_int_equal(setup.cr3_match[0], 0x1ab000);
    assert_int_equal(setup.cr3_match[1], 0x1ac000);
    assert_int_equal(setup.nr_ranges, 2);
    assert_int_equal(setup.addr_a[0], 0x1000);
    assert_int_equal(setup.addr_b[0], 0x1fff);
    assert_int_equal(setup.addr_a[1], 0xffffffff81000000);
    assert_int_equal(setup.addr_b[1], 0xffffffff8100000f);
}

/* A frequency of our own choice is never an error. */
static void test_psb_auto(void **state)
{
    (void)state;
    struct pt_cpuid cpu = good_cpu;
    struct pt_options config = plain;
    config.psb_bytes = PT_PSB_AUTO;
    assert_int_equal(resolve(&cpu, &config, PT_OK), 0x0300250c);
    cpu.leaf14_1[1] = 0x00073fff; /* 2K 4K 8K */
    assert_int_equal(resolve(&cpu, &config, PT_OK), 0x0000250c);
    cpu.leaf14_0[1] = 0;
    assert_int_equal(resolve(&cpu, &config, PT_OK), 0x0000250c);
}

/* Auto: from 6 up, only with TSC packets, and never an error. */
static void test_mtc_auto(void **state)
{
    (void)state;
    struct pt_cpuid cpu = good_cpu; /* 0 3 6 9 */
    struct pt_options config = plain;
    config.mtc_on = true, config.mtc = PT_MTC_AUTO;
    const uint64_t without = 0x0300250c, mtc_en = 1u << 9;
    assert_int_equal(resolve(&cpu, &config, PT_OK), without | mtc_en | 6u << 14);
    cpu.leaf14_1[0] = 0x02090002; /* 0 3 9 */
    assert_int_equal(resolve(&cpu, &config, PT_OK), without | mtc_en | 9u << 14);
    cpu.leaf14_1[0] = 0x00090002;
    assert_int_equal(resolve(&cpu, &config, PT_OK), without);
    cpu = good_cpu, config.tsc = false;
    assert_int_equal(resolve(&cpu, &config, PT_OK), without & ~(1ull << 10));
    cpu.leaf14_0[1] = 0, config.tsc = true, config.psb_bytes = 0;
    assert_int_equal(resolve(&cpu, &config, PT_OK), without & ~(0xfull << 24));
}

static void objection(const struct pt_cpuid *cpu, const struct pt_options *config, const char *expected)
{
    char text[160] = "";
    size_t size = pt_unsupported_option(text, sizeof(text), cpu, config);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
}

static void test_objections(void **state)
{
    (void)state;
    struct pt_cpuid cpu = good_cpu, old = good_cpu;
    struct pt_options config = plain;
    old.leaf14_0[0] = 0, old.leaf14_0[1] = 0;
    objection(&cpu, &config, "");
    config.mtc_on = true, config.mtc = 5;
    objection(&cpu, &config, "pt.mtc=5: this CPU supports off 0 3 6 9");
    objection(&old, &config, "pt.mtc=5: this CPU supports off");
    config = plain, config.cyc_on = true, config.cyc = 14;
    objection(&cpu, &config, "pt.cyc=14: this CPU supports off 0 1 2 3 4 5 6 7 8 9 10 11 12 13");
    config = plain, config.psb_bytes = 1 << 20;
    objection(&cpu, &config, "pt.psb=1M: this CPU supports auto 0 2K 4K 8K 16K 32K 64K");
    objection(&old, &config, "pt.psb=1M: this CPU supports auto 0");
    config = plain, config.cr3_on = true, config.cr3[0] = 0x1000;
    objection(&cpu, &config, "");
    objection(&old, &config, "pt.psb=16K: this CPU supports auto 0");
    config.psb_bytes = PT_PSB_AUTO;
    objection(&old, &config, "pt.cr3=0x1000: this CPU supports off");
    config.cr3[1] = 0x2000;
    objection(&old, &config, "pt.cr3=0x1000,0x2000: this CPU supports off");
    struct pt_cpuid no_targets = good_cpu;
    no_targets.vmx_misc = 1u << 14;
    objection(&no_targets, &config, "pt.cr3=0x1000,0x2000: this CPU supports off or one value");
    config = plain, config.branches = 9;
    objection(&cpu, &config, "pt.branches=9: the CPU's own PT does not count branches, use pt=soft or off");
    config.way = PT_SWITCH_SOFT;
    objection(&cpu, &config, "");
    config = plain, config.no_branches = true, config.psb_bytes = 0;
    objection(&cpu, &config, "");
    objection(&old, &config, "pt.branch=off: this CPU supports on");
    config = plain, config.ptwrite = true;
    objection(&cpu, &config, "pt.ptwrite=on: this CPU supports off");
    config = plain, config.ranges[2] = (struct pt_range){PT_RANGE_STOP, 0x10, 0x20};
    objection(&cpu, &config, "pt.range2=stop:0x10-0x20: this CPU supports only pt.range0 pt.range1");
    config.psb_bytes = 0;
    objection(&old, &config, "pt.range2=stop:0x10-0x20: this CPU supports no ranges");
}

/* Soft PT is chosen if the CPU has no usable Intel PT, unless it is disabled; or if it is requested. */
static void test_soft_choice(void **state)
{
    (void)state;
    struct pt_options config = plain;
    assert_false(pt_soft_choose(&config, PT_OK));
    assert_false(pt_soft_choose(&config, PT_BAD_OPTION));
    assert_int_equal(config.way, PT_SWITCH_ROOT);
    assert_true(pt_soft_choose(&config, PT_NO_VMX_MISC_14));
    assert_int_equal(config.way, PT_SWITCH_SOFT);
    assert_int_equal(config.branches, 1000000);

    config = plain, config.ranges[3].kind = PT_RANGE_FILTER;
    assert_true(pt_soft_choose(&config, PT_NO_CPUID));
    assert_int_equal(config.branches, 0);
    config = plain, config.branches = 5;
    assert_true(pt_soft_choose(&config, PT_NO_CPUID));
    assert_int_equal(config.branches, 5);
    config = plain, config.unit = PT_UNIT_SOFT;
    assert_true(pt_soft_choose(&config, PT_OK));
    assert_int_equal(config.branches, 0);
    config = plain, config.unit = PT_UNIT_CPU;
    assert_false(pt_soft_choose(&config, PT_NO_CPUID));
    config = plain, config.enabled = false;
    assert_false(pt_soft_choose(&config, PT_OFF));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctl),           cmocka_unit_test(test_refusals),    cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_scheme_sizes),  cmocka_unit_test(test_psb),         cmocka_unit_test(test_texts),
        cmocka_unit_test(test_what_and_when), cmocka_unit_test(test_psb_auto),    cmocka_unit_test(test_objections),
        cmocka_unit_test(test_mtc_auto),      cmocka_unit_test(test_soft_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
