/* Kind: shell, init */
/*
 * The boot as an EFI application, in the order in which it happens. The firmware and what it starts next are the guest.
 *
 * 1. efi_main runs in the copy that boot/efi/entry.S has made. It reads what the firmware's services say about the
 *    machine, allocates the range of memory that becomes ours, and moves there.
 * 2. moved_main runs in that range. It has each of the other CPUs check itself, and opens the channel. Then the other
 *    CPUs enter the guest, at the end of the procedure that the firmware has called there; last this one, which returns
 *    to the firmware. From the first VM entry on we do not call the firmware.
 *
 * Before the channel is opened, a failure returns an error to the firmware, and nothing is changed. Later it parks the
 * CPU, as in any boot.
 */
#include <string.h>

#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "boot/channel/channel_card.h"
#include "boot/check.h"
#include "boot/efi/card.h"
#include "boot/efi/cpus.h"
#include "boot/efi/firmware.h"
#include "boot/efi/gate.h"
#include "boot/efi/gather.h"
#include "boot/efi/hook.h"
#include "boot/efi/load.h"
#include "boot/efi/running.h"
#include "boot/fail.h"
#include "boot/memory/paging.h"
#include "boot/plan.h"
#include "boot/screen/screen.h"
#include "boot/steps.h"
#include "boot/tracing.h"
#include "vmx/host/gdt.h"
#include "vmx/host/idt.h"

_Noreturn void efi_main(uint64_t low_pa, uint64_t image_handle, uint64_t system_table_pa); /* boot/efi/entry.S */

static _Noreturn void moved_main(void);

static struct boot_state *boot; /* on the scratch stack until the image has moved, then in the carved range */

/* --- in the copy -----------------------------------------------------------------------------------------------------
 */

static _Noreturn void fail_end(void)
{
    log_line("nothing was started: correct this and start undertrace.efi again");
    if (boot && boot->carved.end != 0)
        firmware_boot(BOOT_FREE_PAGES, boot->carved.start, (boot->carved.end - boot->carved.start) / EFI_PAGE_SIZE);
    firmware_leave(EFI_ABORTED);
}

static void gather(uint64_t image_handle)
{
    struct efi_area *area = firmware_area();

    const char *too_long = load_options_file(area->line, sizeof area->line / 2, image_handle);
    const size_t from_file = strlen(area->line);
    gather_line(area->line + from_file + (from_file != 0), (uint32_t)(sizeof area->line - from_file - 1), image_handle);
    if (from_file)
        area->line[from_file] = ' ';
    boot->info.line = area->line;
    gather_screen(&boot->info.framebuffer);
    screen_set(&boot->info.framebuffer);
    gather_rsdp(&boot->info);
    check_read_options(boot);
    if (too_long)
        boot_fail("%s: at most %u bytes", too_long, (unsigned)sizeof area->line / 2 - 1);
    const char *why = cpus_list(&boot->firmware_cpus);
    if (why)
        boot_fail("%s", why);
}

/* Options whose boot is another one: Multiboot2's. */
static void refuse_options(void)
{
    if (boot->options.selftest)
        boot_fail("selftest=on: not as an EFI application yet; load undertrace.elf by GRUB's multiboot2 for it");
    if (boot->options.builtin_guest)
        boot_fail("guest=builtin: not as an EFI application yet; load undertrace.elf by GRUB's multiboot2 for it");
}

static void resolve_start(void)
{
    struct options *options = &boot->options;

    if (options->start == START_AUTO)
        options->start = options->code_pages && options->pt.trigger == 0 ? START_EXIT_BOOT_SERVICES : START_NOW;
    if (options->start != START_EXIT_BOOT_SERVICES)
        return;
    options->pt.trigger = hook_pa();
    options->pt.trigger_starts = options->pt.code_from_start = true;
}

