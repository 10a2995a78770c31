/* Kind: core, init */
#include "serial/uart/lpss.h"

#define INTEL 0x8086u
#define CLASS_COMMUNICATION 0x0780u /* simple communication controller, other */
#define CLASS_PROCESSING 0x1180u    /* signal processing controller, other */
#define FIELD_MAX 0x7fffu
#define M_AT 1
#define N_AT 16
#define CLOCK_ENABLE 1u
#define CLOCK_UPDATE (1u << 31)
#define RESETS_OFF 7u /* release both resets of the UART, and that of its DMA engine */
#define KIND_MASK 0xf0u
#define KIND_UART 0x10u

enum { CLOCK = 0x200, RESETS = 0x204, REMAP_LOW = 0x240, REMAP_HIGH = 0x244, CAPABILITIES = 0x2fc };

/* Chipsets of Skylake to Comet, Ice and Jasper Lake. All other known ones have 100 MHz. */
static const uint16_t at_120_mhz[] = {0x9d27, 0x9d28, 0x9d66, 0xa127, 0xa128, 0xa166, 0xa2a7, 0xa2a8, 0xa2e6, 0x9da8,
                                      0x9da9, 0x9dc7, 0xa328, 0xa329, 0xa347, 0x02a8, 0x02a9, 0x02c7, 0x06a8, 0x06a9,
                                      0x06c7, 0xa3a7, 0xa3a8, 0xa3e6, 0x34a8, 0x34a9, 0x34c7, 0x4da8, 0x4da9, 0x4dc7};

bool lpss_may_be(uint32_t id, uint32_t class_code)
{
    return (id & 0xffff) == INTEL && (class_code >> 8 == CLASS_PROCESSING || class_code >> 8 == CLASS_COMMUNICATION);
}

uint32_t lpss_input_hz(uint32_t id)
{
    for (unsigned i = 0; i < sizeof at_120_mhz / sizeof at_120_mhz[0]; i++)
        if (at_120_mhz[i] == id >> 16)
            return 120000000;
    return 100000000;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

uint32_t lpss_divider(uint32_t input_hz, uint32_t wanted_hz)
{
    if (wanted_hz == 0 || wanted_hz > input_hz)
        return 0;
    const uint32_t common = common_divisor(input_hz, wanted_hz);
    uint64_t m = wanted_hz / common, n = input_hz / common;

    if (n > FIELD_MAX) { /* approximate with the largest N */
        m = (m * FIELD_MAX + n / 2) / n;
        n = FIELD_MAX;
    }
    return (uint32_t)(m << M_AT | n << N_AT);
}

static void set(const struct register_access *a, uint32_t offset, uint32_t value)
{
    a->write(a->context, offset, 4, value);
}

const char *lpss_start(const struct register_access *access, uint32_t id, uint64_t pa, uint32_t base)
{
    const uint32_t kind = access->read(access->context, CAPABILITIES, 4);
    const uint32_t divider = lpss_divider(lpss_input_hz(id), 16 * base);

    if (kind == 0xffffffff || (kind & KIND_MASK) != KIND_UART)
        return "it is no UART of a chipset's serial controllers (LPSS)";
    if (divider == 0)
        return "its clock is slower than uart.base= asks";
    set(access, RESETS, 0);
    set(access, RESETS, RESETS_OFF);
    set(access, REMAP_LOW, (uint32_t)pa);
    set(access, REMAP_HIGH, (uint32_t)(pa >> 32));
    set(access, CLOCK, divider);
    set(access, CLOCK, divider | CLOCK_ENABLE | CLOCK_UPDATE);
    access->wait_us(access->context, 100);
    return NULL;
}
