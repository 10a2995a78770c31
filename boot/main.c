/* Kind: shell, init */
/*
 * The story of the boot, from the first C instruction to the guest's. Two acts: before the image moves into the carved
 * range, on the scratch stack, and after.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "boot/channel/tracing.h"
#include "boot/check.h"
#include "boot/guest/builtin.h"
#include "boot/guest/direct.h"
#include "boot/memory/image.h"
#include "boot/memory/paging.h"
#include "boot/memory/plan.h"
#include "boot/screen/screen.h"
#include "boot/selftest/selftest.h"
#include "boot/vtd/remapping.h"
#include "vmx/host/gdt.h"
#include "vmx/host/idt.h"
#include "vtd/watch.h"

#define ENTER_SECONDS 10u /* that the other CPUs may take to enter VMX operation */

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa); /* called by boot/entry.S */

/* In the first act on the scratch stack, then in the carved range. */
static struct boot_state *boot;

/* --- the first act: at 1 MiB ----------------------------------------------------------------------------------------
 */

static _Noreturn void moved_main(void);

static _Noreturn void move_image(void)
{
    uint64_t top = memory_map_top(&boot->info.map);
    plan_cpus(boot); /* first of all: regions are aligned as the carved range is */
    struct boot_state *moved = plan_take(boot, sizeof *moved);
    void *image = plan_take(boot, moved_bytes());
    boot->image_pa = virt_to_phys(image);
    boot->cr3 = paging_build(&boot->arena, &boot->info.map, top, boot->image_pa);
    if (boot->cr3 == 0)
        boot_fail("the carved memory is too small for the page tables");
    *moved = *boot;
    boot = moved;
    image_move(image, image_start, moved_bytes(), boot->cr3, boot->cpus[0].stack_top, moved_main);
}

_Noreturn void boot_main(uint32_t magic, uint32_t info_pa, uint64_t image_pa)
{
    struct boot_state first_act = {0};
    boot = &first_act;
    gdt_load_early();
    check_boot_loader(boot, magic, info_pa);
    if (boot->options.builtin_guest)
        builtin_find(&boot->guest);
    else if (!boot->options.selftest)
        guest_find(&boot->guest, &boot->info);
    check_machine(boot);
    check_options(boot);
    plan_carve(boot, info_pa, image_pa);
    move_image();
}

/* --- the second act: in the carved range ----------------------------------------------------------------------------
 */

/* Each CPU is ours, or none: one outside would see our memory, and the guest can start it. */
static void take_cpus(void)
{
    const struct aps_request request = {.cpus = boot->cpus,
                                        .nr_cpus = boot->nr_cpus,
                                        .cr3 = boot->cr3,
                                        .map = &boot->info.map,
                                        .pt = boot->no_pt || boot->options.pt.way == PT_SWITCH_SOFT ? NULL
                                                                                                    : &boot->cpuid};
    if (aps_start(&request))
        return;
    aps_put_back(boot->cpus, boot->nr_cpus);
    check_refuse_vmx(boot, "not every CPU can be ours");
}

/* ours: the carved range stays ours. */
static struct guest_entry load_guest(bool ours)
{
    struct guest_machine machine = {.map = &boot->info.map,
                                    .carved = boot->carved,
                                    .ours = ours,
                                    .rsdp_pa = acpi_rsdp_locate(&check_acpi_memory, boot->info.rsdp,
                                                                boot->info.rsdp_size, boot->info.efi_system_table)};
    log_line("guest: %s", guest_name(&boot->guest));
    struct guest_entry entry = guest_load(&boot->guest, &boot->info, &machine, &boot->arena);
    if (boot->options.builtin_guest)
        builtin_tell(entry.eip, &boot->acpi, boot->options.pt.way == PT_SWITCH_SOFT);
    log_line("guest entered at %x, boot_params at %x", entry.eip, entry.esi);
    return entry;
}

/* All memory goes to the guest, ours too: nothing of us stays. */
static _Noreturn void start_without_vmx(void)
{
    struct guest_entry entry = load_guest(false);
    direct_enter(entry.spare_page_pa, entry.eip, entry.esi);
}

/* While something is under way, root runs every 10 ms; where nobody takes anything it stays asleep, but for a second's
 * end where units of VT-d are to be looked at (vmx/timer.c: ten times as long). */