/* Between the memory map and the allocation nothing else may call the firmware. */
static void allocate_range(uint64_t low_pa)
{
    struct efi_area *area = firmware_area();
    const char *why = gather_map(&boot->info, &boot->places);

    if (why)
        boot_fail("%s", why);
    plan_carve(boot, 0, low_pa);
    const uint64_t pages = (boot->carved.end - boot->carved.start) / EFI_PAGE_SIZE;
    area->words[0] = boot->carved.start;
    if (firmware_boot(BOOT_ALLOCATE_PAGES, ALLOCATE_ADDRESS, EFI_RESERVED_MEMORY_TYPE, pages,
                      firmware_pa(&area->words[0]))) {
        boot->carved = (struct range){0, 0};
        boot_fail("the firmware does not allocate the memory that its map says is free");
    }
}

_Noreturn void efi_main(uint64_t low_pa, uint64_t image_handle, uint64_t system_table_pa)
{
    struct boot_state on_stack = {.firmware_runs = true, .image_handle = image_handle};

    boot = &on_stack;
    gdt_load_early();
    firmware_set(low_pa, system_table_pa);
    boot_fail_set_end(fail_end);
    gather(image_handle);
    refuse_options();
    check_machine(boot);
    if (boot->no_vmx)
        boot_fail("as an EFI application Undertrace needs VMX on all CPUs");
    check_options(boot);
    resolve_start();
    boot->guest.kernel.version = "what the UEFI firmware starts next";
    allocate_range(low_pa);
    steps_move_image(&boot, moved_main);
}

/* --- in the carved range ---------------------------------------------------------------------------------------------
 */

static void check_cpus(void)
{
    const bool by_soft_pt = boot->options.pt.way == PT_SWITCH_SOFT;

    if (!cpus_check(boot->cpus, boot->nr_cpus, boot->cr3, boot->no_pt || by_soft_pt ? NULL : &boot->cpuid))
        boot_fail("not all CPUs could be taken over");
    const char *why = check_other_cpus(boot);
    if (why)
        boot_fail("%s", why);
}

static void load_next(void)
{
    const struct options *options = &boot->options;
    const uint64_t status =
        options->load_size ? load_image(options->load, options->load_size, boot->image_handle) : EFI_SUCCESS;

    if (status)
        boot_fail("load=: the firmware cannot load this file from the device that undertrace.efi is on (status %lx)",
                  status);
}

/* The guest continues at rip, in the copy. */
static _Noreturn void enter_guest(struct boot_cpu *cpu, const struct vmx_state *state)
{
    const struct vmx_entry entry = {.running = state};

    vmx_cpu_run(cpu->vmx_memory, cpu->number, cpu->apic_id, cpu->pt, &entry);
}

/* On each of the other CPUs. */
static void enter_other_cpu(struct boot_cpu *cpu, const struct efi_context *context)
{
    struct vmx_state state;

    running_read(&state, context, firmware_low_pa(efi_ap_resume), msr_read(IA32_PAT), msr_read(IA32_GS_BASE));
    msr_write(IA32_GS_BASE, 0);
    gdt_load_cpu(cpu->descriptors, cpu->number);
    paging_set_pat();
    tracing_init_cpu(boot, cpu);
    enter_guest(cpu, &state);
}

static _Noreturn void moved_main(void)
{
    struct vmx_state state;

    steps_moved(boot);
    check_cpus();
    load_next();
    boot_fail_set_end(NULL); /* the card is about to write to our memory, which cannot be freed any more */
    channel_card_set_claim(card_claim);
    steps_prepare(boot);
    log_line("guest: %s", guest_name(&boot->guest));
    if (boot->options.start == START_EXIT_BOOT_SERVICES && !boot->no_pt) {
        hook_exit_boot_services();
        log_line("the trace starts at ExitBootServices");
    }
    log_guest_owns_console();
    idt_fill(true);
    if (!cpus_enter(enter_other_cpu))
        boot_fail("not all CPUs entered VMX operation");
    running_read(&state, &firmware_area()->first, firmware_low_pa(efi_resume), firmware_pat(), firmware_gs_base());
    gdt_load_cpu(boot->cpus[0].descriptors, 0);
    paging_drop_identity(boot->cr3);
    enter_guest(&boot->cpus[0], &state);
}
