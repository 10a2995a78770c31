/* Kind: shell */
#include "vmx/host/gdt.h"

#include "vmx/host/idt.h"

/* SDM Vol. 3A, "64-Bit TSS". */
struct __attribute__((packed)) tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map_base;
};
_Static_assert(sizeof(struct tss) == 104, "SDM: a 64-bit TSS has 104 bytes");

struct cpu_descriptors {
    uint64_t gdt[GDT_NR_ENTRIES];
    struct tss tss;
    uint16_t number;
    uint8_t padding[4096 - GDT_NR_ENTRIES * 8 - sizeof(struct tss) - sizeof(uint16_t)];
    uint8_t stacks[3][TRAP_STACK_SIZE];
};
_Static_assert(sizeof(struct cpu_descriptors) == GDT_CPU_SIZE, "GDT_CPU_SIZE in vmx/host/gdt.h");

struct __attribute__((packed)) table_register {
    uint16_t limit;
    uint64_t base;
};

/* SDM Vol. 3A, "Segment Descriptors": present, DPL 0, accessed, flat. */
#define CODE64_DESCRIPTOR 0x00af9b000000ffff
#define DATA_DESCRIPTOR 0x00cf93000000ffff
#define CODE32_DESCRIPTOR 0x00cf9b000000ffff

static uint64_t early_gdt[GDT_NR_ENTRIES];

void gdt_fill(uint64_t *gdt)
{
    gdt[0] = 0;
    gdt[GDT_CODE64 / 8] = CODE64_DESCRIPTOR;
    gdt[GDT_DATA / 8] = DATA_DESCRIPTOR;
    gdt[GDT_CODE32 / 8] = CODE32_DESCRIPTOR;
}

static void gdt_load(const uint64_t *gdt)
{
    struct table_register gdtr = {GDT_NR_ENTRIES * 8 - 1, (uint64_t)(uintptr_t)gdt};
    __asm__ volatile("lgdt %0\n\t"
                     "pushq %q1\n\t"
                     "lea 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmov %2, %%ds\n\t"
                     "mov %2, %%es\n\t"
                     "mov %2, %%ss\n\t"
                     :
                     : "m"(gdtr), "i"(GDT_CODE64), "r"(GDT_DATA)
                     : "rax", "memory");
}

void gdt_load_early(void)
{
    gdt_fill(early_gdt);
    gdt_load(early_gdt);
    idt_fill(false);
    idt_load();
}

uint16_t gdt_cpu_number(void)
{
    struct table_register gdtr;
    __asm__ volatile("sgdt %0" : "=m"(gdtr));
    const struct cpu_descriptors *cpu = (const struct cpu_descriptors *)(uintptr_t)gdtr.base;
    return cpu->gdt == early_gdt ? 0 : cpu->number;
}

void gdt_load_without_task(void *memory, uint16_t number)
{
    struct cpu_descriptors *cpu = memory;
    uint64_t base = (uint64_t)(uintptr_t)&cpu->tss;
    uint64_t limit = sizeof cpu->tss - 1;

    for (int i = 0; i < 3; i++)
        cpu->tss.ist[i] = (uint64_t)(uintptr_t)(cpu->stacks[i] + TRAP_STACK_SIZE);
    cpu->number = number;
    cpu->tss.io_map_base = sizeof cpu->tss;
    gdt_fill(cpu->gdt);
    /* SDM Vol. 3A, "TSS Descriptor in 64-bit mode": type 9, available. */
    cpu->gdt[GDT_TSS / 8] = limit | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24 & 0xff) << 56;
    cpu->gdt[GDT_TSS / 8 + 1] = base >> 32;
    gdt_load(cpu->gdt);
    idt_load();
}

void gdt_load_cpu(void *memory, uint16_t number)
{
    gdt_load_without_task(memory, number);
    __asm__ volatile("ltr %w0" : : "r"(GDT_TSS) : "memory");
}
