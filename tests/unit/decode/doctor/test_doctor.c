/*
 * undertrace doctor: findings, with one fact wrong at a time; text files with CPUID leaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "decode/doctor/cpu_model.h"
#include "decode/doctor/judge.h"
#include "decode/doctor/registers.h"

/* A Skylake desktop with everything required, as root. */
static struct facts good(void)
{
    return (struct facts){
        .cpu = {.vendor = "GenuineIntel",
                .name = "a desktop",
                .family = 6,
                .model = 0x5e,
                .stepping = 3,
                .nr_cpus = 8,
                .cpuid_known = true,
                .flag_vmx = true,
                .msrs_known = true,
                .vmx = {.cpuid_1_ecx = 1u << 5,
                        .perfmon_version = 4,
                        .feature_control = 5,
                        .basic = 1ull << 55,
                        .pin = 0x7full << 32,
                        .proc = 0xffffffffull << 32,
                        .proc2 = 0xffffffffull << 32,
                        .exit = 0x1ffffffull << 32,
                        .entry = 0x3ffffull << 32,
                        .ept_vpid = 0xf0106334141,
                        .misc = 1u << 14},
                .pt = {.leaf0_eax = 0x16,
                       .leaf7_ebx = 1u << 25,
                       .leaf14_0 = {1, 0x0f, 0x07, 0},
                       .leaf14_1 = {0x02490002, 0x003f3fff, 0, 0},
                       .leaf80000008_eax = 39,
                       .vmx_misc = 1u << 14}},
        .cards = {{.slot = "0000:00:1f.6", .id = 0x15b88086, .interface = "eno1", .link = ANSWER_YES}},
        .nr_cards = 1,
        .uarts = {"ttyS0"},
        .nr_uarts = 1,
        .efi = true,
        .secure_boot = ANSWER_NO,
        .memory_bytes = 16ull << 30,
        .kernels = {{.name = "vmlinuz-6.1"}},
        .nr_kernels = 1,
        .boot_seen = true,
        .boot = {.menu = "/boot/grub/grub.cfg",
                 .maker = MENU_UPDATE_GRUB,
                 .platform = "x86_64-efi",
                 .module = "/boot/grub/x86_64-efi/multiboot2.mod",
                 .debian = true,
                 .space_known = true,
                 .free_bytes = 200u << 20},
    };
}

/* Check the state and topic of the worst finding, and that its text contains the word. */
static void worst_is(const struct facts *facts, enum finding_state state, const char *topic, const char *word)
{
    static struct findings findings;
    findings_judge(&findings, facts);
    assert_int_equal(findings_worst(&findings), state);
    for (size_t i = 0; i < findings.count; i++) {
        if (findings.items[i].state != state)
            continue;
        assert_string_equal(findings.items[i].topic, topic);
        assert_non_null(strstr(findings.items[i].text, word));
        return;
    }
    fail();
}

static void test_good(void **state)
{
    (void)state;
    static struct findings findings;
    struct facts facts = good();
    findings_judge(&findings, &facts);
    for (size_t i = 0; i < findings.count; i++)
        assert_int_equal(findings.items[i].state, FINDING_GOOD);
    assert_true(findings.count >= 10);
}

static void test_vmx(void **state)
{
    (void)state;
    struct facts facts = good();
    facts.cpu.vmx.feature_control = 1;
    worst_is(&facts, FINDING_BAD, "vmx", "locked VMX off");
    facts = good(), facts.cpu.vmx.cpuid_1_ecx = 0;
    worst_is(&facts, FINDING_BAD, "vmx", "no VMX");
    facts = good(), facts.cpu.msrs_known = false, facts.cpu.flag_vmx = false;
    worst_is(&facts, FINDING_BAD, "vmx", "the kernel says");
    facts = good(), facts.cpu.msrs_known = false;
    worst_is(&facts, FINDING_UNSEEN, "vmx-controls", "MSRs 480H");
    facts = good(), facts.cpu.vmx.proc2 = 0;
    worst_is(&facts, FINDING_BAD, "vmx-controls", "enable EPT");
    facts = good(), strcpy(facts.cpu.vendor, "AuthenticAMD");
    worst_is(&facts, FINDING_BAD, "cpu", "not an Intel CPU");
}

