/* Counter 0 of the 8254, once for each seed, as an NMI by the I/O APIC: code that has interrupts off is stopped as
 * well. */
#include "machine.h"
#include "random.h"

#define IO_APIC(offset) (*(volatile uint32_t *)(uintptr_t)(0xfec00000u + (offset)))
#define PIN_OF_IRQ_0 2u
#define DELIVERY_NMI 0x400u
#define PIT_CONTROL 0x43
#define COUNTER_0_MODE_0 0x30
#define READ_BACK_STATUS_0 0xe2
#define STATUS_OUT 0x80

uint32_t periods_left;

void watch_prepare(void)
{
    IO_APIC(0) = 0x10 + 2 * PIN_OF_IRQ_0 + 1; /* its redirection entry: to APIC ID 0 */
    IO_APIC(0x10) = 0;
    IO_APIC(0) = 0x10 + 2 * PIN_OF_IRQ_0;
    IO_APIC(0x10) = DELIVERY_NMI;
}

static void count(void)
{
    io_write8(PIT_CONTROL, COUNTER_0_MODE_0);
    io_write8(PIT_COUNTER, 0xff);
    io_write8(PIT_COUNTER, 0xff);
}

void watch_start(uint32_t periods)
{
    periods_left = periods;
    count();
}

bool watch_take(void)
{
    io_write8(PIT_CONTROL, READ_BACK_STATUS_0);
    if (!(io_read8(PIT_COUNTER) & STATUS_OUT))
        return false;
    periods_left--;
    count();
    return true;
}
