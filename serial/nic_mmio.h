/*
 * The registers of a card, where its memory BAR stands in the direct map. Shell.
 */
#ifndef SERIAL_NIC_MMIO_H
#define SERIAL_NIC_MMIO_H

#include "serial/nic.h"

struct nic_mmio {
    volatile uint8_t *registers;
};

/* mmio stays where it is as long as the result is used. bar_pa: mapped uncached. */
struct nic_access nic_mmio_access(struct nic_mmio *mmio, uint64_t bar_pa);

#endif
