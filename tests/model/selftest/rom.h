/*
 * What the C of the test ROMs shares; the ROM's start is rom.S. For rows/, regs/ and the self-test.
 */
#ifndef SELFTEST_ROM_H
#define SELFTEST_ROM_H

#include <stdint.h>

static inline void wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline volatile uint32_t *apic(uint32_t offset)
{
    return (volatile uint32_t *)(0xfee00000ull + offset);
}

/* An IDT of 256 gates, each of two quadwords. */
#define ROM_GATES 256u

/* An interrupt gate to 64-bit code, selector 18H, which code of that CPL and below may use. */
static inline void rom_gate(uint64_t *idt, unsigned vector, const void *handler, uint64_t cpl)
{
    uint64_t address = (uint64_t)handler;
    idt[2 * vector] =
        (address & 0xffff) | 0x18ull << 16 | (0x8e00ull | cpl << 13) << 32 | (address >> 16 & 0xffff) << 48;
    idt[2 * vector + 1] = address >> 32;
}

static inline void rom_idt_load(const uint64_t *idt)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {16 * ROM_GATES - 1, (uint64_t)idt};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

/* The local APIC on, the 8259s off, COM1 for 8 bits. */
static inline void rom_devices(void)
{
    wrmsr(0x1b, 0xfee00900);
    *apic(0xf0) = 0x1ff;
    out8(0x21, 0xff);
    out8(0xa1, 0xff);
    out8(0x3fb, 3);
}

static inline void put_char(char c)
{
    while (!(in8(0x3fd) & 0x20))
        ;
    out8(0x3f8, (uint8_t)c);
}

static inline void put_text(const char *text)
{
    while (*text)
        put_char(*text++);
}

/* PIIX4: put the power management ports at B000H, then sleep state 0; when COM1 has sent all. */
static inline void power_off(void)
{
    while (!(in8(0x3fd) & 0x40))
        ;
    out32(0xcf8, 0x80000b40);
    out32(0xcfc, 0xb001);
    out32(0xcf8, 0x80000b80);
    out32(0xcfc, 1);
    __asm__ volatile("outw %%ax, %%dx" : : "a"(0x2000), "d"(0xb004));
}

#endif
