/* Kind: shell */
#include "vmx/host/idt.h"

#include <stdint.h>

#include "vmx/guest/inject.h"
#include "vmx/host/selectors.h"

#define NR_VECTORS 32u
#define STUB_SIZE 16u
#define VECTOR_DF 8u
#define VECTOR_MC 18u

extern const char trap_stubs[]; /* vmx/host/traps.S */

/* SDM Vol. 3A, "64-Bit IDT Gate Descriptors". */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t ist;
    uint8_t type; /* 8EH: present, DPL 0, interrupt gate */
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM: a 64-bit gate has 16 bytes");

static struct gate idt[NR_VECTORS];

static uint8_t idt_ist_of(unsigned vector)
{
    return vector == VECTOR_NMI ? 1 : vector == VECTOR_DF ? 2 : vector == VECTOR_MC ? 3 : 0;
}

void idt_fill(bool with_stacks)
{
    for (unsigned v = 0; v < NR_VECTORS; v++) {
        uint64_t stub = (uint64_t)(uintptr_t)(trap_stubs + STUB_SIZE * v);
        idt[v] = (struct gate){.offset_low = (uint16_t)stub,
                               .selector = GDT_CODE64,
                               .ist = with_stacks ? idt_ist_of(v) : 0,
                               .type = 0x8e,
                               .offset_middle = (uint16_t)(stub >> 16),
                               .offset_high = (uint32_t)(stub >> 32)};
    }
}

void idt_load(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } idtr = {sizeof idt - 1, (uint64_t)(uintptr_t)idt};
    __asm__ volatile("lidt %0" : : "m"(idtr));
}
