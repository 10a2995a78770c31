/* Kind: shell, init */
/* The registers of a card, where its memory BAR is mapped. Shell. */
#include "serial/nic/nic_mmio.h"

#include "base/clock.h"

static uint32_t mmio_read(void *context, uint32_t offset, unsigned bytes)
{
    const volatile uint8_t *at = ((const struct nic_mmio *)context)->registers + offset;

    return bytes == 1 ? *at : bytes == 2 ? *(const volatile uint16_t *)at : *(const volatile uint32_t *)at;
}

static void mmio_write(void *context, uint32_t offset, unsigned bytes, uint32_t value)
{
    volatile uint8_t *at = ((const struct nic_mmio *)context)->registers + offset;

    if (bytes == 1)
        *at = (uint8_t)value;
    else if (bytes == 2)
        *(volatile uint16_t *)at = (uint16_t)value;
    else
        *(volatile uint32_t *)at = value;
}

static void mmio_wait_us(void *context, uint32_t us)
{
    (void)context;
    clock_wait_us(us);
}

struct nic_access nic_mmio_access(struct nic_mmio *mmio, volatile void *registers)
{
    *mmio = (struct nic_mmio){registers};
    return (struct nic_access){mmio_read, mmio_write, mmio_wait_us, mmio};
}
