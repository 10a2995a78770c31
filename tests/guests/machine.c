/* The machine under a micro-guest. See machine.h. */
#include "machine.h"

#define COM1 0x3f8

void console_text(const char *text)
{
    for (; *text; text++) {
        while (!(io_read8(COM1 + 5) & 0x20)) /* LSR: transmitter holding register empty */
            ;
        io_write8(COM1, (uint8_t)*text);
    }
}

void console_number(uint64_t number)
{
    char digits[21];
    unsigned at = 20;
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    console_text(&digits[at]);
}

void console_line(const char *text, uint64_t number)
{
    console_text(text);
    console_text(" ");
    console_number(number);
    console_text("\r\n");
}

/* SDM "64-Bit Mode IDT": a gate is 16 bytes. */
struct gate {
    uint16_t offset_low, selector, attributes, offset_middle;
    uint32_t offset_high, reserved;
};
static struct gate idt[256];

void interrupt_set(uint8_t vector, const void *handler, unsigned dpl)
{
    uint64_t address = (uint64_t)(uintptr_t)handler;
    idt[vector] = (struct gate){.offset_low = (uint16_t)address,
                                .selector = 0x10,
                                .attributes = (uint16_t)(0x8e00 | dpl << 13),
                                .offset_middle = (uint16_t)(address >> 16),
                                .offset_high = (uint32_t)(address >> 32)};
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } pointer = {sizeof(idt) - 1, (uint64_t)(uintptr_t)idt};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

/* SDM "Local APIC Register Address Map"; the xAPIC page as reset leaves it. */
#define APIC_EOI APIC(0xb0)
#define APIC_SPURIOUS APIC(0xf0)
#define APIC_TIMER APIC(0x320)
#define APIC_LVTPC APIC(0x340)
#define APIC_INITIAL_COUNT APIC(0x380)
#define APIC_DIVIDE APIC(0x3e0)

void timer_start(uint8_t vector, uint32_t period)
{
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    APIC_SPURIOUS = 0x1ff;
    APIC_LVTPC = 0x10000; /* masked, as in an operating system without PT support */
    APIC_DIVIDE = 0xb;    /* by 1 */
    APIC_TIMER = 0x20000u | vector;
    APIC_INITIAL_COUNT = period;
}

void timer_stop(void)
{
    APIC_TIMER = 0x10000;
    APIC_INITIAL_COUNT = 0;
}

void interrupt_end(void)
{
    APIC_EOI = 0;
}

static uint32_t odd(uint32_t x)
{
    return x * 3 + 1;
}

static uint32_t even(uint32_t x)
{
    return x / 2;
}

void indirect_calls(uint32_t *state, uint32_t calls)
{
    static uint32_t (*const functions[2])(uint32_t) = {even, odd};
    volatile uint32_t sum = 0;
    while (calls-- > 0)
        sum = functions[random_next(state) & 1](sum);
}

static uint16_t pm1a_cnt = 0xb004; /* the emulator's, should there be no FADT */

static uint32_t read32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* ACPI: RSDP.RsdtAddress at 16, and .XsdtAddress at 24 from revision 2 on; FADT.PM1a_CNT_BLK at 64. Addresses are below
 * 4 GiB here. */
static void find_power(const uint8_t *rsdp)
{
    bool extended = rsdp[15] >= 2;
    const uint8_t *root = (const uint8_t *)(uintptr_t)read32(rsdp + (extended ? 24 : 16));
    uint32_t step = extended ? 8 : 4;
    for (uint32_t at = 36; at < read32(root + 4); at += step) {
        const uint8_t *table = (const uint8_t *)(uintptr_t)read32(root + at);
        if (read32(table) == 0x50434146) /* "FACP" */
            pm1a_cnt = (uint16_t)read32(table + 64);
    }
}

/* ACPI, "Finding the RSDP on IA-PC Systems": where a boot loader does not say. */
static const uint8_t *search_rsdp(void)
{
    for (uint32_t at = 0xe0000; at < 0x100000; at += 16) {
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)at;
        if (read32(bytes) == 0x20445352 && read32(bytes + 4) == 0x20525450) /* "RSD PTR " */
            return bytes;
    }
    return NULL;
}

void machine_start(const uint8_t *boot_params)
{
    io_write8(COM1 + 3, 0x80); /* LCR: divisor latch */
    io_write8(COM1, 1);
    io_write8(COM1 + 1, 0);
    io_write8(COM1 + 3, 3);                      /* LCR: 8N1 */
    uint32_t named = read32(boot_params + 0x70); /* boot_params.acpi_rsdp_addr */
    const uint8_t *rsdp = named ? (const uint8_t *)(uintptr_t)named : search_rsdp();
    if (rsdp)
        find_power(rsdp);
    else
        console_text("machine: no RSDP\r\n");
}

const char *command_line(const uint8_t *boot_params)
{
    return (const char *)(uintptr_t)read32(boot_params + 0x228); /* boot_params.hdr.cmd_line_ptr */
}

bool command_line_has(const char *line, const char *name, uint32_t *number)
{
    for (; *line; line++) {
        uint32_t i = 0;
        while (name[i] && line[i] == name[i])
            i++;
        if (name[i])
            continue;
        if (number)
            for (line += i, *number = 0; *line >= '0' && *line <= '9'; line++)
                *number = *number * 10 + (uint32_t)(*line - '0');
        return true;
    }
    return false;
}

void machine_reset_cf9(void)
{
    io_write8(0xcf9, 2);
    io_write8(0xcf9, 6);
}

void machine_reset_keyboard(void)
{
    io_write8(0x64, 0xfe);
}

void machine_triple_fault(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } nothing = {0, 0};
    __asm__ volatile("lidt %0\n\tud2" : : "m"(nothing));
}

void machine_sleep(unsigned type)
{
    __asm__ volatile("outw %0, %1" : : "a"((uint16_t)(0x2000 | type << 10)), "d"(pm1a_cnt));
}

void machine_power_off(void)
{
    machine_sleep(0); /* soft off on the emulators' chipset */
    for (;;)
        __asm__ volatile("cli; hlt");
}