static void test_pt(void **state)
{
    (void)state;
    struct facts facts = good();
    facts.cpu.pt.leaf7_ebx = 0;
    worst_is(&facts, FINDING_SLOW, "pt", "no Intel PT");
    facts = good(), facts.cpu.pt.vmx_misc = 0;
    worst_is(&facts, FINDING_SLOW, "pt", "VMX operation");
    facts = good(), facts.cpu.pt.rtit_ctl = 1;
    worst_is(&facts, FINDING_SLOW, "pt", "in use");
    facts = good(), facts.cpu.pt.leaf14_0[2] = 0;
    worst_is(&facts, FINDING_SLOW, "pt", "no output scheme");
    facts = good(), facts.cpu.other_cpu = 4, facts.cpu.other_why = "it differs";
    worst_is(&facts, FINDING_NOTE, "cpus", "CPU 4: it differs");
    facts = good(), facts.cpu.nr_cpus = 65;
    worst_is(&facts, FINDING_BAD, "cpus", "65");
    facts = good(), facts.cpu.nr_cpus = 64;
    worst_is(&facts, FINDING_GOOD, "cpu", "Skylake");
    facts = good(), facts.cpu.hypervisor = true;
    worst_is(&facts, FINDING_NOTE, "hypervisor", "virtual machine");
}

static void test_wire(void **state)
{
    (void)state;
    struct facts facts = good();
    facts.cards[0].link = ANSWER_NO;
    worst_is(&facts, FINDING_NOTE, "link", "eno1 has no link");
    /* A second card with a link is preferred. */
    facts.nr_cards = 2;
    facts.cards[1] =
        (struct facts_card){.slot = "0000:01:00.0", .id = 0x15338086, .interface = "enp1s0", .link = ANSWER_YES};
    worst_is(&facts, FINDING_GOOD, "cpu", "");
    facts.cards[1].carries_default_route = true;
    worst_is(&facts, FINDING_NOTE, "card", "enp1s0");
    facts = good(), facts.cards[0].id = 0x816810ec;
    worst_is(&facts, FINDING_GOOD, "cpu", "");
    /* The revision can distinguish two cards. */
    facts.cards[0].id = 0x813910ec, facts.cards[0].revision = 0x20;
    worst_is(&facts, FINDING_GOOD, "cpu", "");
    facts.cards[0].revision = 0x10;
    worst_is(&facts, FINDING_NOTE, "card", "10ec:8139");
    facts.cards[0].id = 0x10ec | 0xffffu << 16;
    worst_is(&facts, FINDING_NOTE, "card", "10ec:ffff");
    facts.nr_uarts = 0;
    worst_is(&facts, FINDING_BAD, "wire", "cannot be sent");
    facts = good(), facts.nr_uarts = 0;
    worst_is(&facts, FINDING_NOTE, "console", "no serial port");
}

static void test_system(void **state)
{
    (void)state;
    struct facts facts = good();
    facts.secure_boot = ANSWER_YES;
    worst_is(&facts, FINDING_BAD, "secure-boot", "on");
    facts.secure_boot = ANSWER_UNKNOWN;
    worst_is(&facts, FINDING_UNSEEN, "secure-boot", "not known");
    facts = good(), facts.dmar = true;
    worst_is(&facts, FINDING_NOTE, "vt-d", "DMA remapping");
    facts.cpu.x2apic_locked = true;
    worst_is(&facts, FINDING_NOTE, "vt-d", "x2APIC mode is locked");
    facts = good(), facts.memory_bytes = 128u << 20;
    worst_is(&facts, FINDING_NOTE, "memory", "128 MiB");
    facts = good(), facts.kernels[0].error = "a zImage";
    worst_is(&facts, FINDING_NOTE, "kernel", "a zImage");
    facts = good(), facts.kernels[0].unread = true;
    worst_is(&facts, FINDING_UNSEEN, "kernel", "cannot be read");
    facts = good(), facts.boot.menu[0] = 0;
    worst_is(&facts, FINDING_NOTE, "boot-loader", "no menu of GRUB");
}

static void test_boot(void **state)
{
    (void)state;
    struct facts facts = good();
    facts.boot.systemd_boot = true;
    worst_is(&facts, FINDING_NOTE, "boot-loader", "systemd-boot");
    facts = good(), facts.boot.maker = MENU_UNKNOWN;
    worst_is(&facts, FINDING_NOTE, "menu", "neither update-grub");
    facts = good(), facts.boot.maker = MENU_GRUB2_MKCONFIG, facts.boot.bls = true;
    worst_is(&facts, FINDING_NOTE, "menu", "/boot/loader/entries");
    facts = good(), facts.boot.module[0] = 0;
    worst_is(&facts, FINDING_NOTE, "multiboot2", "was not found");
    strcpy(facts.boot.module_kept, "/usr/lib/grub/x86_64-efi");
    worst_is(&facts, FINDING_NOTE, "multiboot2", "in /usr/lib/grub/x86_64-efi");
    facts = good(), facts.boot.free_bytes = (3u << 20) - 1024;
    worst_is(&facts, FINDING_NOTE, "boot-space", "/boot has 3071 KiB left; 3072 KiB are required");
    facts.boot.free_bytes = 3u << 20;
    worst_is(&facts, FINDING_GOOD, "cpu", "");
    facts.boot.module_bytes = 1;
    worst_is(&facts, FINDING_NOTE, "boot-space", "3073 KiB are required");
    /* What is there already needs no space. */
    facts = good(), facts.boot.free_bytes = 0, facts.boot.image = true;
    worst_is(&facts, FINDING_GOOD, "cpu", "");
    facts = good(), facts.boot.space_known = false;
    worst_is(&facts, FINDING_NOTE, "boot-space", "not known");
}

