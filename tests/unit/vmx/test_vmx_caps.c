/* vmx/caps.c: which CPUs can be a host, and with which controls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vmx/skylake_vmx.h"

static void vmx_there_or_not(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    assert_null(vmx_caps_check(&caps));
    caps.feature_control = 0; /* not locked: we can switch it on */
    assert_null(vmx_caps_check(&caps));
    caps.feature_control = 1;
    assert_non_null(strstr(vmx_caps_check(&caps), "firmware"));
    caps.feature_control = 3; /* inside SMX only */
    assert_non_null(vmx_caps_check(&caps));
    caps.cpuid_1_ecx = 0;
    assert_non_null(strstr(vmx_caps_check(&caps), "no VMX"));
}

static void controls(void **state)
{
    (void)state;
    const struct vmx_caps caps = skylake_vmx();
    struct vmx_controls c;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_int_equal(c.pin, 0x16 | PIN_NMI_EXITING | PIN_VIRTUAL_NMIS | PIN_PREEMPTION_TIMER);
    assert_int_equal(c.proc, 0x04006172 | PROC_USE_IO_BITMAPS | PROC_USE_MSR_BITMAPS | PROC_SECONDARY_CONTROLS);
    assert_int_equal(c.proc2, PROC2_ENABLE_EPT | PROC2_UNRESTRICTED_GUEST | PROC2_ENABLE_VPID | PROC2_ENABLE_RDTSCP |
                                  PROC2_ENABLE_INVPCID | PROC2_ENABLE_XSAVES);
    assert_true(c.exit & EXIT_HOST_ADDRESS_SPACE_SIZE);
    assert_true(c.perf_global_ctrl);
    assert_false(c.perf_global_ctrl_saved);
    /* No HLT, RDTSC, INVLPG, CR3, MOV DR or PAUSE exits; no interrupts, no TSC offset, PT neither concealed nor
     * cleared. */
    assert_int_equal(
        c.proc & (1u << 2 | 1u << 3 | 1u << 7 | 1u << 9 | 1u << 12 | 1u << 15 | 1u << 16 | 1u << 23 | 1u << 30), 0);
    assert_int_equal(c.pin & 1, 0);
    assert_int_equal(c.proc2 & (1u << 19 | 1u << 24), 0);
    assert_int_equal(c.exit & (1u << 24 | 1u << 25), 0);
    assert_int_equal(c.entry & (1u << 17 | 1u << 18), 0);
}

static void perf_global_ctrl(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    struct vmx_controls c;
    caps.exit |= (uint64_t)EXIT_SAVE_IA32_PERF_GLOBAL_CTRL << 32;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_true(c.perf_global_ctrl_saved);
    assert_true(c.exit & EXIT_SAVE_IA32_PERF_GLOBAL_CTRL);
    caps.perfmon_version = 1; /* IA32_PERF_GLOBAL_CTRL does not exist */
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_false(c.perf_global_ctrl);
    assert_int_equal(c.exit & (EXIT_LOAD_IA32_PERF_GLOBAL_CTRL | EXIT_SAVE_IA32_PERF_GLOBAL_CTRL), 0);
}

static void feature_control_is_locked_with_what_linux_allows(void **state)
{
    (void)state;
    assert_int_equal(vmx_feature_control(0, 0, 0), 5);
    assert_int_equal(vmx_feature_control(0, 1u << 2, 0), 5 | 1 << 18);
    assert_int_equal(vmx_feature_control(0, 1u << 2, 1u << 30), 5 | 3 << 17);
    assert_int_equal(vmx_feature_control(1 << 20, 0, 1u << 30), 5 | 1 << 20);
    assert_int_equal(vmx_feature_control(5, 1u << 2, 1u << 30), 5);
}

static void architectural_lbrs_stop_in_root(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    struct vmx_controls c;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_false(c.exit & EXIT_CLEAR_IA32_LBR_CTL);
    caps.exit |= (uint64_t)EXIT_CLEAR_IA32_LBR_CTL << 32;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_false(c.exit & EXIT_CLEAR_IA32_LBR_CTL); /* or the guest's would stay stopped */
    caps.entry |= (uint64_t)ENTRY_LOAD_IA32_LBR_CTL << 32;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_true(c.exit & EXIT_CLEAR_IA32_LBR_CTL);
    assert_true(c.entry & ENTRY_LOAD_IA32_LBR_CTL);
}

