/* Kind: shell */
#include "base/clock.h"

#include "base/init.h"
#include "base/io.h"
#include "base/msr.h"

#define PIT_CHANNEL_2 0x42
#define PIT_CONTROL 0x43
#define PORT_B 0x61 /* bit 0: gate of channel 2, bit 1: speaker, bit 5: output of channel 2 */
#define PORT_B_GATE 0x01u
#define PORT_B_SPEAKER 0x02u
#define PORT_B_OUTPUT 0x20u
#define PIT_CHANNEL_2_ONE_SHOT 0xb0u /* channel 2, low byte then high byte, mode 0, binary */
#define PIT_HZ 1193182u
#define MEASURE_TICKS 59659u /* 50 ms of PIT_HZ */

/* If the timer is missing or its clock is gated, the output never rises. This limits the wait to about a second. */
#define MEASURE_TRIES 1000000u
#define GUESSED_HZ 2000000000u

/* CPUID leaf 15H: EAX denominator, EBX numerator, ECX the crystal's frequency; any may be 0. SDM "Time Stamp Counter
 * and Core Crystal Clock Information Leaf". */
static uint64_t hz_from_cpuid(void)
{
    struct cpuid_regs leaf;

    if (cpuid_read(0, 0).eax < 0x15) {
        return 0;
    }
    leaf = cpuid_read(0x15, 0);
    return leaf.eax == 0 ? 0 : (uint64_t)leaf.ecx * leaf.ebx / leaf.eax;
}

static uint64_t hz_from_pit(void)
{
    uint8_t saved = io_in8(PORT_B);
    uint64_t start, ticks = 0;

    io_out8(PORT_B, (uint8_t)((saved & ~PORT_B_SPEAKER) | PORT_B_GATE));
    io_out8(PIT_CONTROL, PIT_CHANNEL_2_ONE_SHOT);
    io_out8(PIT_CHANNEL_2, MEASURE_TICKS & 0xff);
    io_out8(PIT_CHANNEL_2, MEASURE_TICKS >> 8);
    start = tsc_read();
    for (uint32_t tries = 0; tries < MEASURE_TRIES; tries++) {
        if ((io_in8(PORT_B) & PORT_B_OUTPUT) != 0) {
            ticks = tsc_read() - start;
            break;
        }
    }
    io_out8(PORT_B, saved);
    return ticks * PIT_HZ / MEASURE_TICKS;
}

/* CPUID leaf 16H: the base frequency in MHz, within a few per cent of the TSC's. SDM "Processor Frequency
 * Information Leaf". */
static uint64_t hz_from_base_frequency(void)
{
    return cpuid_read(0, 0).eax < 0x16 ? 0 : (cpuid_read(0x16, 0).eax & 0xffff) * 1000000ull;
}

uint64_t clock_tsc_hz(void)
{
    static uint64_t hz; /* measured once, so that all callers get the same value */

    if (hz == 0) {
        hz = hz_from_cpuid();
    }
    if (hz == 0) {
        hz = hz_from_pit();
    }
    if (hz == 0) {
        hz = hz_from_base_frequency();
    }
    if (hz == 0) {
        hz = GUESSED_HZ;
    }
    return hz;
}

void clock_wait_us(uint32_t us)
{
    const uint64_t start = tsc_read(), ticks = clock_tsc_hz() * us / 1000000;

    while (tsc_read() - start < ticks) {
        io_pause();
    }
}