/* The next commands, in their order: NULL is the end. */
static void next_is(const struct facts *facts, const char *const *commands)
{
    static struct findings findings;
    findings_judge(&findings, facts);
    for (size_t i = 0; i < findings.nr_next; i++) {
        assert_non_null(commands[i]);
        assert_non_null(strstr(findings.next[i], commands[i]));
    }
    assert_null(commands[findings.nr_next]);
}
#define NEXT_IS(facts, ...) next_is(facts, (const char *const[]){__VA_ARGS__, NULL})

static void test_next(void **state)
{
    (void)state;
    struct facts facts = good();
    NEXT_IS(&facts, "apt install ./undertrace_", "reboot    # and choose");
    facts.boot.saved_default = true;
    NEXT_IS(&facts, "apt install ./undertrace_", "grub-reboot 'undertrace>undertrace-6.1' && reboot");
    facts.boot.image = facts.boot.script = true;
    NEXT_IS(&facts, "update-grub", "grub-reboot");
    facts.boot.in_menu = true;
    NEXT_IS(&facts, "grub-reboot");
    facts.boot.debian = facts.boot.image = facts.boot.script = facts.boot.in_menu = false;
    facts.boot.maker = MENU_GRUB2_MKCONFIG;
    facts.boot.module[0] = 0;
    strcpy(facts.boot.menu, "/boot/grub2/grub.cfg");
    strcpy(facts.boot.module_kept, "/usr/lib/grub/x86_64-efi");
    NEXT_IS(&facts, "make install install-boot", "cp -r /usr/lib/grub/x86_64-efi /boot/grub2/",
            "grub2-mkconfig -o /boot/grub2/grub.cfg", "grub2-reboot 'undertrace>undertrace-6.1' && reboot");
    facts.boot.systemd_boot = true;
    strcpy(facts.boot.esp, "/efi");
    NEXT_IS(&facts, "make install install-boot", "/efi/EFI/undertrace/undertrace.efi",
            "'load=\\EFI\\systemd\\systemd-bootx64.efi' >/efi/EFI/undertrace/undertrace.cfg", "efibootmgr -c -d DISK",
            "reboot    # the new boot entry");
    facts.secure_boot = ANSWER_YES;
    NEXT_IS(&facts, "--firmware-setup", "undertrace doctor");
    facts.boot.shim = true;
    NEXT_IS(&facts, "mokutil --disable-validation", "reboot    # and enter", "undertrace doctor");
    facts = good(), facts.cpu.vmx.feature_control = 1;
    NEXT_IS(&facts, "undertrace doctor    # again");
    facts = good(), facts.boot.menu[0] = 0;
    NEXT_IS(&facts, "make iso");
}

static void test_cpuid_text(void **state)
{
    (void)state;
    struct cpuid_line line = {0};
    assert_true(
        cpuid_line_parse(&line, "   0x00000014 0x01: eax=0x02490002 ebx=0x003f3fff ecx=0x00000000 edx=0x00000001\n"));
    assert_int_equal(line.leaf, 0x14);
    assert_int_equal(line.sub_leaf, 1);
    assert_int_equal(line.registers[REGISTER_EAX], 0x02490002);
    assert_int_equal(line.registers[REGISTER_EDX], 1);
    assert_true(cpuid_line_parse(&line, "CPUID 80000008: 00003027-00000001-00000002-00000003"));
    assert_int_equal(line.leaf, 0x80000008);
    assert_int_equal(line.sub_leaf, 0);
    assert_int_equal(line.registers[REGISTER_EAX], 0x3027);
    assert_true(cpuid_line_parse(&line, "CPUID 00000014: 00000000-00000001-00000002-00000003 [SL 01]"));
    assert_int_equal(line.sub_leaf, 1);
    assert_int_equal(line.registers[REGISTER_EDX], 3);
    assert_false(cpuid_line_parse(&line, "CPU 0:"));
    assert_false(cpuid_line_parse(&line, "   0x00000014 0x01: eax=0x02490002"));
}

static void test_models(void **state)
{
    (void)state;
    assert_string_equal(cpu_model_name(6, 0x97), "Alder Lake");
    assert_string_equal(cpu_model_name(19, 1), "Diamond Rapids");
    assert_null(cpu_model_name(6, 1));
    assert_null(cpu_model_name(7, 0x97));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),   cmocka_unit_test(test_vmx),    cmocka_unit_test(test_pt),
        cmocka_unit_test(test_wire),   cmocka_unit_test(test_system), cmocka_unit_test(test_cpuid_text),
        cmocka_unit_test(test_models), cmocka_unit_test(test_boot),   cmocka_unit_test(test_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