static void assert_names(const struct vmx_caps *caps, const char *name)
{
    struct vmx_controls c;
    const char *missing = vmx_controls_resolve(&c, caps);
    assert_non_null(missing);
    assert_non_null(strstr(missing, name));
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    caps.proc2 &= ~((uint64_t)PROC2_UNRESTRICTED_GUEST << 32);
    assert_names(&caps, "unrestricted guest");
    caps = skylake_vmx();
    caps.proc2 &= ~((uint64_t)PROC2_ENABLE_EPT << 32);
    assert_names(&caps, "enable EPT");
    caps = skylake_vmx();
    caps.pin &= ~((uint64_t)PIN_VIRTUAL_NMIS << 32);
    assert_names(&caps, "virtual NMIs");
    caps = skylake_vmx();
    caps.proc |= PROC_CR3_LOAD_EXITING; /* no TRUE controls */
    assert_names(&caps, "MOV CR3");
    caps = skylake_vmx();
    caps.proc &= ~((uint64_t)PROC_MONITOR_TRAP_FLAG << 32);
    assert_names(&caps, "monitor trap flag");
    caps = skylake_vmx();
    caps.ept_vpid &= ~EPT_CAP_2M;
    assert_names(&caps, "2-MByte");
    caps = skylake_vmx();
    caps.ept_vpid &= ~EPT_CAP_INVEPT_SINGLE;
    assert_names(&caps, "INVEPT");
}

/* A control that must be 1 is one that we know, or the CPU is refused by the name of its kind: here each bit of each.
 */
static void what_is_forced_is_known(void **state)
{
    static const struct {
        const char *kind;
        size_t at;
        uint32_t known; /* a Skylake's own, the defaults without the TRUE MSRs, and what is wished for */
    } words[] = {{"pin-based", offsetof(struct vmx_caps, pin), 0x16 | 1 << 3 | 1 << 5 | 1 << 6},
                 {" processor-based", offsetof(struct vmx_caps, proc), 0x0401e172 | 1 << 25 | 1 << 28 | 1u << 31},
                 {"secondary", offsetof(struct vmx_caps, proc2),
                  1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 12 | 1 << 20 | 1 << 26 | 1 << 27},
                 {"VM-exit", offsetof(struct vmx_caps, exit), 0x36dff | 1 << 9 | 1 << 18 | 1 << 19 | 1 << 20 | 1 << 21},
                 {"VM-entry", offsetof(struct vmx_caps, entry), 0x11ff | 1 << 14 | 1 << 15}};
    (void)state;
    for (size_t word = 0; word < sizeof words / sizeof words[0]; word++)
        for (unsigned bit = 0; bit < 32; bit++) {
            struct vmx_caps caps = skylake_vmx();
            struct vmx_controls c;
            uint64_t *capability = (uint64_t *)(void *)((char *)&caps + words[word].at);
            *capability |= 1ull << bit | 1ull << (32 + bit);
            const char *why = vmx_controls_resolve(&c, &caps);
            if (word == 1 && (bit == 15 || bit == 16))
                assert_non_null(strstr(why, "MOV CR3"));
            else if (words[word].known >> bit & 1)
                assert_null(why);
            else
                assert_true(why && strstr(why, "forces") && strstr(why, words[word].kind));
        }
}

static void what_we_can_do_without(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    struct vmx_controls c;
    caps.proc2 = (uint64_t)(PROC2_ENABLE_EPT | PROC2_UNRESTRICTED_GUEST) << 32;
    assert_null(vmx_controls_resolve(&c, &caps));
    assert_int_equal(c.proc2, PROC2_ENABLE_EPT | PROC2_UNRESTRICTED_GUEST);
}

/* pt.switch=vmcs: both controls or none. */
static void rtit_ctl_by_the_vmcs(void **state)
{
    (void)state;
    struct vmx_caps caps = skylake_vmx();
    struct vmx_controls c;
    assert_null(vmx_controls_resolve(&c, &caps));
    const struct vmx_controls before = c;
    caps.entry &= ~(1ull << (32 + 18));
    assert_non_null(strstr(vmx_controls_switch_rtit(&c, &caps), "VM-entry control \"load IA32_RTIT_CTL\""));
    caps.entry |= 1ull << (32 + 18);
    assert_non_null(strstr(vmx_controls_switch_rtit(&c, &caps), "VM-exit control \"clear IA32_RTIT_CTL\""));
    assert_memory_equal(&c, &before, sizeof c);
    caps.exit |= 1ull << (32 + 25);
    assert_null(vmx_controls_switch_rtit(&c, &caps));
    assert_int_equal(c.entry, before.entry | 1u << 18);
    assert_int_equal(c.exit, before.exit | 1u << 25);
}

