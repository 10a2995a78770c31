/*
 * DMA remapping: the ACPI table DMAR, and disabling units that firmware has left enabled. The guest must not use them:
 * its tables would have no mapping for our card, and so block its DMA.
 *
 * Core; registers are accessed through functions. Source: Intel Virtualization Technology for Directed I/O,
 * Architecture Specification 4.1, sections 8.1 (DMAR), 8.3 (DRHD), 8.3.1 (Device Scope), 11.4.4 (Global Command, Global
 * Status), 11.4.8 (Protected Memory Enable).
 */
#ifndef VTD_DMAR_H
#define VTD_DMAR_H

#include <stdbool.h>
#include <stdint.h>

/* Eight-socket servers have about 50. */
#define DMAR_MAX_UNITS 128u

#define DMAR_NO_SLOT 0xffffu

struct dmar {
    uint64_t pa;                       /* of the table; 0: the machine has none */
    bool firmware_opts_in;             /* DMA_CTRL_PLATFORM_OPT_IN_FLAG: the platform expects the OS to remap DMA */
    uint16_t nr_units;                 /* units in the arrays below */
    uint16_t nr_more;                  /* further units in the table, which are ignored */
    uint64_t units[DMAR_MAX_UNITS];    /* physical addresses of their registers */
    uint16_t segments[DMAR_MAX_UNITS]; /* PCI segment of their devices */
    /* bus << 8 | device << 3 of a unit that serves the functions of one device only, named by a path of one step (no
     * bridge in between); else DMAR_NO_SLOT. */
    uint16_t slots[DMAR_MAX_UNITS];
    bool excluded[DMAR_MAX_UNITS]; /* we do not switch it on; dmar_read excludes none */
};

/* Parse a whole DMAR table of size bytes at pa. Parsing ends at the first malformed structure. */
void dmar_read(struct dmar *dmar, const uint8_t *table, uint32_t size, uint64_t pa);

/* Are all units in the arrays, with registers in a page of 4 KBytes below end, and so within the hypervisor's reach? */
bool dmar_is_reachable(const struct dmar *dmar, uint64_t end);

/* Change a table's signature to XMAR, which no OS looks for, and keep its checksum valid. */
void dmar_hide(uint8_t *table);

/* Access to the registers of one unit by byte offset, and a delay. */
struct dmar_access {
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    void (*wait_us)(void *context, uint32_t us);
    void *context;
};

enum dmar_unit {
    DMAR_UNIT_ABSENT,  /* its registers read as all ones */
    DMAR_UNIT_OFF,     /* was off already */
    DMAR_UNIT_STOPPED, /* was on; DMA remapping, interrupt remapping and protected memory are off now */
    DMAR_UNIT_STUCK    /* did not switch off within 100 ms */
};

enum dmar_unit dmar_unit_stop(const struct dmar_access *access);

#endif
