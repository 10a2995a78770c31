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

static const struct cpuid_row *row_of(uint32_t leaf, uint32_t subleaf, uint32_t reg)
{
    for (size_t i = 0; i < cpuid_nr_rows; i++)
        if (cpuid_rows[i].leaf == leaf && cpuid_rows[i].subleaf == subleaf && cpuid_rows[i].reg == reg)
            return &cpuid_rows[i];
    return NULL;
}

/* Only one row decides about a register; it hides only what is defined, and what it defines passes where the guest's
 * state allows it. */
static void rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < cpuid_nr_rows; i++) {
        const struct cpuid_row *row = &cpuid_rows[i];
        const struct cpuid_values v = cpuid_policy_apply(row->leaf, row->subleaf, all, &full);
        const uint32_t seen[] = {v.eax, v.ebx, v.ecx, v.edx};

        assert_ptr_equal(row_of(row->leaf, row->subleaf, row->reg), row);
        assert_int_equal(row->hidden & ~row->defined, 0);
        assert_int_equal(seen[row->reg], row->defined & ~row->hidden);
    }
}

/* Bits by their numbers in the manual: what is hidden, and what real machines have and must see. */
static void bits(void **state)
{
    (void)state;
    static const struct {
        uint32_t leaf, subleaf, reg, bit;
        bool shown;
    } expected[] = {
        {1, 0, CPUID_ECX, 5, false},    /* VMX */
        {1, 0, CPUID_ECX, 6, false},    /* SMX */
        {1, 0, CPUID_ECX, 16, false},   /* reserved */
        {1, 0, CPUID_ECX, 17, true},    /* PCID */
        {1, 0, CPUID_ECX, 31, true},    /* a hypervisor below */
        {7, 0, CPUID_EBX, 25, false},   /* PT */
        {7, 0, CPUID_EBX, 2, true},     /* SGX */
        {7, 0, CPUID_ECX, 16, true},    /* LA57 */
        {7, 0, CPUID_ECX, 31, true},    /* PKS */
        {7, 0, CPUID_EDX, 5, false},    /* UINTR */
        {7, 0, CPUID_EDX, 15, true},    /* hybrid */
        {7, 0, CPUID_EDX, 20, true},    /* CET_IBT */
        {7, 0, CPUID_EDX, 24, true},    /* AMX */
        {7, 1, CPUID_EAX, 6, true},     /* LASS */
        {7, 1, CPUID_EAX, 9, false},    /* reserved */
        {7, 1, CPUID_EAX, 17, false},   /* FRED */
        {7, 1, CPUID_EAX, 18, true},    /* LKGS */
        {7, 1, CPUID_EAX, 19, true},    /* WRMSRNS */
        {7, 1, CPUID_EAX, 20, false},   /* NMI source */
        {7, 1, CPUID_EAX, 22, true},    /* HRESET */
        {7, 1, CPUID_EAX, 26, true},    /* LAM */
        {7, 1, CPUID_EAX, 27, false},   /* MSRLIST */
        {7, 1, CPUID_EBX, 0, true},     /* PPIN */
        {7, 1, CPUID_EBX, 1, false},    /* TSE */
        {7, 1, CPUID_ECX, 5, false},    /* MSR_IMM */
        {7, 1, CPUID_EDX, 13, false},   /* user timer */
        {7, 1, CPUID_EDX, 15, false},   /* USER_MSR */
        {7, 1, CPUID_EDX, 18, true},    /* CET_SSS */
        {7, 1, CPUID_EDX, 19, true},    /* AVX10 */
        {7, 1, CPUID_EDX, 21, true},    /* APX_F */
        {7, 2, CPUID_EDX, 4, true},     /* BHI_CTRL */
        {7, 2, CPUID_EDX, 8, false},    /* reserved */
        {0xd, 0, CPUID_EAX, 18, true},  /* TILEDATA */
        {0xd, 0, CPUID_EAX, 19, true},  /* APX */
        {0xd, 1, CPUID_ECX, 8, false},  /* PT's state */
        {0xd, 1, CPUID_ECX, 14, false}, /* UINTR's */
        {0xd, 1, CPUID_ECX, 15, true},  /* the LBRs' */
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct cpuid_values v = cpuid_policy_apply(expected[i].leaf, expected[i].subleaf, all, &full);
        const uint32_t seen[] = {v.eax, v.ebx, v.ecx, v.edx};

        assert_int_equal(seen[expected[i].reg] >> expected[i].bit & 1, expected[i].shown);
    }
}

