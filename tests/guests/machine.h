/* The machine under a micro-guest: console, interrupts, power. 64-bit mode, one CPU, memory mapped one to one. */
#ifndef TESTS_GUESTS_MACHINE_H
#define TESTS_GUESTS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The guest itself; the machine powers off when it returns. */
void guest_main(const uint8_t *boot_params);

/* Write to COM1, polled. */
void console_text(const char *text);
void console_number(uint64_t number);
/* "text number" and the line's end. */
void console_line(const char *text, uint64_t number);

/* What the processor pushes for an interrupt handler in 64-bit mode. */
struct interrupt_frame {
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Set one gate of the IDT; dpl 3: also for INT n in ring 3. The IDT is loaded at the first call. */
void interrupt_set(uint8_t vector, const void *handler, unsigned dpl);

/* The local APIC's timer, in bus cycles; the 8259s are masked. */
void timer_start(uint8_t vector, uint32_t period);
void timer_stop(void);
void interrupt_end(void);

/* The local APIC's registers, where reset maps them. */
#define APIC(offset) (*(volatile uint32_t *)(uintptr_t)(0xfee00000u + (offset)))

/* Memory that need not begin as zeros: clearing it is slow where a guest is stepped. */
#define NOINIT __attribute__((noinit))

/* Call first: sets COM1 to 115200 baud, 8N1, and finds the power-off port in boot_params' ACPI tables. */
void machine_start(const uint8_t *boot_params);
const char *command_line(const uint8_t *boot_params);
/* Whether name is on the command line; number, where it is not NULL: the decimal number that follows name's first
 * occurrence, unchanged where there is none. */
bool command_line_has(const char *line, const char *name, uint32_t *number);
/* SLP_EN with this SLP_TYP. It may return. */
void machine_sleep(unsigned type);
/* ACPI S5. Called when guest_main returns. */
_Noreturn void machine_power_off(void);
/* Resets by port CF9H (hard) and by the keyboard controller; the exception, and its double fault, find no IDT. */
void machine_reset_cf9(void);
void machine_reset_keyboard(void);
void machine_triple_fault(void);

static inline void io_write8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t io_read8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void io_write32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint32_t io_read32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint64_t msr_get(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void msr_set(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

/* A repeatable sequence: the same branches in each run. */
static inline uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* So many indirect calls, to one of two functions by the random sequence: each is a TIP packet. */
void indirect_calls(uint32_t *state, uint32_t calls);

#endif