static uint64_t poll_tsc(void)
{
    if (!boot->no_pt && boot->channel.kind != CHANNEL_NONE)
        return clock_tsc_hz() / 100;
    return boot->remaps ? clock_tsc_hz() / 10 : 0;
}

/* What all CPUs share. */
static void init_machine(void)
{
    uint64_t top = memory_map_top(&boot->info.map);
    struct vmx_machine machine = {.reserved = boot->carved,
                                  .top_of_memory = top,
                                  .ports = channel_ports(&boot->channel, &boot->acpi),
                                  .code_pages = boot->options.code_pages && !boot->no_pt,
                                  .space_ends = boot->options.space_ends,
                                  .watch_lvtpc = !boot->no_pt && boot->options.pt.way != PT_SWITCH_SOFT,
                                  .watch_ipis = !boot->no_pt && boot->nr_cpus > 1,
                                  .way = boot->no_pt ? PT_SWITCH_ROOT : boot->options.pt.way,
                                  .poll_tsc = poll_tsc(),
                                  .look = boot->remaps ? watch_look : NULL,
                                  .tasks = boot->options.tasks,
                                  .stop_at_triple_fault = boot->options.stop_at_triple_fault,
                                  .trigger = boot->no_pt ? 0 : boot->options.pt.trigger,
                                  .trigger_once = boot->options.pt.trigger_starts,
                                  .nr_ept_pages = boot->nr_ept_pages,
                                  .nr_cpus = (uint16_t)boot->nr_cpus};
    machine.ept_pool = plan_take(boot, 4096ull * machine.nr_ept_pages);
    if (machine.code_pages)
        machine.map_memory = plan_take(boot, vmx_map_memory_size);
    const char *failure = vmx_machine_init(&machine);
    if (failure)
        boot_fail("cannot prepare the machine for the guest: %s", failure);
    /* VISIBLE: one reserved range, here and in UEFI's map (boot/guest/guest.c); and the card's registers, which the
     * guest might give to another device, as it sees nothing there. */
    if (!memory_map_reserve(&boot->info.map, boot->carved) ||
        !memory_map_reserve(&boot->info.map, machine.ports.hidden_mmio))
        boot_fail("the memory map has no room for one reserved range more");
}

/* Each of the other CPUs, on itself: to where it waits for the guest's SIPI. */
static _Noreturn void run_other_cpu(struct boot_cpu *cpu)
{
    tracing_init_cpu(boot, cpu);
    vmx_cpu_run(cpu->vmx_memory, cpu->number, cpu->apic_id, cpu->pt, NULL);
}

/* The guest must not send a SIPI before every one of them waits for it. */
static void run_other_cpus(void)
{
    uint64_t start = tsc_read(), limit = ENTER_SECONDS * clock_tsc_hz();
    aps_release(run_other_cpu);
    while (!vmx_cpus_waiting(boot->nr_cpus)) {
        if (tsc_read() - start > limit)
            boot_fail("not every CPU has entered VMX operation within %u seconds", ENTER_SECONDS);
        __asm__ volatile("pause");
    }
}

static _Noreturn void start_with_vmx(void)
{
    struct boot_cpu *first = &boot->cpus[0];
    tracing_open_channel(boot);
    remapping_hide(boot);
    tracing_init_cpu(boot, first);
    if (!boot->no_pt)
        image_send(first->pt, boot->image_pa, boot->cr3);
    init_machine();
    struct guest_entry loaded = load_guest(true);
    paging_drop_identity(boot->cr3);
    run_other_cpus();
    log_guest_owns_console();
    struct vmx_entry entry = {.eip = loaded.eip, .esi = loaded.esi, .gdt_pa = loaded.spare_page_pa};
    vmx_cpu_run(first->vmx_memory, first->number, first->apic_id, first->pt, &entry);
}

static _Noreturn void moved_main(void)
{
    screen_map_again();
    idt_fill(true);
    paging_set_pat();
    gdt_load_cpu(boot->cpus[0].descriptors, 0);
    if (boot->options.selftest)
        selftest_run(boot);
    if (!boot->no_vmx)
        take_cpus();
    if (boot->no_vmx)
        start_without_vmx();
    start_with_vmx();
}
