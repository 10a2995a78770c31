/* Access to a device's memory-mapped registers. */
#ifndef BASE_MMIO_H
#define BASE_MMIO_H

#include "base/register_access.h"

struct mmio {
    volatile uint8_t *registers;
};

/* registers: the device's memory BAR, mapped uncacheable. The result refers to *mmio, which must live as long. */
struct register_access mmio_access(struct mmio *mmio, volatile void *registers);

#endif
