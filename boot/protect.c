#include "boot/protect.h"

#include "boot/dmar_start.h"
#include "boot/dmar_tables.h"
#include "boot/remapping.h"
#include "serial/clock.h"
#include "serial/log.h"

#define PAGE_BYTES 4096u
#define ROUNDING (4ull << 20) /* what others take is rounded up behind protect_bytes */
#define PATIENCE_SECONDS 5u
#define FAULTS_TOLD 8u

_Static_assert(DMAR_MAX_REQUESTERS >= 1 + 2 * PCI_PATH_MAX, "a card, and two requesters of each bridge above it");

/* NULL, or why the units cannot be used; *at is the unit then. */
static const char *read_shape(struct dmar_shape *shape, uint64_t *at, const struct dmar *dmar)
{
    uint64_t capabilities[DMAR_MAX_UNITS];

    *at = 0;
    if (dmar->nr_units == 0)
        return "ACPI names no unit of it";
    if (dmar->nr_more != 0)
        return "ACPI names more units than there is room for, and all must be on";
    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        *at = dmar->units[i];
        if (!remapping_access(&access, dmar->units[i]) || !(capabilities[i] = dmar_unit_capabilities(&access)))
            return "does not answer";
    }
    *at = 0;
    return dmar_shape_of(shape, capabilities, dmar->nr_units);
}

uint64_t protect_bytes(const struct boot_state *boot, uint64_t others)
{
    struct dmar_shape shape;
    uint64_t at;

    if (!boot->options.vtd || (boot->no_vmx && !boot->options.selftest) || read_shape(&shape, &at, &boot->acpi.dmar))
        return 0;
    const uint64_t reach = dmar_reach(&shape, memory_map_top(&boot->info.map));
    const uint64_t first = (uint64_t)PAGE_BYTES * dmar_table_pages(&shape, reach, others + ROUNDING);
    return (uint64_t)PAGE_BYTES * dmar_table_pages(&shape, reach, others + first + ROUNDING);
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
    layout.reach = dmar_reach(&layout.shape, memory_map_top(&boot->info.map));
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
        for (unsigned n = 0;
             n < FAULTS_TOLD && remapping_access(&access, dmar->units[i]) && dmar_unit_fault(&access, &fault); n++) {
            log_line("VT-d: %x:%x.%x was refused to %s %lx (reason %u)", fault.requester >> 8,
                     fault.requester >> 3 & 31, fault.requester & 7, fault.is_read ? "read" : "write", fault.page,
                     fault.reason);
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
        log_line("VT-d: %u units are on", boot->acpi.dmar.nr_units);
        const bool arrived = all_arrives(boot);
        if (!card_is_refused(boot) && arrived)
            return NULL;
        failure = "the card does not get through";
    }
    boot->nr_remapping_stuck = remapping_stop(boot, true);
    return failure;
}

void protect_memory(struct boot_state *boot)
{
    uint64_t at = 0;

    if (!boot->options.vtd)
        return;
    const char *failure = boot->nr_remapping_stuck ? "units stay on" : start(boot, &at);
    boot->remaps = !failure;
    if (!failure)
        log_line("VT-d: devices reach all memory but ours, our card nothing else");
    else if (at)
        log_line("VT-d: vtd=on, but our memory is not protected: the unit at %lx %s", at, failure);
    else
        log_line("VT-d: vtd=on, but our memory is not protected: %s", failure);
    if (failure && !all_arrives(boot))
        log_line("VT-d: the card does not go on behind that: leave vtd=on away");
}
