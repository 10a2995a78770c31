/* The self-test's findings: a machine with all that is needed has none; each thing that is taken away from it is one,
 * with the right weight and a remedy that fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/selftest/findings.h"
#include "pt/rtit.h"
#include "tests/unit/vmx/skylake_vmx.h"

/* A Skylake on a board with a BIOS, with an open channel. */
static struct machine_facts skylake(void)
{
    return (struct machine_facts){.vendor = "GenuineIntel",
                                  .vmx = skylake_vmx(),
                                  .pt = {.leaf0_eax = 0x16,
                                         .leaf7_ebx = CPUID_7_EBX_PT,
                                         .leaf14_0 = {1, 0xf, 7, 0},
                                         .leaf14_1 = {0x02490002, 0x003f3fff},
                                         .vmx_misc = VMX_MISC_PT_IN_VMX},
                                  .nr_cpus = 8,
                                  .max_cpus = 64,
                                  .channel = CHANNEL_OPEN};
}

/* The one finding of these facts. */
static struct finding only(const struct machine_facts *facts)
{
    struct finding findings[FINDINGS_MAX];
    assert_int_equal(findings_of(findings, facts), 1);
    assert_int_equal(findings_weight(findings, 1), findings[0].weight);
    assert_non_null(findings[0].what);
    assert_non_null(findings[0].remedy);
    return findings[0];
}

static void assert_finding(const struct machine_facts *facts, enum finding_weight weight, const char *what,
                           const char *remedy)
{
    const struct finding f = only(facts);
    assert_int_equal(f.weight, weight);
    if (!strstr(f.what, what))
        fail_msg("\"%s\" does not say \"%s\"", f.what, what);
    if (!strstr(f.remedy, remedy))
        fail_msg("\"%s\" does not say \"%s\"", f.remedy, remedy);
}

static void test_suitable_machine(void **state)
{
    (void)state;
    const struct machine_facts facts = skylake();
    struct finding findings[FINDINGS_MAX];
    assert_int_equal(findings_of(findings, &facts), 0);
    assert_int_equal(findings_weight(findings, 0), FINDING_NOTE);
}

static void test_vmx(void **state)
{
    (void)state;
    struct machine_facts facts = skylake();
    facts.vmx.feature_control = 1;
    assert_finding(&facts, FINDING_STOPS_VMX, "firmware has disabled VMX", "Virtualization Technology");
    facts.vmx.feature_control = 3; /* VMX inside SMX only */
    assert_finding(&facts, FINDING_STOPS_VMX, "firmware has disabled VMX", "Virtualization Technology");
    facts = skylake();
    facts.vmx.cpuid_1_ecx = 0;
    assert_finding(&facts, FINDING_STOPS_VMX, "VMX lacks a required feature", "another CPU");
    strcpy(facts.vendor, "AuthenticAMD");
    assert_finding(&facts, FINDING_STOPS_VMX, "not an Intel CPU", "another CPU");
    /* A required control whose bit may not be 1: the detail names it. */
    facts = skylake();
    facts.vmx.proc2 &= ~(2ull << 32);
    assert_finding(&facts, FINDING_STOPS_VMX, "VMX lacks a required feature", "another CPU");
    assert_non_null(strstr(only(&facts).detail, "enable EPT"));
    facts = skylake();
    facts.vmx.ept_vpid &= ~(1ull << 16);
    assert_finding(&facts, FINDING_STOPS_VMX, "VMX lacks a required feature", "another CPU");
    facts = skylake();
    facts.vmx.proc &= ~(1ull << (32 + 27));
    assert_non_null(strstr(only(&facts).detail, "monitor trap flag"));
    facts = skylake();
    facts.nr_cpus = 65;
    assert_finding(&facts, FINDING_STOPS_VMX, "more CPUs", "Hyper-Threading");
}

static void test_intel_pt(void **state)
{
    (void)state;
    struct machine_facts facts = skylake();
    facts.pt.leaf7_ebx = 0;
    assert_finding(&facts, FINDING_STOPS_PT, "has no Intel PT", "pt=soft");
    facts = skylake();
    facts.pt.leaf0_eax = 0x13;
    assert_finding(&facts, FINDING_STOPS_PT, "has no Intel PT", "pt=soft");
    facts = skylake();
    facts.pt.vmx_misc = 0;
    assert_finding(&facts, FINDING_STOPS_PT, "does not allow Intel PT in VMX operation", "pt=soft");
    facts = skylake();
    facts.pt.rtit_ctl = RTIT_CTL_TRACE_EN;
    assert_finding(&facts, FINDING_STOPS_PT, "already in use", "Processor Trace");
    facts = skylake();
    facts.pt.leaf14_0[2] = 0;
    assert_finding(&facts, FINDING_STOPS_PT, "cannot write to memory", "pt=soft");
    facts.pt.leaf14_0[2] = 4;
    assert_finding(&facts, FINDING_NOTE, "does not support ToPA", "pt.scheme=auto");
    facts.pt.leaf14_0[2] = 1;
    assert_finding(&facts, FINDING_NOTE, "a single region only", "pt.scheme=auto");
    facts.pt.leaf14_0[2] = 3; /* no single-range output, which is not needed with ToPA */
    struct finding findings[FINDINGS_MAX];
    assert_int_equal(findings_of(findings, &facts), 0);
}

