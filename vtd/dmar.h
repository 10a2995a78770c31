/*
 * DMA remapping: the table that tells a guest of it, and the units that firmware may have left switched on. A guest
 * that remaps would cut off our card, which it does not know of.
 *
 * Core; registers are reached by functions. Source: Intel Virtualization Technology for Directed I/O, Architecture
 * Specification 4.1, sections 8.1 (DMAR), 8.3 (DRHD), 8.3.1 (Device Scope), 11.4.4 (Global Command, Global Status),
 * 11.4.8 (Protected Memory Enable).
 */
#ifndef VTD_DMAR_H
#define VTD_DMAR_H

#include <stdbool.h>
#include <stdint.h>

/* Servers of eight sockets have some 50. */
#define DMAR_MAX_UNITS 128u

#define DMAR_NO_SLOT 0xffffu

struct dmar {
    uint64_t pa;                       /* of the table; 0: there is none */
    bool firmware_asks;                /* DMA_CTRL_PLATFORM_OPT_IN_FLAG: made for systems that remap DMA */
    uint16_t nr_units;                 /* remapping hardware, as far as there is room for it */
    uint16_t nr_more;                  /* units that the table names besides: nobody looks at them */
    uint64_t units[DMAR_MAX_UNITS];    /* physical addresses of their registers */
    uint16_t segments[DMAR_MAX_UNITS]; /* PCI segments of the devices behind them */
    /* Where all that is behind a unit is functions of one device, on a bus that needs no bridge to be told: bus << 8 |
     * device << 3. Else DMAR_NO_SLOT. */
    uint16_t slots[DMAR_MAX_UNITS];
    bool spared[DMAR_MAX_UNITS]; /* not ours to switch on; dmar_read spares none */
};

/* Read a whole DMAR table, size bytes, that is at pa. What is broken ends it. */
void dmar_read(struct dmar *dmar, const uint8_t *table, uint32_t size, uint64_t pa);

/* Give a table another signature, XMAR, which nobody looks for; its sum stays right. */
void dmar_hide(uint8_t *table);

/* Registers of one unit, by byte offset; and time. */
struct dmar_access {
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    void (*wait_us)(void *context, uint32_t us);
    void *context;
};

enum dmar_unit {
    DMAR_UNIT_ABSENT,  /* nothing answers there */
    DMAR_UNIT_OFF,     /* it was off already */
    DMAR_UNIT_STOPPED, /* it was on, and is off now: translation of DMA and of interrupts, protected memory */
    DMAR_UNIT_STUCK    /* it does not go off within 100 ms */
};

enum dmar_unit dmar_unit_stop(const struct dmar_access *access);

#endif
