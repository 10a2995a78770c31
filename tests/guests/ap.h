/* Start application processors: the page that a SIPI names, and the local APIC's commands. For the guests and for the
 * model's ROMs; memory is mapped one to one. Source: SDM Vol. 3A, "Multiple-Processor (MP) Initialization", "Interrupt
 * Command Register (ICR)". */
#ifndef TESTS_GUESTS_AP_H
#define TESTS_GUESTS_AP_H

#include <stdint.h>

/* ap.S */
struct __attribute__((packed)) ap_params {
    uint64_t entry, argument, stack;
    uint32_t cr0, cr3, cr4, efer;
    uint32_t far_offset;
    uint16_t far_selector, data_selector;
    uint16_t gdt_limit;
    uint64_t gdt_base;
    uint16_t idt_limit;
    uint64_t idt_base;
};
extern const uint8_t ap_begin[], ap_64[], ap_params[], ap_end[];

/* Which command the ICR's low half gives; with a vector in bits 7:0. */
#define IPI_FIXED 0x4000u
#define IPI_NMI 0x4400u
#define IPI_INIT 0x4500u
#define IPI_SIPI 0x4600u
#define IPI_LOGICAL 0x800u
#define IPI_OTHERS 0xc0000u /* all but self */

static inline void ap_copy(uint8_t *to, const uint8_t *from, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        ((volatile uint8_t *)to)[i] = from[i];
}

/* Make the page: a SIPI with vector page / 4096 leads to entry(argument) on the stack. */
static inline void ap_prepare(uint64_t page, void (*entry)(uint64_t), uint64_t argument, uint64_t stack)
{
    struct ap_params p;
    uint64_t cr0, cr3, cr4;
    uint32_t efer, high;
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } gdtr, idtr;
    __asm__ volatile("movq %%cr0, %0\n\tmovq %%cr3, %1\n\tmovq %%cr4, %2" : "=r"(cr0), "=r"(cr3), "=r"(cr4));
    __asm__ volatile("rdmsr" : "=a"(efer), "=d"(high) : "c"(0xc0000080));
    __asm__ volatile("sgdt %0\n\tsidt %1\n\tmovw %%cs, %2\n\tmovw %%ss, %3"
                     : "=m"(gdtr), "=m"(idtr), "=m"(p.far_selector), "=m"(p.data_selector));
    p.entry = (uint64_t)(uintptr_t)entry;
    p.argument = argument;
    p.stack = stack;
    p.cr0 = (uint32_t)cr0;
    p.cr3 = (uint32_t)cr3;
    p.cr4 = (uint32_t)cr4;
    p.efer = efer & ~0x400u; /* LMA comes with CR0.PG */
    p.far_offset = (uint32_t)(page + (uint64_t)(ap_64 - ap_begin));
    p.gdt_limit = gdtr.limit;
    p.gdt_base = gdtr.base;
    p.idt_limit = idtr.limit;
    p.idt_base = idtr.base;
    ap_copy((uint8_t *)(uintptr_t)page, ap_begin, (uint64_t)(ap_end - ap_begin));
    ap_copy((uint8_t *)(uintptr_t)page + (ap_params - ap_begin), (const uint8_t *)&p, sizeof(p));
}

/* xAPIC: the local APIC's page. Waits until it was sent. */
static inline void ipi_xapic(uint32_t apic_id, uint32_t command)
{
    volatile uint32_t *icr = (volatile uint32_t *)(uintptr_t)0xfee00300u;
    icr[4] = apic_id << 24;
    icr[0] = command;
    while (icr[0] & 0x1000)
        __asm__ volatile("pause");
}

static inline void ipi_x2apic(uint32_t apic_id, uint32_t command)
{
    __asm__ volatile("wrmsr" : : "c"(0x830), "a"(command), "d"(apic_id) : "memory");
}

static inline void ap_pause(uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++)
        __asm__ volatile("pause");
}

#endif
