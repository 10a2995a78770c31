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
#define ROUNDING (4ull << 20) /* by which the caller may round up the sum of others and protect_bytes */
#define DRAIN_SECONDS 5u
#define FAULTS_LOGGED 8u

_Static_assert(DMAR_MAX_REQUESTERS >= 1 + 2 * PCI_PATH_MAX, "a card, and two requester IDs for each bridge above it");

/* NULL, or why the units cannot be used; *at is then the unit's address, 0 if the reason concerns all. */
static const char *read_shape(struct dmar_shape *shape, uint64_t *at, const struct dmar *dmar)
{
    uint64_t capabilities[DMAR_MAX_UNITS];
    unsigned nr = 0;

    *at = 0;
    if (dmar_nr_managed(dmar) == 0)
        return dmar->nr_units ? "the only unit is the display's" : "ACPI lists no remapping unit";
    if (dmar->nr_more != 0)
        return "ACPI lists more units than are supported, and all would have to be on";
    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        *at = dmar->units[i];
        if (dmar->excluded[i])
            continue;
        if (!remapping_access(&access, dmar->units[i]) || !(capabilities[nr++] = dmar_unit_capabilities(&access)))
            return "does not answer";
    }
    *at = 0;
    return dmar_shape_of(shape, capabilities, nr);
}

static uint64_t table_bytes(const struct vtd_request *request, const struct dmar_shape *shape, uint64_t others)
{
    const uint64_t reach = dmar_reach(shape, memory_map_top(request->map), request->address_bits);
    const uint64_t first = (uint64_t)PAGE_BYTES * dmar_table_pages(shape, reach, others + ROUNDING);

    return (uint64_t)PAGE_BYTES * dmar_table_pages(shape, reach, others + first + ROUNDING);
}

/* Does the self-test try the units even if a boot would not use them? */
static bool tries(const struct vtd_request *request)
{
    return request->selftest && request->dmar->nr_units != 0;
}

uint64_t protect_bytes(struct vtd_state *vtd, const struct vtd_request *request, uint64_t others)
{
    const bool card = request->channel_option == CHANNEL_AUTO || request->channel_option == CHANNEL_NET;
    struct dmar_shape shape;
    uint64_t at;

    vtd->outcome = VTD_NOT_TRIED;
    if (request->option == VTD_OFF || (request->no_vmx && !request->selftest))
        return 0;
    if (request->option == VTD_AUTO) {
        dmar_exclude_displays(request->dmar, pci_class);
        vtd->why_off = dmar_auto_objection(request->dmar, card);
    }
    if (request->guest_needs_it)
        vtd->why_off = "the guest needs it, since it has to stay in x2APIC mode";
    if ((vtd->why_off && !tries(request)) || read_shape(&shape, &at, request->dmar))
        return 0; /* protect_memory logs the reason, once the channel is open */
    const uint64_t bytes = table_bytes(request, &shape, others);
    if (request->option == VTD_AUTO && !dmar_affordable(bytes, memory_map_top(request->map))) {
        vtd->why_off = "its tables would need more than 64 MiB or 1/256 of memory (vtd=on allows that)";
        vtd->outcome = VTD_FAILED;
        return 0;
    }
    return bytes;
}

/* Below a bridge to conventional PCI, a card's requests carry the requester ID of the bridge or of function 0 on the
 * bridge's secondary bus: PCI Express to PCI/PCI-X Bridge Specification 1.0, section 2.3. Bridges that lead to other
 * devices as well are left out. */
static void find_requesters(struct dmar_layout *layout, const struct pci_function *card)
{
    uint16_t below = (uint16_t)card->sbdf;

    layout->requesters[layout->nr_requesters++] = (uint16_t)card->sbdf;
    for (unsigned i = 0; i < card->path.nr_exclusive; i++) {
        layout->requesters[layout->nr_requesters++] = below & 0xff00;
        layout->requesters[layout->nr_requesters++] = below = card->path.bridges[i];
    }
}

static const char *build(struct dmar_tables *tables, uint64_t *at, const struct vtd_request *request)
{
    const struct channel *channel = request->channel;
    struct dmar_layout layout = {.ours = request->carved};
    const char *missing = read_shape(&layout.shape, at, request->dmar);

    if (missing)
        return missing;
    *at = 0;
    layout.reach = dmar_reach(&layout.shape, memory_map_top(request->map), request->address_bits);
    if (layout.reach == 0)
        return "memory ends above the highest address of its units";
    if (channel->kind == CHANNEL_NET && PCI_SEGMENT_OF(channel->nic.sbdf) != 0)
        return "our card is not on PCI segment 0";
    if (channel->kind == CHANNEL_NET)
        find_requesters(&layout, &channel->nic);
    return dmar_tables_build(tables, request->arena, &layout) ? NULL : "too little memory is left for its tables";
}

