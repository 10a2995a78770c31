/*
 * vtd=on and vtd=auto: DMA remapping (VT-d) that keeps the guest's devices out of our memory and confines our card to
 * it.
 *
 * With auto, vtd/dmar_choice.h decides whether it is used. Either all units of the machine that are not excluded are
 * switched on, or none: if one fails, or the card cannot reach the receiver any more, all are switched off again, a log
 * line says why, and the boot continues without.
 */
#ifndef BOOT_VTD_PROTECT_H
#define BOOT_VTD_PROTECT_H

#include "base/arena.h"
#include "boot/channel/channel.h"
#include "boot/memory/carve.h"
#include "boot/options/options.h"
#include "boot/vtd/vtd_state.h"
#include "vtd/dmar.h"

struct vtd_request {
    enum vtd_option option;
    enum channel_kind channel_option;
    bool selftest;       /* selftest=on */
    bool no_vmx;         /* the guest boots without the hypervisor */
    bool guest_needs_it; /* the guest has to stay in x2APIC mode, and remaps interrupts */
    struct dmar *dmar;   /* the units; protect_bytes excludes some of them */
    const struct memory_map *map;
    unsigned address_bits;         /* MAXPHYADDR */
    struct range carved;           /* our memory */
    struct arena *arena;           /* for the tables */
    const struct channel *channel; /* not open yet in protect_bytes */
};

/* Bytes that the tables need, 0 if none will be built. others: bytes of everything else in the carved range. Call it
 * before protect_memory. */
uint64_t protect_bytes(struct vtd_state *vtd, const struct vtd_request *request, uint64_t others);

/* Switch remapping on if the options and the machine allow it. DMA of the channel's card continues meanwhile. */
void protect_memory(struct vtd_state *vtd, const struct vtd_request *request);

/* The self-test: where a boot with vtd=auto would leave remapping off, try it nevertheless. This is the self-test's
 * last step, because it might hang the machine. */
void protect_try(struct vtd_state *vtd, const struct vtd_request *request);

#endif
