/* Kind: shell, init */
#include "base/mmio.h"

#include "base/clock.h"

static uint32_t mmio_read(void *context, uint32_t offset, unsigned bytes)
{
    const volatile uint8_t *at = ((const struct mmio *)context)->registers + offset;

    return bytes == 1 ? *at : bytes == 2 ? *(const volatile uint16_t *)at : *(const volatile uint32_t *)at;
}

static void mmio_write(void *context, uint32_t offset, unsigned bytes, uint32_t value)
{
    volatile uint8_t *at = ((const struct mmio *)context)->registers + offset;

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

struct register_access mmio_access(struct mmio *mmio, volatile void *registers)
{
    *mmio = (struct mmio){registers};
    return (struct register_access){mmio_read, mmio_write, mmio_wait_us, mmio};
}
