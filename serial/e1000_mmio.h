/*
 * The registers of a card of serial/e1000.h, where its BAR 0 stands in the direct map. Shell.
 */
#ifndef SERIAL_E1000_MMIO_H
#define SERIAL_E1000_MMIO_H

#include <stdint.h>

#include "serial/e1000.h"

struct e1000_mmio {
    volatile uint32_t *registers;
    uint64_t tsc_hz;
};

/* mmio stays where it is as long as the result is used. */
struct e1000_access e1000_mmio_access(struct e1000_mmio *mmio, uint64_t bar0_pa, uint64_t tsc_hz);

/* Has the card that firmware left at bar0_pa a link? */
bool e1000_mmio_has_link(uint64_t bar0_pa);

/* Descriptors before index are the card's. Stores to them are visible before this one: x86 keeps stores in order, so
 * the compiler must, too. */
static inline void e1000_give_tx(const struct e1000_mmio *mmio, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    mmio->registers[E1000_TDT / 4] = index;
}

static inline void e1000_give_rx(const struct e1000_mmio *mmio, uint32_t index)
{
    __asm__ volatile("" : : : "memory");
    mmio->registers[E1000_RDT / 4] = index;
}

#endif
