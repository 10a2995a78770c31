/*
 * The PT model's self-test with two processors: INIT and SIPI start the second one; then both trace themselves at once,
 * each with its own tables and PMIs, and send each other interrupts. CPU n writes its trace to COMn+1. check.c compares
 * each with the branches that the model saw.
 */
#include "rom.h"

#include "../../guests/ap.h"

extern char isr_plain[];
void test_main(void);

#define AP_PAGE 0x8000ull
#define AP_STACK 0x7f000ull
#define NR_CPUS 2u
#define TABLES(cpu) (0x200000ull + 0x100000 * (cpu))
#define REGIONS(cpu) (TABLES(cpu) + 0x10000)
#define NR_REGIONS 64u
#define TOPA_INT (1ull << 2)
#define TOPA_STOP (1ull << 4)
#define CTL_ALL 0x250dull /* TraceEn, OS, User, ToPA, TSCEn, BranchEn */
#ifndef CTL_EXTRA
#define CTL_EXTRA 0
#endif
#define VECTOR 0x40u
#define ROUNDS 1000u

static uint64_t idt[2 * ROM_GATES] __attribute__((aligned(16)));
static volatile uint32_t sink[NR_CPUS], nmis[NR_CPUS], interrupts[NR_CPUS], started[NR_CPUS], finished[NR_CPUS];

struct interrupt_frame;

static uint32_t self(void)
{
    return *apic(0x20) >> 24;
}

__attribute__((interrupt)) static void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis[self()]++;
    wrmsr(0x390, 1ull << 55);
    *apic(0x340) = 0x400;
}

__attribute__((interrupt)) static void on_interrupt(struct interrupt_frame *frame)
{
    (void)frame;
    interrupts[self()]++;
    *apic(0xb0) = 0;
}

__attribute__((noinline)) static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void workload(uint32_t cpu)
{
    __asm__ volatile("sti");
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sink[cpu] += fibonacci(8 + (i + cpu) % 5);
        ipi_xapic(1 - cpu, IPI_FIXED | VECTOR);
        while (interrupts[1 - cpu] < i + 1)
            __asm__ volatile("pause");
        if (i % 8 == 0)
            __asm__ volatile("int3");
    }
    while (interrupts[cpu] < ROUNDS)
        __asm__ volatile("hlt");
    __asm__ volatile("cli");
}

static void set_up(uint32_t cpu)
{
    volatile uint64_t *table = (volatile uint64_t *)TABLES(cpu);
    for (uint32_t i = 0; i < NR_REGIONS; i++)
        table[i] = (REGIONS(cpu) + 0x1000 * i) | (i % 3 ? 0 : TOPA_INT);
    table[NR_REGIONS - 1] |= TOPA_STOP;
    wrmsr(0x560, TABLES(cpu));
    wrmsr(0x561, 0);
    wrmsr(0x571, 0);
    *apic(0xf0) = 0x1ff;
    *apic(0x340) = 0x400; /* LVTPC: NMI */
}

static void put(uint16_t port, const void *bytes, uint64_t size)
{
    const uint8_t *byte = bytes;
    while (size-- != 0) {
        while (!(in8(port + 5) & 0x20))
            ;
        out8(port, *byte++);
    }
}

/* Together: neither traces before both are here. */
static void run(uint64_t cpu)
{
    set_up((uint32_t)cpu);
    started[cpu] = 1;
    while (!started[1 - cpu])
        __asm__ volatile("pause");
    wrmsr(0x570, CTL_ALL | CTL_EXTRA);
    workload((uint32_t)cpu);
    wrmsr(0x570, 0);
    finished[cpu] = 1;
}

static void send(uint16_t port, uint32_t cpu)
{
    uint64_t ptrs = rdmsr(0x561);
    out8(port + 3, 3);
    put(port, (const void *)REGIONS(cpu), ((uint32_t)ptrs >> 7) * 0x1000ull + (uint32_t)(ptrs >> 32));
    put(port, "PMIs", 4);
    put(port, (const void *)&nmis[cpu], 4);
}

static void ap_main(uint64_t cpu)
{
    run(cpu);
    send(0x2f8, (uint32_t)cpu);
    started[cpu] = 0;
}

void test_main(void)
{
    rom_gate(idt, 2, on_nmi, 0);
    rom_gate(idt, 3, isr_plain, 0);
    rom_gate(idt, VECTOR, on_interrupt, 0);
    rom_idt_load(idt);
    rom_devices();
    ap_prepare(AP_PAGE, ap_main, 1, AP_STACK);
    ipi_xapic(1, IPI_INIT);
    ipi_xapic(1, IPI_SIPI | AP_PAGE >> 12);
    run(0);
    while (started[1])
        __asm__ volatile("pause");
    while (!(in8(0x2fd) & 0x40))
        ;
    send(0x3f8, 0);
    power_off();
}