static void test_outer_hypervisor(void **state)
{
    (void)state;
    struct machine_facts facts = skylake();
    strcpy(facts.outer_hypervisor, "KVMKVMKVM");
    assert_finding(&facts, FINDING_NOTE, "virtual machine", "docs/ci.md");
    assert_string_equal(only(&facts).detail, "KVMKVMKVM");
    struct finding findings[FINDINGS_MAX];
    facts.pt.vmx_misc = 0;
    assert_int_equal(findings_of(findings, &facts), 2);
    assert_int_equal(findings_weight(findings, 2), FINDING_STOPS_PT);
    assert_non_null(strstr(findings[0].what, "outer hypervisor does not allow"));
    facts.vmx.cpuid_1_ecx = 0;
    assert_int_equal(findings_of(findings, &facts), 3);
    assert_int_equal(findings_weight(findings, 3), FINDING_STOPS_VMX);
    assert_non_null(strstr(findings[0].what, "outer hypervisor offers no VMX"));
}

static void test_platform(void **state)
{
    (void)state;
    struct machine_facts facts = skylake();
    facts.efi = true;
    assert_finding(&facts, FINDING_NOTE, "Secure Boot", "Secure Boot");
    facts = skylake();
    facts.nr_remapping = 2;
    assert_finding(&facts, FINDING_NOTE, "VT-d", "channel=uart");
    facts.vtd = VTD_PROTECTS;
    assert_finding(&facts, FINDING_NOTE, "VT-d protects our memory", "vtd=off");
    facts.vtd = VTD_WORKS;
    facts.vtd_why_off = "the firmware does not request it";
    assert_finding(&facts, FINDING_NOTE, "VT-d can protect our memory", "vtd=on");
    assert_string_equal(only(&facts).detail, "the firmware does not request it");
    facts.vtd = VTD_FAILED;
    assert_finding(&facts, FINDING_NOTE, "VT-d cannot protect our memory", "tracing works without VT-d");
    facts.nr_remapping_stuck = 1;
    assert_finding(&facts, FINDING_NOTE, "(VT-d) cannot be switched off", "VT-d"); /* the channel works nevertheless */
    facts.wire_failed = true;
    struct finding findings[FINDINGS_MAX];
    assert_int_equal(findings_of(findings, &facts), 2);
    assert_int_equal(findings[0].weight, FINDING_STOPS_WIRE);
    assert_non_null(strstr(findings[0].what, "(VT-d) cannot be switched off"));
}

static void test_x2apic(void **state)
{
    (void)state;
    struct machine_facts facts = skylake();
    facts.nr_remapping = 1;
    facts.x2apic_hold = X2APIC_LOCKED;
    assert_finding(&facts, FINDING_NOTE, "can remap interrupts but not DMA", "none needed");
    facts.x2apic_refused = true;
    assert_finding(&facts, FINDING_STOPS_VMX, "stay in x2APIC mode", "SGX and TDX");
    facts.x2apic_hold = X2APIC_HIGH_ID;
    assert_finding(&facts, FINDING_STOPS_VMX, "stay in x2APIC mode", "Hyper-Threading");
}

static void test_channel(void **state)
{
    (void)state;
    static const struct {
        enum channel_stage stage;
        const char *what, *remedy;
    } rows[] = {
        {CHANNEL_DISABLED, "switched off", "channel=none"},
        {CHANNEL_NO_CARD, "no supported network card", "docs/hardware.md"},
        {CHANNEL_NO_START, "does not start", "named in that line"},
        {CHANNEL_NO_LINK, "no link", "cable"},
        {CHANNEL_NO_PEER, "does not answer", "net.peer="},
        {CHANNEL_NO_ACK, "no receiver answers", "undertrace receive"},
    };
    struct machine_facts facts = skylake();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        facts.channel = rows[i].stage;
        assert_finding(&facts, FINDING_STOPS_WIRE, rows[i].what, rows[i].remedy);
    }
    facts.channel = CHANNEL_OPEN;
    facts.wire_failed = true;
    assert_finding(&facts, FINDING_STOPS_WIRE, "does not acknowledge everything", "net.mtu=1500");
}

/* The worst case: the array has room for all findings. */
static void test_all_at_once(void **state)
{
    (void)state;
    struct machine_facts facts = {.vendor = "AuthenticAMD",
                                  .outer_hypervisor = "KVMKVMKVM",
                                  .efi = true,
                                  .pt = {.leaf0_eax = 0x14, .leaf7_ebx = CPUID_7_EBX_PT, .rtit_ctl = 1},
                                  .nr_cpus = 300,
                                  .max_cpus = 64,
                                  .nr_remapping = 1,
                                  .nr_remapping_stuck = 1};
    struct finding findings[FINDINGS_MAX];
    const unsigned nr = findings_of(findings, &facts);
    assert_int_equal(nr, 9);
    assert_int_equal(findings_weight(findings, nr), FINDING_STOPS_VMX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suitable_machine), cmocka_unit_test(test_vmx),         cmocka_unit_test(test_intel_pt),
        cmocka_unit_test(test_outer_hypervisor), cmocka_unit_test(test_platform),    cmocka_unit_test(test_channel),
        cmocka_unit_test(test_x2apic),           cmocka_unit_test(test_all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
