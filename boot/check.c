/* Kind: shell, init */
#include "boot/check.h"

#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "base/version.h"
#include "boot/channel/uart_find.h"
#include "boot/fail.h"
#include "boot/mb2.h"
#include "boot/memory/mapped.h"
#include "boot/screen/screen.h"
#include "boot/x2apic.h"
#include "pt/engine.h"
#include "pt/soft/soft_pt.h"
#include "serial/uart/uart_console.h"
#include "vmx/vmx.h"

#define MIB (1ull << 20)

_Static_assert(BOOT_MAX_CPUS <= VMX_MAX_CPUS, "vmx/ supports as many CPUs as are read from ACPI");

static const uint8_t *check_acpi_map(void *context, uint64_t pa, uint64_t size)
{
    (void)context;
    return mapped_at(pa, size);
}

const struct acpi_memory check_acpi_memory = {check_acpi_map, NULL};

/* If the UART cannot be used, the boot continues without a console: the reason goes to the screen and the records. */
static void open_console(struct boot_state *boot)
{
    const struct options *options = &boot->options;
    struct uart_found console;
    if (options->console.kind == UART_NONE)
        return;
    if (options->console.kind == UART_SPCR)
        acpi_read(&boot->acpi, &check_acpi_memory, boot->info.rsdp, boot->info.rsdp_size);
    const char *missing = uart_find(&console, &options->console, &boot->acpi, UART_BAUD_BASE, NULL);
    if (missing)
        log_line("no console: %s", missing);
    else
        uart_console_set(&console.uart, UART_BAUD_BASE / options->console_baud);
}

/* The options name the console, so they are parsed first; errors in them are reported once it is open. */
void check_read_options(struct boot_state *boot)
{
    const char *line = boot->info.line;
    struct options_error error;
    options_default(&boot->options);
    bool good = options_parse(&boot->options, line, &error);
    options_hide_key((char *)(uintptr_t)line);
    open_console(boot);
    log_line("version %s", UNDERTRACE_VERSION);
    if (!good)
        boot_fail("bad option \"%s\": expected %s", error.word, error.expected);
    log_line("options: %s", line[0] ? line : "none, all defaults");
}

void check_boot_loader(struct boot_state *boot, uint32_t magic, uint32_t info_pa)
{
    if (magic != MB2_BOOTLOADER_MAGIC) {
        uart_console_set(&(const struct uart){.port = 0x3f8}, 1);
        boot_fail("not started by a Multiboot2 boot loader (magic %08x)", magic);
    }
    enum mb2_error error = mb2_parse(&boot->info, phys_to_virt(info_pa), 16 * MIB);
    screen_set(&boot->info.framebuffer);
    check_read_options(boot);
    if (error)
        boot_fail("invalid boot information from the boot loader: %s", mb2_error_text(error));
}

void check_refuse_vmx(struct boot_state *boot, const char *why)
{
    log_line("no VMX: %s; the guest boots without the hypervisor", why);
    boot->no_vmx = boot->no_pt = why;
    boot->nr_cpus = 1;
}

/* SDM Vol. 2A, CPUID leaf 0BH: EDX; without that leaf, leaf 1: EBX[31:24]. */
uint32_t check_own_apic_id(void)
{
    if (cpuid_read(0, 0).eax >= 0xb) {
        struct cpuid_regs leaf = cpuid_read(0xb, 0);
        if (leaf.ebx & 0xffff)
            return leaf.edx;
    }
    return cpuid_read(1, 0).ebx >> 24;
}

/* The guest could start a CPU that is not under our control, so we take over all CPUs or none. */
static void check_cpus(struct boot_state *boot)
{
    struct madt_cpus *cpus = &boot->acpi.cpus;

    if (boot->firmware_cpus.nr != 0)
        *cpus = boot->firmware_cpus;
    const bool unknown = cpus->nr == 0 || cpus->incomplete;
    madt_put_first(cpus, check_own_apic_id());
    if (unknown) {
        check_refuse_vmx(boot, "ACPI has no complete list of the CPUs (MADT), and one outside our control could access "
                               "our memory");
        return;
    }
    if (cpus->nr <= BOOT_MAX_CPUS) {
        boot->nr_cpus = (uint16_t)cpus->nr;
        return;
    }
    log_line("%u CPUs, of which at most %u are supported", cpus->nr, BOOT_MAX_CPUS);
    check_refuse_vmx(boot, "a CPU outside our control could access our memory");
}

bool check_card_is_refused(const struct boot_state *boot)
{
    const bool card = boot->options.channel == CHANNEL_AUTO || boot->options.channel == CHANNEL_NET;

    return card && boot->x2apic_hold != X2APIC_FREE && !dmar_is_reachable(&boot->acpi.dmar, MAPPED_END);
}

