/* vmx/policy/cpuid_policy.c: what the guest's CPUID hides and follows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/policy/cpuid_policy.h"

static const struct cpuid_values all = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
static const struct cpuid_guest plain = {.cr4 = 0, .code64 = true};
static const struct cpuid_guest full = {.cr4 = ~0ull, .code64 = true};

static void assert_same(struct cpuid_values a, struct cpuid_values b)
{
    assert_int_equal(a.eax, b.eax);
    assert_int_equal(a.ebx, b.ebx);
    assert_int_equal(a.ecx, b.ecx);
    assert_int_equal(a.edx, b.edx);
}

static void leaf_1_hides_vmx_and_follows_osxsave(void **state)
{
    (void)state;
    struct cpuid_values v = cpuid_policy_apply(1, 0, all, &full);
    assert_int_equal(v.ecx, ~0x60u);
    v = cpuid_policy_apply(1, 0, all, &plain);
    assert_int_equal(v.ecx, ~0x08000060u);
    v = cpuid_policy_apply(1, 0, (struct cpuid_values){0}, &full);
    assert_int_equal(v.ecx, 0x08000000u);
}

static void leaf_7_hides_pt_and_follows_ospke(void **state)
{
    (void)state;
    struct cpuid_values v = cpuid_policy_apply(7, 0, all, &plain);
    assert_int_equal(v.ebx, ~0x02000000u);
    assert_int_equal(v.ecx, ~0x10u);
    v = cpuid_policy_apply(7, 0, all, &full);
    assert_int_equal(v.ecx, ~0u);
    assert_same(cpuid_policy_apply(7, 1, all, &plain), all);
}

/* CPUID.19H:EBX[0] needs CR4.KL; the rest of the leaf, and the other way round what firmware has not done, stays. */
static void key_locker_follows_cr4(void **state)
{
    (void)state;
    assert_int_equal(cpuid_policy_apply(0x19, 0, all, &plain).ebx, ~1u);
    assert_int_equal(cpuid_policy_apply(0x19, 0, all, &full).ebx, ~0u);
    assert_int_equal(cpuid_policy_apply(0x19, 0, (struct cpuid_values){0}, &full).ebx, 0);
    assert_int_equal(cpuid_policy_apply(0x19, 0, all, &(struct cpuid_guest){.cr4 = 1ull << 19}).ebx, ~0u);
    assert_true(cpuid_needs_guest(0x19));
}

static void pt_leaves_are_empty(void **state)
{
    (void)state;
    const struct cpuid_values zero = {0};
    assert_same(cpuid_policy_apply(0x14, 0, all, &plain), zero);
    assert_same(cpuid_policy_apply(0x14, 1, all, &plain), zero);
    assert_same(cpuid_policy_apply(0xd, 8, all, &plain), zero);
    assert_int_equal(cpuid_policy_apply(0xd, 1, all, &plain).ecx, ~0x100u);
    assert_same(cpuid_policy_apply(0xd, 0, all, &plain), all);
    assert_same(cpuid_policy_apply(0xd, 2, all, &plain), all);
}

static void syscall_shows_in_64_bit_mode_only(void **state)
{
    (void)state;
    const struct cpuid_guest legacy = {.code64 = false};
    assert_int_equal(cpuid_policy_apply(0x80000001, 0, all, &plain).edx, ~0u);
    assert_int_equal(cpuid_policy_apply(0x80000001, 0, all, &legacy).edx, ~0x800u);
}

static void others_are_untouched(void **state)
{
    (void)state;
    for (uint32_t leaf = 0; leaf < 0x40; leaf++) {
        if (leaf == 1 || leaf == 7 || leaf == 0xd || leaf == 0x14 || leaf == 0x19)
            continue;
        assert_false(cpuid_needs_guest(leaf));
        assert_same(cpuid_policy_apply(leaf, 0, all, NULL), all);
    }
    assert_same(cpuid_policy_apply(0x80000008, 0, all, NULL), all);
}

/* A leaf beyond the last answers as the last: PT's leaf must not show through. */
static void beyond_the_last_leaf(void **state)
{
    (void)state;
    const struct cpuid_limits bare = {.max_basic = 0x14, .max_extended = 0x80000008};
    const struct cpuid_limits nested = {.max_basic = 0x16, .max_extended = 0x80000008, .hypervisor = true};
    assert_int_equal(cpuid_effective_leaf(0x14, bare), 0x14);
    assert_int_equal(cpuid_effective_leaf(0x15, bare), 0x14);
    assert_int_equal(cpuid_effective_leaf(0x40000000, bare), 0x14);
    assert_int_equal(cpuid_effective_leaf(0x80000008, bare), 0x80000008);
    assert_int_equal(cpuid_effective_leaf(0x80000009, bare), 0x14);
    assert_int_equal(cpuid_effective_leaf(0xffffffff, bare), 0x14);
    assert_int_equal(cpuid_effective_leaf(0x40000001, nested), 0x40000001);
    assert_int_equal(cpuid_effective_leaf(0x50000000, nested), 0x16);
    assert_int_equal(cpuid_effective_leaf(0, bare), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_1_hides_vmx_and_follows_osxsave),
        cmocka_unit_test(leaf_7_hides_pt_and_follows_ospke),
        cmocka_unit_test(key_locker_follows_cr4),
        cmocka_unit_test(pt_leaves_are_empty),
        cmocka_unit_test(syscall_shows_in_64_bit_mode_only),
        cmocka_unit_test(others_are_untouched),
        cmocka_unit_test(beyond_the_last_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
