/* The registers of a card, where its BAR 0 stands. Shell. */
#include "serial/e1000_mmio.h"

#include "boot/acts.h"
#include "pt/msr.h"
#include "serial/e1000_registers.h"
#include "serial/io.h"
#include "vmx/phys.h"

static uint32_t mmio_read(void *context, uint32_t offset)
{
    const struct e1000_mmio *mmio = context;

    return mmio->registers[offset / 4];
}

static void mmio_write(void *context, uint32_t offset, uint32_t value)
{
    const struct e1000_mmio *mmio = context;

    mmio->registers[offset / 4] = value;
}

static void mmio_wait_us(void *context, uint32_t us)
{
    const struct e1000_mmio *mmio = context;
    const uint64_t start = tsc_read(), ticks = mmio->tsc_hz / 1000000 * us;

    while (tsc_read() - start < ticks)
        io_pause();
}

SECOND_ACT struct e1000_access e1000_mmio_access(struct e1000_mmio *mmio, uint64_t bar0_pa, uint64_t tsc_hz)
{
    *mmio = (struct e1000_mmio){phys_to_virt(bar0_pa), tsc_hz};
    return (struct e1000_access){mmio_read, mmio_write, mmio_wait_us, mmio};
}

SECOND_ACT bool e1000_mmio_has_link(uint64_t bar0_pa)
{
    const volatile uint32_t *registers = phys_to_virt(bar0_pa);
    const uint32_t status = registers[REG_STATUS / 4];

    return status != 0xffffffff && (status & STATUS_LU);
}