static void leaf_1_follows_osxsave(void **state)
{
    (void)state;
    const struct cpuid_values zero = {0};
    assert_int_equal(cpuid_policy_apply(1, 0, all, &plain).ecx, 0xf7feff9f);
    assert_int_equal(cpuid_policy_apply(1, 7, all, &plain).ecx, 0xf7feff9f); /* it has no sub-leaves */
    assert_int_equal(cpuid_policy_apply(1, 0, zero, &full).ecx, 0x08000000u);
}

static void leaf_7_follows_ospke(void **state)
{
    (void)state;
    const struct cpuid_values zero = {0};
    assert_int_equal(cpuid_policy_apply(7, 0, all, &plain).ecx, 0xfbff7fefu);
    assert_int_equal(cpuid_policy_apply(7, 0, zero, &full).ecx, 0x10);
    assert_int_equal(cpuid_policy_apply(7, 0, all, &plain).eax, 2);
    assert_int_equal(cpuid_policy_apply(7, 0, zero, &plain).eax, 0);
    assert_same(cpuid_policy_apply(7, 3, all, &plain), zero);
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
    assert_same(cpuid_policy_apply(0xd, 14, all, &plain), zero);
    assert_same(cpuid_policy_apply(0xd, 20, all, &plain), zero);
    assert_same(cpuid_policy_apply(0xd, 63, all, &plain), zero);
    assert_same(cpuid_policy_apply(0xd, 2, all, &plain), all);
    assert_same(cpuid_policy_apply(0xd, 18, all, &plain), all);
    assert_int_equal(cpuid_policy_apply(0xd, 0, all, &plain).ebx, ~0u);
}

static void syscall_shows_in_64_bit_mode_only(void **state)
{
    (void)state;
    const struct cpuid_guest legacy = {.code64 = false};
    assert_int_equal(cpuid_policy_apply(0x80000001, 0, all, &plain).edx, 0x2c100800);
    assert_int_equal(cpuid_policy_apply(0x80000001, 0, all, &legacy).edx, 0x2c100000);
}

static void other_leaves(void **state)
{
    (void)state;
    const struct cpuid_values zero = {0};
    for (uint32_t leaf = 0; leaf < 0x40; leaf++) {
        if (leaf == 1 || leaf == 7 || leaf == 0xd || leaf == 0x14 || leaf == 0x19)
            continue;
        const bool reserved = leaf == 8 || leaf == 0xc || leaf == 0xe || leaf == 0x11 || leaf == 0x13 || leaf == 0x22 ||
                              leaf == 0x25 || leaf == 0x26 || leaf > 0x29;
        assert_false(cpuid_needs_guest(leaf));
        assert_same(cpuid_policy_apply(leaf, 0, all, NULL), reserved ? zero : all);
        assert_same(cpuid_policy_apply(leaf, 5, all, NULL), reserved ? zero : all);
    }
    assert_same(cpuid_policy_apply(0x80000008, 0, all, NULL), all);
    assert_same(cpuid_policy_apply(0x80000009, 0, all, NULL), zero);
    assert_same(cpuid_policy_apply(0x40000001, 0, all, NULL), all);
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
        cmocka_unit_test(rows),
        cmocka_unit_test(bits),
        cmocka_unit_test(leaf_1_follows_osxsave),
        cmocka_unit_test(leaf_7_follows_ospke),
        cmocka_unit_test(key_locker_follows_cr4),
        cmocka_unit_test(pt_leaves_are_empty),
        cmocka_unit_test(syscall_shows_in_64_bit_mode_only),
        cmocka_unit_test(other_leaves),
        cmocka_unit_test(beyond_the_last_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
