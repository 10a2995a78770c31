/* Kind: shell, init */
#include "boot/vtd/protect.h"

#include "base/clock.h"
#include "base/log.h"
#include "boot/vtd/remapping.h"
#include "vtd/dmar_choice.h"
#include "vtd/dmar_start.h"
#include "vtd/dmar_tables.h"
#include "vtd/watch.h"

#define PAGE_BYTES 4096u
#define ROUNDING (4ull << 20) /* what others take is rounded up behind protect_bytes */
#define PATIENCE_SECONDS 5u
#define FAULTS_TOLD 8u

_Static_assert(DMAR_MAX_REQUESTERS >= 1 + 2 * PCI_PATH_MAX, "a card, and two requesters of each bridge above it");

/* NULL, or why the units cannot be used; *at is the unit then. */
static const char *read_shape(struct dmar_shape *shape, uint64_t *at, const struct dmar *dmar)
{
    uint64_t capabilities[DMAR_MAX_UNITS];
    unsigned nr = 0;

    *at = 0;
    if (dmar_nr_ours(dmar) == 0)
        return dmar->nr_units ? "no unit is there but the display's" : "ACPI names no unit of it";
    if (dmar->nr_more != 0)
        return "ACPI names more units than there is room for, and all must be on";
    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        *at = dmar->units[i];
        if (dmar->spared[i])
            continue;
        if (!remapping_access(&access, dmar->units[i]) || !(capabilities[nr++] = dmar_unit_capabilities(&access)))
            return "does not answer";
    }
    *at = 0;
    return dmar_shape_of(shape, capabilities, nr);
}

static unsigned address_bits(const struct boot_state *boot)
{
    return boot->cpuid.leaf80000008_eax & 0xff;
}

static uint64_t table_bytes(const struct boot_state *boot, const struct dmar_shape *shape, uint64_t others)
{
    const uint64_t reach = dmar_reach(shape, memory_map_top(&boot->info.map), address_bits(boot));
    const uint64_t first = (uint64_t)PAGE_BYTES * dmar_table_pages(shape, reach, others + ROUNDING);

    return (uint64_t)PAGE_BYTES * dmar_table_pages(shape, reach, others + first + ROUNDING);
}

/* What the self-test tries all the same: that there are units is all it needs. */
static bool tries(const struct boot_state *boot)
{
    return boot->options.selftest && boot->acpi.dmar.nr_units != 0;
}

uint64_t protect_bytes(struct boot_state *boot, uint64_t others)
{
    struct dmar *dmar = &boot->acpi.dmar;
    const bool card = boot->options.channel == CHANNEL_AUTO || boot->options.channel == CHANNEL_NET;
    struct dmar_shape shape;
    uint64_t at;

    boot->vtd = VTD_NOT_TRIED;
    if (boot->options.vtd == VTD_OFF || (boot->no_vmx && !boot->options.selftest))
        return 0;
    if (boot->options.vtd == VTD_AUTO) {
        dmar_spare_displays(dmar, pci_class);
        boot->no_vtd = dmar_choose(dmar, card);
    }
    if ((boot->no_vtd && !tries(boot)) || read_shape(&shape, &at, dmar))
        return 0; /* the channel's card has not been looked for yet: protect_memory says why */
    const uint64_t bytes = table_bytes(boot, &shape, others);
    if (boot->options.vtd == VTD_AUTO && !dmar_affordable(bytes, memory_map_top(&boot->info.map))) {
        boot->no_vtd = "its tables would take more than 64 MiB or 1/256 of memory (vtd=on takes that)";
        boot->vtd = VTD_FAILS;
        return 0;
    }
    return bytes;
}

/* Behind a bridge to conventional PCI a card asks as the bridge, or as the first function of the bus behind it: PCI
 * Express to PCI/PCI-X Bridge Specification 1.0, section 2.3. Only where the bridge is for the card alone. */
static void find_requesters(struct dmar_layout *layout, const struct pci_function *card)
{
    uint16_t behind = (uint16_t)card->place;

    layout->requesters[layout->nr_requesters++] = (uint16_t)card->place;
    for (unsigned i = 0; i < card->path.nr_alone; i++) {
        layout->requesters[layout->nr_requesters++] = behind & 0xff00;
        layout->requesters[layout->nr_requesters++] = behind = card->path.bridges[i];
    }
}

static const char *build(struct dmar_tables *tables, uint64_t *at, struct boot_state *boot)
{
    struct dmar_layout layout = {.ours = boot->carved};
    const char *missing = read_shape(&layout.shape, at, &boot->acpi.dmar);

    if (missing)
        return missing;
    *at = 0;
    layout.reach = dmar_reach(&layout.shape, memory_map_top(&boot->info.map), address_bits(boot));
    if (layout.reach == 0)
        return "memory reaches higher than addresses of its units";
    if (boot->channel.kind == CHANNEL_NET && PCI_SEGMENT_OF(boot->channel.nic.place) != 0)
        return "our card is not on PCI segment 0";
    if (boot->channel.kind == CHANNEL_NET)
        find_requesters(&layout, &boot->channel.nic);
    return dmar_tables_build(tables, &boot->arena, &layout) ? NULL : "too little memory is left for its tables";
}

