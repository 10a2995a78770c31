/* Kind: shell, init */
/*
 * The boot, from the first C instruction to the guest's first one, in the order in which it happens.
 *
 * 1. boot_main runs at the address where the boot loader has put the image, on the scratch stack. It reads the boot
 *    loader's information, the options and the machine, chooses the range of memory that becomes ours, and moves there.
 * 2. moved_main runs in that range, on a stack of its own. It takes over the other CPUs, loads the guest and enters it.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "boot/check.h"
#include "boot/fail.h"
#include "boot/guest/builtin.h"
#include "boot/guest/direct.h"
#include "boot/guest/efi_map.h"
#include "boot/memory/mapped.h"
#include "boot/memory/paging.h"
#include "boot/plan.h"
#include "boot/selftest/selftest.h"
#include "boot/selftest/selftest_wire.h"
#include "boot/steps.h"
#include "boot/tracing.h"
#include "boot/x2apic.h"
#include "vmx/host/gdt.h"

#define ENTER_SECONDS_MAX 10u /* for the other CPUs to enter VMX operation */

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa); /* called by boot/entry.S */

static void find_guest(void);
static _Noreturn void moved_main(void);
static _Noreturn void run_selftest(void);
static void take_cpus(void);
static _Noreturn void start_without_vmx(void);
static _Noreturn void start_with_vmx(void);
static struct guest_entry load_guest(bool carved_is_reserved);
static void run_other_cpus(void);

static struct boot_state *boot; /* on the scratch stack until the image has moved, then in the carved range */

/* --- at the load address ---------------------------------------------------------------------------------------------
 */

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa)
{
    struct boot_state on_stack = {0};
    boot = &on_stack;
    gdt_load_early();
    check_boot_loader(boot, magic, info_pa);
    find_guest();
    if (boot->options.load_size)
        boot_fail("load=: only undertrace.efi starts another loader; name the kernel by module2 here");
    if (boot->options.start == START_EXIT_BOOT_SERVICES)
        boot_fail(
            "pt.start=exitbootservices: the boot loader has called ExitBootServices already; give another value, or "
            "start undertrace.efi in place of undertrace.elf");
    check_machine(boot);
    check_options(boot);
    efi_map_places(&boot->places, &boot->info.map, &boot->info.efi_map);
    plan_carve(boot, info_pa, image_pa);
    steps_move_image(&boot, moved_main);
}

static void find_guest(void)
{
    if (boot->options.builtin_guest)
        builtin_find(&boot->guest);
    else if (!boot->options.selftest)
        guest_find(&boot->guest, &boot->info);
}

/* --- in the carved range ---------------------------------------------------------------------------------------------
 */

static _Noreturn void moved_main(void)
{
    steps_moved(boot);
    if (boot->options.selftest)
        run_selftest();
    if (!boot->no_vmx)
        take_cpus();
    if (boot->no_vmx)
        start_without_vmx();
    start_with_vmx();
}

static _Noreturn void run_selftest(void)
{
    tracing_open_channel(boot); /* first, so that the receiver gets the findings */
    const struct vtd_request vtd_request = boot_vtd_request(boot);
    const struct selftest selftest = {.efi = boot->info.efi_system_table != 0,
                                      .no_vmx = boot->no_vmx,
                                      .options = &boot->options.pt,
                                      .cpuid = &boot->cpuid,
                                      .nr_cpus = boot->acpi.cpus.nr,
                                      .x2apic_hold = boot->x2apic_hold,
                                      .x2apic_refused = check_card_is_refused(boot),
                                      .channel = &boot->channel,
                                      .vtd = &boot->vtd,
                                      .vtd_request = &vtd_request,
                                      .memory = plan_alloc(boot, SELFTEST_WIRE_BYTES)};
    selftest_run(&selftest);
}

/* Take over all CPUs or none: the guest could start a CPU that is not under our control, which could then access our
 * memory. */
static void take_cpus(void)
{
    const struct aps_request request = {.cpus = boot->cpus,
                                        .nr_cpus = boot->nr_cpus,
                                        .cr3 = boot->cr3,
                                        .map = &boot->info.map,
                                        .pt = boot->no_pt || boot->options.pt.way == PT_SWITCH_SOFT ? NULL
                                                                                                    : &boot->cpuid};
    const char *why = aps_start(&request) ? check_other_cpus(boot) : "not all CPUs could be taken over";
    if (!why)
        return;
    aps_reset(boot->cpus, boot->nr_cpus);
    check_refuse_vmx(boot, why);
}

/* The guest gets all memory, including ours: the hypervisor does not remain resident. */
static _Noreturn void start_without_vmx(void)
{
    struct guest_entry entry = load_guest(false);
    direct_enter(entry.spare_page_pa, entry.eip, entry.esi);
}

static _Noreturn void start_with_vmx(void)
{
    struct boot_cpu *first = &boot->cpus[0];
    steps_prepare(boot);
    struct guest_entry loaded = load_guest(true);
    paging_drop_identity(boot->cr3);
    run_other_cpus();
    log_guest_owns_console();
    struct vmx_entry entry = {.eip = loaded.eip, .esi = loaded.esi, .gdt_pa = loaded.spare_page_pa};
    vmx_cpu_run(first->vmx_memory, first->number, first->apic_id, first->pt, &entry);
}

static struct guest_entry load_guest(bool carved_is_reserved)
{
    struct guest_machine machine = {.map = &boot->info.map,
                                    .places = &boot->places,
                                    .carved = boot->carved,
                                    .carved_is_reserved = carved_is_reserved,
                                    .rsdp_pa = acpi_rsdp_locate(&check_acpi_memory, boot->info.rsdp,
                                                                boot->info.rsdp_size, boot->info.efi_system_table)};
    log_line("guest: %s", guest_name(&boot->guest));
    struct guest_entry entry = guest_load(&boot->guest, &boot->info, &machine, &boot->arena);
    if (boot->options.builtin_guest)
        builtin_set_parameters(entry.eip, &boot->acpi, boot->options.pt.way == PT_SWITCH_SOFT);
    log_line("guest: entering at %x, boot_params at %x", entry.eip, entry.esi);
    return entry;
}

/* Runs on each of the other CPUs: enter VMX operation and wait for the guest's SIPI. */
static _Noreturn void run_other_cpu(struct boot_cpu *cpu)
{
    if (boot->leaves_x2apic)
        x2apic_leave();
    tracing_init_cpu(boot, cpu);
    vmx_cpu_run(cpu->vmx_memory, cpu->number, cpu->apic_id, cpu->pt, NULL);
}

/* Returns when all of them wait: the guest may send a SIPI as soon as it runs. */
static void run_other_cpus(void)
{
    uint64_t start = tsc_read(), limit = ENTER_SECONDS_MAX * clock_tsc_hz();
    aps_release(run_other_cpu);
    while (!vmx_cpus_waiting(boot->nr_cpus)) {
        if (tsc_read() - start > limit)
            boot_fail("not all CPUs entered VMX operation within %u seconds", ENTER_SECONDS_MAX);
        __asm__ volatile("pause");
    }
}