static const char *differs(const struct vmx_caps *first, const struct vmx_caps *caps)
{
    struct vmx_controls used;
    assert_null(vmx_controls_resolve(&used, first));
    return vmx_caps_differ(first, &used, caps);
}

/* What is used counts, and is named. */
static void another_cpu(void **state)
{
    (void)state;
    const struct vmx_caps first = skylake_vmx();
    struct vmx_caps caps = first;
    static const struct {
        size_t offset;
        unsigned bit;
        const char *named;
    } rows[] = {{offsetof(struct vmx_caps, pin), 32 + 6,
                 "only one of it and the first CPU has the pin-based control \"activate VMX-preemption timer\""},
                {offsetof(struct vmx_caps, pin), 32 + 3, "NMI exiting"},
                {offsetof(struct vmx_caps, proc2), 32 + 12, "enable INVPCID"},
                {offsetof(struct vmx_caps, proc2), 32 + 7, "unrestricted guest"},
                {offsetof(struct vmx_caps, exit), 32 + 12, "VM-exit"},
                {offsetof(struct vmx_caps, entry), 32 + 15, "load IA32_EFER"},
                {offsetof(struct vmx_caps, ept_vpid), 32, "enable VPID"}, /* no INVVPID */
                {offsetof(struct vmx_caps, ept_vpid), 17, "1-GByte pages"}};

    assert_null(differs(&first, &caps));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        caps = first;
        *(uint64_t *)(void *)((char *)&caps + rows[i].offset) &= ~(1ull << rows[i].bit);
        const char *why = differs(&first, &caps);
        if (!why || !strstr(why, rows[i].named))
            fail_msg("row %zu: %s", i, why ? why : "fits");
    }
    caps = first;
    caps.perfmon_version = 1; /* no IA32_PERF_GLOBAL_CTRL */
    assert_non_null(strstr(differs(&first, &caps), "VM-exit"));
    caps = first;
    caps.proc |= 1u << 15; /* MOV CR3 must exit */
    assert_non_null(differs(&first, &caps));
}

/* Performance and efficiency cores: what no code uses may differ. */
static void a_hybrid_cpu(void **state)
{
    (void)state;
    struct vmx_caps first = skylake_vmx(), caps = first;
    caps.basic ^= 1ull << 50 | 5;         /* the revision, the memory type */
    caps.proc ^= 1ull << (32 + 3);        /* use TSC offsetting */
    caps.proc2 ^= 1ull << (32 + 10);      /* PAUSE-loop exiting */
    caps.proc2 ^= 1ull << (32 + 25);      /* use TSC scaling */
    caps.exit ^= 1ull << (32 + 15);       /* acknowledge interrupt on exit */
    caps.ept_vpid ^= 1ull << 21 | 1 << 0; /* accessed and dirty flags, execute-only pages */
    caps.misc ^= 1ull << 15 | 3;          /* RDMSR of IA32_SMBASE, the preemption timer's rate */
    assert_null(differs(&first, &caps));
    assert_null(differs(&caps, &first));
    caps.ept_vpid |= 1ull << 17;
    first.ept_vpid &= ~(1ull << 17); /* the EPT has none */
    assert_null(differs(&first, &caps));
}

/* pt.switch=vmcs needs its controls on each CPU. */
static void another_cpu_without_rtit(void **state)
{
    (void)state;
    struct vmx_caps first = skylake_vmx(), caps = first;
    struct vmx_controls used;
    first.entry |= 1ull << (32 + 18);
    first.exit |= 1ull << (32 + 25);
    assert_null(vmx_controls_resolve(&used, &first));
    assert_null(vmx_caps_differ(&first, &used, &caps));
    assert_null(vmx_controls_switch_rtit(&used, &first));
    assert_null(vmx_caps_differ(&first, &used, &first));
    assert_non_null(strstr(vmx_caps_differ(&first, &used, &caps), "pt.switch=vmcs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vmx_there_or_not),
        cmocka_unit_test(controls),
        cmocka_unit_test(perf_global_ctrl),
        cmocka_unit_test(architectural_lbrs_stop_in_root),
        cmocka_unit_test(feature_control_is_locked_with_what_linux_allows),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_is_forced_is_known),
        cmocka_unit_test(what_we_can_do_without),
        cmocka_unit_test(rtit_ctl_by_the_vmcs),
        cmocka_unit_test(another_cpu),
        cmocka_unit_test(a_hybrid_cpu),
        cmocka_unit_test(another_cpu_without_rtit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
