/* Kind: shell, init */
#include "boot/steps.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "boot/machine.h"
#include "boot/memory/image.h"
#include "boot/memory/paging.h"
#include "boot/plan.h"
#include "boot/screen/screen.h"
#include "boot/tracing.h"
#include "boot/vtd/remapping.h"
#include "vmx/host/gdt.h"
#include "vmx/host/idt.h"

_Noreturn void steps_move_image(struct boot_state **at, void (*next)(void))
{
    struct boot_state *boot = *at;
    uint64_t top = memory_map_top(&boot->info.map);
    plan_cpus(boot); /* first: the trace regions need the alignment of the range's start */
    struct boot_state *moved = plan_alloc(boot, sizeof *moved);
    void *image = plan_alloc(boot, moved_bytes());
    boot->image_pa = virt_to_phys(image);
    boot->cr3 = paging_build(&boot->arena, &boot->info.map, top, boot->image_pa);
    if (boot->cr3 == 0)
        boot_fail("our memory range is too small for the page tables");
    *moved = *boot;
    *at = moved;
    image_move(image, image_start, moved_bytes(), moved->cr3, moved->cpus[0].stack_top, next);
}

void steps_moved(const struct boot_state *boot)
{
    screen_remap();
    idt_fill(!boot->firmware_runs);
    paging_set_pat();
    if (boot->firmware_runs)
        gdt_load_without_task(boot->cpus[0].descriptors, 0);
    else
        gdt_load_cpu(boot->cpus[0].descriptors, 0);
}

/* VISIBLE: without VT-d the guest starts in xAPIC mode, as from a BIOS. VISIBLE: where it cannot, it has VT-d without
 * DMA remapping. */
static void hide_remapping(struct boot_state *boot)
{
    if (boot->channel.kind == CHANNEL_NET && boot->x2apic_hold != X2APIC_FREE) {
        boot->filters_vtd = true;
        log_line("VT-d: the guest can remap interrupts, since it has to stay in x2APIC mode, but not DMA, which could "
                 "block our card's");
        return;
    }
    if (!remapping_hide(&boot->acpi.dmar, boot->channel.kind == CHANNEL_NET, boot->vtd.active))
        return;
    boot->leaves_x2apic = true;
    if (x2apic_read().on)
        log_line("x2APIC mode: all CPUs leave it for xAPIC mode, since the guest has no VT-d to remap interrupts");
    x2apic_leave();
}

void steps_prepare(struct boot_state *boot)
{
    struct boot_cpu *first = &boot->cpus[0];

    tracing_open_channel(boot);
    hide_remapping(boot);
    tracing_init_cpu(boot, first);
    if (!boot->no_pt)
        tracing_send_image(boot, first->pt);
    machine_init(boot);
}
