/* Kind: shell, init */
#include "boot/tracing.h"

#include "base/log.h"
#include "base/phys.h"
#include "base/trace_clock.h"
#include "boot/hello.h"
#include "boot/memory/image.h"
#include "boot/plan.h"
#include "boot/vtd/remapping.h"
#include "pt/engine.h"

_Static_assert(BOOT_MAX_CPUS <= TRACE_CLOCK_CPUS, "base/trace_clock.h has each CPU");

void tracing_open_channel(struct boot_state *boot)
{
    const bool net = boot->options.channel == CHANNEL_AUTO || boot->options.channel == CHANNEL_NET;

    if (net || (boot->options.vtd == VTD_ON && !boot->x2apic_hold) ||
        (boot->options.selftest && boot->options.vtd != VTD_OFF))
        boot->vtd.nr_stuck = remapping_stop(&boot->acpi.dmar, false);
    channel_open(&boot->channel, &boot->options, &boot->acpi, boot->nr_cpus, &boot->arena);
    uint32_t room = hello_bytes_max(boot->nr_cpus);
    char *text = plan_alloc(boot, room);
    struct hello_facts facts = {.cpuid = &boot->cpuid,
                                .setup = boot->no_pt ? NULL : &boot->setup,
                                .config = &boot->options.pt,
                                .pt = boot->no_pt ? boot->no_pt : "on",
                                .options = boot->info.line,
                                .guest = boot->options.selftest ? "none: selftest" : guest_name(&boot->guest),
                                .guest_line = boot->guest.line ? boot->guest.line : "",
                                .channel = boot->channel.sink->ops->name,
                                .compression = channel_compresses(&boot->channel, &boot->options) ? "lz4" : NULL,
                                .image_base = IMAGE_BASE,
                                .image_pa = boot->image_pa,
                                .image_bytes = image_bytes(),
                                .reserved_start = boot->carved.start,
                                .reserved_end = boot->carved.end,
                                .cpus = boot->cpus,
                                .nr_cpus = boot->nr_cpus};
    uint32_t size = hello_text(text, room, &facts);
    channel_hello(&boot->channel, &boot->options, boot->nr_cpus, text, size, &boot->arena);
    if (boot->channel.kind == CHANNEL_NONE && !boot->channel.none_requested && !boot->no_pt &&
        !boot->options.selftest) {
        boot->no_pt = "no channel";
        log_line("no channel for the trace; the guest boots without tracing");
    }
    log_line("channel %s", boot->channel.sink->ops->name);
    const struct vtd_request vtd = boot_vtd_request(boot);
    protect_memory(&boot->vtd, &vtd);
}

void tracing_init_cpu(const struct boot_state *boot, struct boot_cpu *cpu)
{
    struct pt_options config = boot->options.pt;
    config.enabled = !boot->no_pt && !cpu->no_pt;
    if (boot->channel.kind == CHANNEL_NONE)
        config.flush_ms = 0;
    cpu->pt = pt_engine_init(cpu->pt_memory, virt_to_phys(cpu->pt_memory), cpu->number, &config, cpu->regions,
                             boot->channel.sink);
    pt_options_parser_set(cpu->pt, options_command);
    pt_begin_at(cpu->pt, boot->options.first.trace);
    if (trace_clock_cpus[cpu->number].ahead)
        pt_clock_record(cpu->pt, 0);
}

void tracing_send_image(const struct boot_state *boot, struct pt_engine *pt)
{
    for (const char *va = image_start; va < image_text_end; va += RECORD_PAGE_SIZE) {
        uint64_t offset = (uint64_t)(va - image_start);
        struct record_page page = {.gpa = boot->image_pa + offset,
                                   .gva = IMAGE_BASE + offset,
                                   .cr3 = boot->cr3,
                                   .mode = 64,
                                   .flags = RECORD_PAGE_ROOT,
                                   .size = RECORD_PAGE_SIZE};
        pt_record(pt, RECORD_PAGE, &page, sizeof page, va, RECORD_PAGE_SIZE);
    }
}