static const char *start_units(const struct dmar_tables *tables, uint64_t *at, const struct dmar *dmar)
{
    __asm__ volatile("wbinvd" : : : "memory"); /* a unit need not snoop caches: ECAP.C */
    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        if (dmar->excluded[i])
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

/* Log the faults recorded so far. true: one of them is our card's. */
static bool card_is_refused(const struct vtd_request *request)
{
    const struct channel *channel = request->channel;
    const struct dmar *dmar = request->dmar;
    bool refused = false;

    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        struct dmar_fault fault;
        if (dmar->excluded[i] || !remapping_access(&access, dmar->units[i]))
            continue;
        for (unsigned n = 0; n < FAULTS_LOGGED && dmar_unit_fault(&access, &fault); n++) {
            watch_log_fault(&fault);
            refused |= channel->kind == CHANNEL_NET && fault.requester == channel->nic.sbdf;
        }
    }
    return refused;
}

/* Does the receiver acknowledge what was sent last, which the card has read through the units? */
static bool all_arrives(const struct channel *channel)
{
    return channel->kind != CHANNEL_NET || sink_drain(channel->sink, DRAIN_SECONDS * clock_tsc_hz());
}

/* NULL, or why the units are off again. */
static const char *start(struct vtd_state *vtd, uint64_t *at, const struct vtd_request *request)
{
    struct dmar_tables tables;
    const char *failure = build(&tables, at, request);

    if (failure)
        return failure;
    failure = start_units(&tables, at, request->dmar);
    if (!failure) {
        log_line("VT-d: switched on %u of %u units", dmar_nr_managed(request->dmar), request->dmar->nr_units);
        const bool arrived = all_arrives(request->channel);
        if (!card_is_refused(request) && arrived)
            return NULL;
        failure = "the card cannot reach the receiver through it";
    }
    vtd->nr_stuck = remapping_stop(request->dmar, true);
    return failure;
}

static void log_protected(const struct dmar *dmar)
{
    for (unsigned i = 0; i < dmar->nr_units; i++)
        if (dmar->excluded[i])
            log_line("VT-d: the unit at %lx, which serves only the display, stays off (vtd=on switches it on)",
                     dmar->units[i]);
    log_line("VT-d: devices can access all memory except ours; our card can access only ours");
}

static void log_failure(const struct vtd_state *vtd, const struct vtd_request *request)
{
    const char *option = request->option == VTD_ON ? "vtd=on, but our memory is not protected"
                                                   : "our memory is not protected from devices";

    log_line("VT-d: %s: %s", option, vtd->why_off);
}

static void try_units(struct vtd_state *vtd, const struct vtd_request *request)
{
    uint64_t at = 0;

    vtd->why_off = vtd->nr_stuck ? "some units cannot be switched off" : start(vtd, &at, request);
    vtd->active = !vtd->why_off;
    vtd->outcome = vtd->active ? VTD_PROTECTS : VTD_FAILED;
    if (vtd->active) {
        watch_begin(&(struct watch_units){.dmar = request->dmar,
                                          .access = watch_access,
                                          .ours = request->carved,
                                          .machine_end = 1ull << request->address_bits});
        log_protected(request->dmar);
        return;
    }
    if (at) {
        format_text(vtd->why_off_text, sizeof vtd->why_off_text, "the unit at %lx %s", at, vtd->why_off);
        vtd->why_off = vtd->why_off_text;
    }
    log_failure(vtd, request);
    if (!all_arrives(request->channel))
        log_line("VT-d: the card does not work any more, although the units are off again: use vtd=off");
}

void protect_memory(struct vtd_state *vtd, const struct vtd_request *request)
{
    if (request->option == VTD_OFF)
        return;
    if (request->option == VTD_AUTO && !vtd->why_off)
        vtd->why_off = dmar_auto_objection(request->dmar, request->channel->kind == CHANNEL_NET);
    if (!vtd->why_off)
        try_units(vtd, request);
    else if (!tries(request))
        log_failure(vtd, request);
}

void protect_try(struct vtd_state *vtd, const struct vtd_request *request)
{
    const char *why_off = vtd->why_off;

    if (request->option == VTD_OFF || vtd->outcome != VTD_NOT_TRIED || !tries(request))
        return;
    log_line("selftest: VT-d: a boot would leave it off: %s; the self-test tries it now. If this is the last line, the "
             "machine cannot use it: give vtd=off",
             why_off);
    try_units(vtd, request);
    if (vtd->outcome == VTD_PROTECTS) {
        vtd->outcome = VTD_WORKS;
        vtd->why_off = why_off;
    }
}