/* NULL, or why there is no hypervisor; the log then has the reason and the remedy. */
static const char *x2apic_objection(const struct boot_state *boot)
{
    if (!check_card_is_refused(boot))
        return NULL;
    log_line("%s; %s", x2apic_hold_text(boot->x2apic_hold), x2apic_hold_remedy(boot->x2apic_hold));
    return X2APIC_REFUSED;
}

/* The self-test reports it as a finding instead. */
static void check_x2apic(struct boot_state *boot)
{
    const struct madt_cpus *cpus = &boot->acpi.cpus;
    uint32_t high_id;

    if (boot->no_vmx || boot->acpi.dmar.pa == 0)
        return;
    boot->x2apic_hold = x2apic_hold_of(x2apic_read(), cpus->apic_ids, boot->nr_cpus, &high_id);
    if (boot->firmware_runs && boot->x2apic_hold == X2APIC_FREE && x2apic_read().on)
        boot->x2apic_hold = X2APIC_FIRMWARE;
    if (boot->x2apic_hold == X2APIC_HIGH_ID)
        log_line("a CPU has the APIC id %u", high_id);
    const char *objection = boot->options.selftest ? NULL : x2apic_objection(boot);
    if (objection)
        check_refuse_vmx(boot, objection);
}

const char *check_other_cpus(struct boot_state *boot)
{
    for (uint16_t i = 1; i < boot->nr_cpus && boot->x2apic_hold == X2APIC_FREE && boot->acpi.dmar.pa; i++) {
        const struct boot_cpu *cpu = &boot->cpus[i];
        if (!cpu->x2apic.locked)
            continue;
        log_line("CPU %u (APIC id %u): its x2APIC mode is locked, the first CPU's is not", cpu->number, cpu->apic_id);
        boot->x2apic_hold = X2APIC_LOCKED;
    }
    return x2apic_objection(boot);
}

static void use_soft_pt(struct boot_state *boot)
{
    const struct pt_options *pt = &boot->options.pt;
    if (pt->unit == PT_UNIT_ANY)
        log_line("%s: tracing by single-stepping, which is about 1,000 times slower (pt=off switches it off)",
                 pt_refusal_text(boot->refusal));
    if (pt->branches)
        log_line("pt=soft: tracing up to %lu branches", pt->branches);
    soft_pt_cpuid(&boot->cpuid);
    boot->refusal = pt_options_resolve(&boot->setup, &boot->cpuid, pt);
}

void check_machine(struct boot_state *boot)
{
    boot->nr_cpus = 1;
    acpi_read(&boot->acpi, &check_acpi_memory, boot->info.rsdp, boot->info.rsdp_size);
    if (boot->acpi.nr_unread)
        log_line("%u ACPI tables cannot be read: their size is invalid, or they are above 4 GiB", boot->acpi.nr_unread);
    pt_cpuid_read(&boot->cpuid);
    boot->refusal = pt_options_resolve(&boot->setup, &boot->cpuid, &boot->options.pt);
    const char *no_vmx = vmx_check();
    if (no_vmx) {
        check_refuse_vmx(boot, no_vmx);
        return;
    }
    if (!boot->options.selftest && pt_soft_choose(&boot->options.pt, boot->refusal))
        use_soft_pt(boot);
    if (boot->refusal && !pt_refusal_by_option(boot->refusal)) {
        boot->no_pt = pt_refusal_text(boot->refusal);
        log_line("no Intel PT: %s; the guest boots without tracing", boot->no_pt);
    }
    check_cpus(boot);
    check_x2apic(boot);
}

void check_options(const struct boot_state *boot)
{
    char objection[160];
    if (boot->no_vmx || !boot->options.pt.enabled)
        return;
    if (boot->refusal == PT_BAD_OPTION) {
        pt_unsupported_option(objection, sizeof objection, &boot->cpuid, &boot->options.pt);
        boot_fail("%s", objection);
    }
    if (pt_refusal_by_option(boot->refusal))
        boot_fail("%s", pt_refusal_text(boot->refusal));
    /* On all models: the erratum is published for three of them, and the others have not been examined for it. */
    if (boot->refusal == PT_OK && boot->setup.scheme == PT_SCHEME_RANGE)
        log_line("pt.scheme=range: some CPUs write wrong bytes to a single range (errata TGL052, ADL037, RPL017); the "
                 "other schemes are not affected");
    const char *missing = boot->refusal == PT_OK ? vmx_switch_check(boot->options.pt.way) : NULL;
    if (missing)
        boot_fail("pt.switch=vmcs: %s, but supports root and list", missing);
}
