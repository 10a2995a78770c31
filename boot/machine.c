/* Kind: shell, init */
#include "boot/machine.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "boot/memory/e820.h"
#include "boot/plan.h"
#include "serial/wire/sink_cut.h"
#include "vmx/vmx.h"
#include "vtd/dmar_guest.h"
#include "vtd/watch.h"

_Static_assert(E820_ENTRY_SIZE == VMX_E820_ENTRY_SIZE, "INT 15h, E820h");
_Static_assert(SINK_CUT_CPUS >= VMX_MAX_CPUS, "the wait of each CPU has its place");

/* TSC ticks between polls in root mode: 10 ms with a channel, so that retransmissions and commands make progress.
 * Without one, only remapping units are polled: every second, as vmx/exit/poll.c then waits ten times as long. And the
 * timer is needed where a CPU cannot be kicked (vmx/smp/kick.h). */
static uint64_t poll_tsc(const struct boot_state *boot)
{
    if (!boot->no_pt && boot->channel.kind != CHANNEL_NONE)
        return clock_tsc_hz() / 100;
    if (boot->vtd.active)
        return clock_tsc_hz() / 10;
    return boot->nr_cpus > 1 ? clock_tsc_hz() : 0;
}

static struct vmx_filter filter_of_units(const struct boot_state *boot)
{
    const struct dmar *dmar = &boot->acpi.dmar;

    if (!boot->filters_vtd)
        return (struct vmx_filter){0};
    return (struct vmx_filter){dmar->units, dmar->nr_units, dmar_guest_read, dmar_guest_write};
}

#define INT15_VECTOR_PA (4u * 0x15)

/* A guest that a BIOS could have started asks it for the memory map. The handler is the BIOS's or that of an extension
 * which the BIOS has run. */
static struct vmx_bios bios_of_disk(struct boot_state *boot)
{
    const struct memory_map *map = &boot->info.map;
    const uint8_t *vector = phys_to_virt(INT15_VECTOR_PA);

    if (!boot->guest.disk.sector_pa)
        return (struct vmx_bios){0};
    uint8_t *entries = plan_alloc(boot, (uint64_t)E820_ENTRY_SIZE * map->nr);
    e820_build(entries, map, 0, map->nr);
    const struct vmx_bios bios = {
        .handler = 16u * read16(vector + 2) + read16(vector), .entries = entries, .nr_entries = map->nr};
    if (!bios.handler)
        boot_fail("disk: the BIOS has no handler of INT 15h, in whose memory map to hide our memory");
    return bios;
}

void machine_init(struct boot_state *boot)
{
    uint64_t top = memory_map_top(&boot->info.map);
    struct vmx_machine machine = {.reserved = boot->carved,
                                  .top_of_memory = top,
                                  .ports = channel_ports(&boot->channel, &boot->acpi),
                                  .filter = filter_of_units(boot),
                                  .code_pages = boot->options.code_pages && !boot->no_pt,
                                  .space_ends = boot->options.space_ends,
                                  .watch_lvtpc = !boot->no_pt && boot->options.pt.way != PT_SWITCH_SOFT,
                                  .watch_ipis = !boot->no_pt && boot->nr_cpus > 1,
                                  .way = boot->no_pt ? PT_SWITCH_ROOT : boot->options.pt.way,
                                  .poll_tsc = poll_tsc(boot),
                                  .each_exit = boot->vtd.active ? watch_poll : NULL,
                                  .tasks = boot->options.tasks,
                                  .mitigations = boot->options.mitigations,
                                  .stop_at_triple_fault = boot->options.stop_at_triple_fault,
                                  .trigger = boot->no_pt ? 0 : boot->options.pt.trigger,
                                  .trigger_once = boot->options.pt.trigger_starts,
                                  .code_from_trigger = !boot->no_pt && boot->options.pt.code_from_start,
                                  .first_code = boot->options.first.code,
                                  .nr_ept_pages = boot->nr_ept_pages,
                                  .nr_cpus = (uint16_t)boot->nr_cpus};
    machine.ept_pool = plan_alloc(boot, 4096ull * machine.nr_ept_pages);
    if (machine.code_pages)
        machine.map_memory = plan_alloc(boot, vmx_map_memory_size);
    /* VISIBLE: our memory is one reserved range, here and in UEFI's map (boot/guest/guest.c). So are the registers of
     * the channel's device: the guest does not see the device and could assign the addresses to another one. */
    if (!memory_map_reserve(&boot->info.map, boot->carved) ||
        !memory_map_reserve(&boot->info.map, machine.ports.hidden_mmio))
        boot_fail("the memory map has no room for another reserved range");
    machine.bios = bios_of_disk(boot);
    const char *failure = vmx_machine_init(&machine);
    if (failure)
        boot_fail("cannot prepare the machine for the guest: %s", failure);
}
