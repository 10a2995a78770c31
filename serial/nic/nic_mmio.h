/*
 * The registers of a card, where its memory BAR is mapped. Shell.
 */
#ifndef SERIAL_NIC_NIC_MMIO_H
#define SERIAL_NIC_NIC_MMIO_H

#include "serial/nic/nic.h"

struct nic_mmio {
    volatile uint8_t *registers;
};

/* mmio stays where it is as long as the result is used. registers: mapped uncacheable. */
struct nic_access nic_mmio_access(struct nic_mmio *mmio, volatile void *registers);

#endif
