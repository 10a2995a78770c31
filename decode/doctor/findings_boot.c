/* How the machine starts: GRUB, its menu and its module, the space in /boot. Each finding here is a note at most: a USB
 * stick starts the hypervisor in any case. */
#include <string.h>

#include "decode/doctor/judge_parts.h"

/* What undertrace-boot puts into /boot at most (undertrace.elf with its symbols, undertrace.efi), and the new menu. */
#define IMAGE_BYTES (3ull << 20)

static void judge_loader(struct findings *findings, const struct facts *facts)
{
    const struct facts_boot *boot = &facts->boot;
    if (boot->systemd_boot) {
        finding_add(findings, "boot-loader", FINDING_NOTE, "systemd-boot, which loads no Multiboot2 image");
        finding_remedy(findings, "start undertrace.efi before it (docs/efi.md), or boot from a USB stick with the ISO");
    } else if (!boot->menu[0]) {
        finding_add(findings, "boot-loader", FINDING_NOTE, "no menu of GRUB in /boot");
        finding_remedy(findings, "install GRUB, or boot from a USB stick with the ISO");
    } else {
        finding_add(findings, "boot-loader", FINDING_GOOD, "GRUB (%s), started by %s", boot->menu,
                    facts->efi ? "UEFI firmware" : "a BIOS");
    }
}

/* The command that makes the menu. NULL: not known. */
static const char *menu_command(const struct facts_boot *boot)
{
    switch (boot->maker) {
    case MENU_UPDATE_GRUB:
        return "update-grub";
    case MENU_GRUB2_MKCONFIG:
        return "grub2-mkconfig";
    case MENU_GRUB_MKCONFIG:
        return "grub-mkconfig";
    case MENU_UNKNOWN:
        break;
    }
    return NULL;
}

static void judge_menu(struct findings *findings, const struct facts_boot *boot)
{
    const char *command = menu_command(boot);
    if (!command) {
        finding_add(findings, "menu", FINDING_NOTE, "neither update-grub nor grub-mkconfig is there to make %s",
                    boot->menu);
        finding_remedy(findings, "add a menuentry by hand: docs/install.md has one");
    } else if (boot->bls) {
        finding_add(findings, "menu", FINDING_NOTE,
                    "%s makes it; kernels have entries in /boot/loader/entries, which do not lead to the hypervisor",
                    command);
        finding_remedy(findings, "run %s after each new kernel: it adds the entry of the submenu Undertrace", command);
    } else {
        finding_add(findings, "menu", FINDING_GOOD, "%s makes it%s", command,
                    boot->in_menu ? "; Undertrace is in it" : "");
    }
}

static void judge_module(struct findings *findings, const struct facts_boot *boot)
{
    if (boot->module[0]) {
        finding_add(findings, "multiboot2", FINDING_GOOD, "%s", boot->module);
    } else if (boot->module_kept[0]) {
        finding_add(findings, "multiboot2", FINDING_NOTE, "GRUB's module is in %s, where GRUB does not look",
                    boot->module_kept);
        finding_remedy(findings, "copy the directory beside the menu, as the commands below do");
    } else {
        finding_add(findings, "multiboot2", FINDING_NOTE, "GRUB's module for %s was not found", boot->platform);
        finding_remedy(findings, "install it: %s",
                       strcmp(boot->platform, "i386-pc")
                           ? "grub-efi-amd64-bin (Debian), grub2-efi-x64-modules (Fedora), grub2-x86_64-efi (openSUSE)"
                           : "grub-pc-bin (Debian), grub2-pc-modules (Fedora), grub2-i386-pc (openSUSE)");
    }
}

static void judge_space(struct findings *findings, const struct facts_boot *boot)
{
    const uint64_t needs = (boot->image ? 0 : IMAGE_BYTES) + boot->module_bytes;
    const unsigned long long free_kib = boot->free_bytes >> 10, needs_kib = (needs + 1023) >> 10;
    if (!boot->space_known) {
        finding_add(findings, "boot-space", FINDING_NOTE, "the free space in /boot is not known; %llu KiB are required",
                    needs_kib);
        finding_remedy(findings, "for --root DIR, save there: df -kP /boot >DIR/boot.df");
    } else if (free_kib < needs_kib) {
        finding_add(findings, "boot-space", FINDING_NOTE, "/boot has %llu KiB left; %llu KiB are required", free_kib,
                    needs_kib);
        finding_remedy(findings, "remove old kernels by the package manager%s, or boot from a USB stick with the ISO",
                       boot->debian ? " (apt autoremove --purge)" : "");
    } else {
        finding_add(findings, "boot-space", FINDING_GOOD, "/boot has %llu KiB left; %llu KiB are required", free_kib,
                    needs_kib);
    }
}

void findings_judge_boot(struct findings *findings, const struct facts *facts)
{
    judge_loader(findings, facts);
    if (!facts->boot.systemd_boot && facts->boot.menu[0]) {
        judge_menu(findings, &facts->boot);
        judge_module(findings, &facts->boot);
    }
    if (facts->boot_seen)
        judge_space(findings, &facts->boot);
}
