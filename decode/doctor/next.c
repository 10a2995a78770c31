/* The next commands for a machine, from its facts: to remove an obstacle, or else to install the hypervisor and boot
 * it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "decode/doctor/judge_parts.h"

static void add(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct findings *findings, const char *format, ...)
{
    va_list args;
    if (findings->nr_next == FINDINGS_MAX_NEXT)
        return;
    va_start(args, format);
    vsnprintf(findings->next[findings->nr_next++], sizeof(findings->next[0]), format, args);
    va_end(args);
}

/* With Secure Boot on, everything else waits until it is off. */
static void next_secure_boot(struct findings *findings, const struct facts_boot *boot)
{
    if (boot->shim) {
        add(findings, "mokutil --disable-validation");
        add(findings, "reboot    # and enter the password in the blue screen");
    } else {
        add(findings, "systemctl reboot --firmware-setup    # and turn Secure Boot off there");
    }
    add(findings, "undertrace doctor");
}

static void next_module(struct findings *findings, const struct facts_boot *boot)
{
    if (!boot->module[0] && boot->module_kept[0])
        add(findings, "cp -r %s %.*s/", boot->module_kept, (int)(strlen(boot->menu) - strlen("/grub.cfg")), boot->menu);
}

/* The package of Debian makes the menu itself. */
static void next_menu(struct findings *findings, const struct facts_boot *boot)
{
    if (boot->in_menu || boot->maker == MENU_UNKNOWN || (boot->debian && !boot->image))
        return;
    if (boot->maker == MENU_UPDATE_GRUB)
        add(findings, "update-grub");
    else
        add(findings, "grub%s-mkconfig -o %s", boot->maker == MENU_GRUB2_MKCONFIG ? "2" : "", boot->menu);
}

static void next_files(struct findings *findings, const struct facts_boot *boot)
{
    if (boot->image && (boot->script || boot->systemd_boot))
        return;
    if (boot->debian)
        add(findings, "apt install ./undertrace_%s_amd64.deb ./undertrace-boot_%s_amd64.deb    # from make deb",
            UNDERTRACE_VERSION, UNDERTRACE_VERSION);
    else
        add(findings, "make install install-boot    # in the source of Undertrace");
}

static const char *newest_kernel(const struct facts *facts)
{
    for (size_t i = facts->nr_kernels; i > 0; i--)
        if (!facts->kernels[i - 1].unread && !facts->kernels[i - 1].error)
            return facts->kernels[i - 1].name + strlen("vmlinuz-");
    return NULL;
}

static void next_boot(struct findings *findings, const struct facts *facts)
{
    const struct facts_boot *boot = &facts->boot;
    const char *kernel = newest_kernel(facts);
    if (boot->saved_default && kernel)
        add(findings, "%s-reboot 'undertrace>undertrace-%s' && reboot",
            boot->maker == MENU_GRUB2_MKCONFIG ? "grub2" : "grub", kernel);
    else
        add(findings, "reboot    # and choose the submenu Undertrace in GRUB's menu");
}

static void next_systemd_boot(struct findings *findings, const struct facts_boot *boot)
{
    const char *esp = boot->esp[0] ? boot->esp : "/boot";
    add(findings, "install -D -m 644 /boot/undertrace.efi %s/EFI/undertrace/undertrace.efi", esp);
    add(findings,
        "printf '%%s\\n' 'net.ip=dhcp net.peer=announce' 'load=\\EFI\\systemd\\systemd-bootx64.efi' "
        ">%s/EFI/undertrace/undertrace.cfg",
        esp);
    if (boot->esp_disk[0])
        add(findings, "efibootmgr -c -d %s -p %u -L Undertrace -l '\\EFI\\undertrace\\undertrace.efi'", boot->esp_disk,
            boot->esp_partition);
    else
        add(findings,
            "efibootmgr -c -d DISK -p PARTITION -L Undertrace -l '\\EFI\\undertrace\\undertrace.efi'    # of %s", esp);
    add(findings, "reboot    # the new boot entry is the first one; efibootmgr -o changes the order");
}

void findings_next(struct findings *findings, const struct facts *facts)
{
    const struct facts_boot *boot = &facts->boot;
    findings->nr_next = 0;
    if (facts->secure_boot == ANSWER_YES) {
        next_secure_boot(findings, boot);
    } else if (findings_worst(findings) == FINDING_BAD) {
        add(findings, "undertrace doctor    # again, after the remedies above");
    } else if (boot->systemd_boot) {
        next_files(findings, boot);
        next_systemd_boot(findings, boot);
    } else if (boot->menu[0]) {
        next_files(findings, boot);
        next_module(findings, boot);
        next_menu(findings, boot);
        next_boot(findings, facts);
    } else {
        add(findings, "make iso    # in the source of Undertrace; then write it to a USB stick (docs/install.md)");
    }
}