static const char *start_units(const struct dmar_tables *tables, uint64_t *at, const struct dmar *dmar)
{
    __asm__ volatile("wbinvd" : : : "memory"); /* a unit need not look into caches: ECAP.C */
    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        if (dmar->spared[i])
            continue;
        *at = dmar->units[i];
        const char *failure =
            remapping_access(&access, *at)
                ? dmar_unit_start(&access, dmar->segments[i] == 0 ? tables->root_pa : tables->others_pa)
                : "does not answer";
        if (failure)
            return failure;
    }
    *at = 0;
    return NULL;
}

/* Faults so far: those of others are told. true: one is our card's. */
static bool card_is_refused(const struct boot_state *boot)
{
    const struct dmar *dmar = &boot->acpi.dmar;
    bool refused = false;

    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        struct dmar_fault fault;
        if (dmar->spared[i] || !remapping_access(&access, dmar->units[i]))
            continue;
        for (unsigned n = 0; n < FAULTS_TOLD && dmar_unit_fault(&access, &fault); n++) {
            watch_tell(&fault);
            refused |= boot->channel.kind == CHANNEL_NET && fault.requester == boot->channel.nic.place;
        }
    }
    return refused;
}

/* What was said last is on its way through the units. */
static bool all_arrives(const struct boot_state *boot)
{
    return boot->channel.kind != CHANNEL_NET || sink_drain(boot->channel.sink, PATIENCE_SECONDS * clock_tsc_hz());
}

static const char *start(struct boot_state *boot, uint64_t *at)
{
    struct dmar_tables tables;
    const char *failure = build(&tables, at, boot);

    if (failure)
        return failure;
    failure = start_units(&tables, at, &boot->acpi.dmar);
    if (!failure) {
        log_line("VT-d: %u units are on", dmar_nr_ours(&boot->acpi.dmar));
        const bool arrived = all_arrives(boot);
        if (!card_is_refused(boot) && arrived)
            return NULL;
        failure = "the card does not get through";
    }
    boot->nr_remapping_stuck = remapping_stop(boot, true);
    return failure;
}

static void say_protected(const struct boot_state *boot)
{
    const struct dmar *dmar = &boot->acpi.dmar;

    for (unsigned i = 0; i < dmar->nr_units; i++)
        if (dmar->spared[i])
            log_line("VT-d: the unit at %lx is the display's alone, and stays off (vtd=on switches it on)",
                     dmar->units[i]);
    log_line("VT-d: devices reach all memory but ours, our card nothing else");
}

static void say_failure(const struct boot_state *boot)
{
    const char *wish = boot->options.vtd == VTD_ON ? "vtd=on, but our memory is not protected"
                                                   : "our memory is not protected from devices";

    log_line("VT-d: %s: %s", wish, boot->no_vtd);
}

static void try_units(struct boot_state *boot)
{
    uint64_t at = 0;

    boot->no_vtd = boot->nr_remapping_stuck ? "units stay on" : start(boot, &at);
    boot->remaps = !boot->no_vtd;
    boot->vtd = boot->remaps ? VTD_PROTECTS : VTD_FAILS;
    if (boot->remaps) {
        watch_begin(&(struct watch_units){.dmar = &boot->acpi.dmar,
                                          .access = watch_access,
                                          .ours = boot->carved,
                                          .machine_end = 1ull << address_bits(boot)});
        say_protected(boot);
        return;
    }
    if (at) {
        format_text(boot->vtd_text, sizeof boot->vtd_text, "the unit at %lx %s", at, boot->no_vtd);
        boot->no_vtd = boot->vtd_text;
    }
    say_failure(boot);
    if (!all_arrives(boot))
        log_line("VT-d: the card does not go on behind that: use vtd=off");
}

void protect_memory(struct boot_state *boot)
{
    if (boot->options.vtd == VTD_OFF)
        return;
    if (boot->options.vtd == VTD_AUTO && !boot->no_vtd)
        boot->no_vtd = dmar_choose(&boot->acpi.dmar, boot->channel.kind == CHANNEL_NET);
    if (!boot->no_vtd)
        try_units(boot);
    else if (!tries(boot))
        say_failure(boot);
}

void protect_try(struct boot_state *boot)
{
    const char *no_vtd = boot->no_vtd;

    if (boot->options.vtd == VTD_OFF || boot->vtd != VTD_NOT_TRIED || !tries(boot))
        return;
    log_line("selftest: VT-d: a boot would leave it off, as %s; it is tried now. Where nothing follows, the machine "
             "must do without",
             no_vtd);
    try_units(boot);
    if (boot->vtd == VTD_PROTECTS) {
        boot->vtd = VTD_WORKS;
        boot->no_vtd = no_vtd;
    }
}
