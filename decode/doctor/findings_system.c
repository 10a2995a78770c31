/* Firmware, memory, and kernels to boot. */
#include <string.h>

#include "decode/doctor/judge_parts.h"

/* Memory that the hypervisor takes below 4 GiB: its own, and eight regions of 512 KiB for each CPU. */
#define OWN_BYTES (16ull << 20)
#define CPU_BYTES (5ull << 20)

static void judge_firmware(struct findings *findings, const struct facts *facts)
{
    if (facts->secure_boot == ANSWER_YES) {
        finding_add(findings, "secure-boot", FINDING_BAD,
                    "on: GRUB's lockdown then refuses the module multiboot2 and the image, which is not signed");
        finding_remedy(
            findings,
            "turn Secure Boot off in the firmware's setup, or its part in shim: mokutil --disable-validation");
    } else if (facts->secure_boot == ANSWER_UNKNOWN) {
        finding_add(findings, "secure-boot", FINDING_UNSEEN, "not known: UEFI's variables cannot be read");
        finding_remedy(findings, "mount -t efivarfs efivarfs /sys/firmware/efi/efivars");
    } else {
        finding_add(findings, "secure-boot", FINDING_GOOD, facts->efi ? "off" : "none: booted by a BIOS");
    }
    if ((facts->nr_iommus || facts->dmar) && facts->cpu.x2apic_locked) {
        finding_add(
            findings, "vt-d", FINDING_NOTE,
            "x2APIC mode is locked (MSR BDH), so the guest keeps VT-d, but for interrupts only if the trace is sent by "
            "a network card");
    } else if (facts->nr_iommus || facts->dmar) {
        finding_add(
            findings, "vt-d", FINDING_NOTE,
            "the firmware offers DMA remapping%s; it is hidden from the guest if the trace is sent by a network "
            "card",
            facts->nr_iommus ? ", which this kernel uses" : "");
    } else {
        finding_add(findings, "vt-d", FINDING_GOOD, "none");
    }
}

static void judge_memory(struct findings *findings, const struct facts *facts)
{
    const uint64_t needs = OWN_BYTES + facts->cpu.nr_cpus * CPU_BYTES;
    if (facts->memory_bytes == 0) {
        finding_add(findings, "memory", FINDING_UNSEEN, "not known: /proc/meminfo cannot be read");
    } else if (facts->memory_bytes < 4 * needs) {
        finding_add(findings, "memory", FINDING_NOTE, "%llu MiB, of which the hypervisor takes about %llu",
                    (unsigned long long)(facts->memory_bytes >> 20), (unsigned long long)(needs >> 20));
        finding_remedy(findings, "pt.region= and pt.regions= reduce that");
    } else {
        finding_add(findings, "memory", FINDING_GOOD, "%llu MiB", (unsigned long long)(facts->memory_bytes >> 20));
    }
}

static void judge_kernels(struct findings *findings, const struct facts *facts)
{
    bool one_good = false, one_unread = false;
    for (size_t i = 0; i < facts->nr_kernels; i++) {
        const struct facts_kernel *kernel = &facts->kernels[i];
        one_unread |= kernel->unread;
        one_good |= !kernel->unread && !kernel->error;
        if (kernel->error)
            finding_add(findings, "kernel", FINDING_NOTE, "/boot/%s: %s", kernel->name, kernel->error);
        else if (!kernel->unread)
            finding_add(findings, "kernel", FINDING_GOOD, "/boot/%s", kernel->name);
    }
    if (!one_good && one_unread) {
        finding_add(findings, "kernel", FINDING_UNSEEN, "/boot/%s cannot be read", facts->kernels[0].name);
        finding_remedy(findings, "run as root");
    } else if (!one_good) {
        finding_add(findings, "kernel", FINDING_NOTE,
                    facts->boot_seen ? "/boot has no kernel that the hypervisor can load" : "/boot is empty");
        finding_remedy(findings, "mount what GRUB reads at /boot, or boot the ISO with a kernel of your own");
    }
}

void findings_judge_system(struct findings *findings, const struct facts *facts)
{
    judge_firmware(findings, facts);
    judge_memory(findings, facts);
    judge_kernels(findings, facts);
}
