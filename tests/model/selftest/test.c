/*
 * The PT model's self-test: a bare 64-bit program that turns PT on and does one of everything that makes packets
 * without VMX. It writes the trace to COM1 and powers off. check.c decodes the trace with libipt and compares it with
 * the branches that the model saw.
 */
#include "rom.h"

extern char isr_ud[], isr_plain[], isr_user_exit[], isr_nmi[], isr_timer[], syscall_entry[];
extern char user_code64[], user_code32[];
extern volatile uint32_t timer_ticks, nmis;
void user_enter(uint64_t rip, uint64_t cs);
void far_round(void);
void test_main(void);

#define TOPA_TABLE 0x200000ull
#define REGIONS 0x210000ull /* 16 of 4 KiB, then one of 1 MiB */
#define LAST_REGION 0x300000ull
#define TOPA_INT (1ull << 2)
#define TOPA_END (1ull << 0)
#define SIZE_1M (8ull << 6)

enum {
    RTIT_OUTPUT_BASE = 0x560,
    RTIT_OUTPUT_MASK_PTRS = 0x561,
    RTIT_CTL = 0x570,
    RTIT_STATUS = 0x571,
    RTIT_CR3_MATCH = 0x572
};
enum {
    CTL_TRACE_EN = 1,
    CTL_OS = 1 << 2,
    CTL_USER = 1 << 3,
    CTL_CR3_FILTER = 1 << 7,
    CTL_TOPA = 1 << 8,
    CTL_TSC_EN = 1 << 10,
    CTL_DIS_RETC = 1 << 11,
    CTL_BRANCH_EN = 1 << 13
};
/* More bits of IA32_RTIT_CTL for all parts of the test: run.sh's CTL. */
#ifndef CTL_EXTRA
#define CTL_EXTRA 0
#endif
#define CTL_ALL (CTL_TRACE_EN | CTL_OS | CTL_USER | CTL_TOPA | CTL_TSC_EN | CTL_BRANCH_EN | (uint64_t)CTL_EXTRA)

/* --- what is traced --------------------------------------------------------------------------------------------- */

static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static void deep(uint32_t n) /* more calls than the processor remembers */
{
    if (n != 0)
        deep(n - 1);
    sink = n;
}

__attribute__((noinline)) static void add_one(void)
{
    sink++;
}
__attribute__((noinline)) static void add_two(void)
{
    sink += 2;
}

static void indirect_calls(void)
{
    void (*volatile functions[2])(void) = {add_one, add_two};
    for (uint32_t i = 0; i < 20; i++)
        functions[i % 3 == 0]();
}

/* A return that does not go where its call came from, and a call to the next instruction. */
static void odd_returns(void)
{
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "ret\n\t"
                     "1: call 2f\n\t"
                     "2: popq %%rax\n\t"
                     "call 3f\n\t"
                     "jmp 4f\n\t"
                     "3: leaq 4f(%%rip), %%rax\n\t"
                     "movq %%rax, (%%rsp)\n\t"
                     "ret\n\t"
                     "4: movl $3, %%ecx\n\t"
                     "5: loop 5b\n\t"
                     "jrcxz 6f\n\t"
                     "nop\n\t"
                     "6: cmpl $0, %%ecx\n\t"
                     "movl $3, %%ecx\n\t"
                     "7: cmpl $0, %%ecx\n\t"
                     "loopne 7b\n\t"
                     :
                     :
                     : "rax", "rcx", "memory", "cc");
}

static void faults(void)
{
    __asm__ volatile("ud2\n\tint $0x80\n\tint3\n\tint1\n\tud2" : : : "memory");
}

static void cr3_round(void)
{
    uint64_t cr3;
    __asm__ volatile("movq %%cr3, %0\n\tmovq %0, %%cr3" : "=r"(cr3) : : "memory");
}

/* Wait for timer interrupts, in a loop and inside string instructions. */
static void interrupts(void)
{
    timer_ticks = 0;
    __asm__ volatile("sti");
    *apic(0x320) = 0x20020; /* periodic, vector 20H */
    *apic(0x3e0) = 0xb;
    *apic(0x380) = 3000;
    while (timer_ticks < 8)
        sink++;
    uint64_t count = 40000, from = 0x400000, to = 0x500000;
    __asm__ volatile("rep movsb" : "+c"(count), "+S"(from), "+D"(to) : : "memory");
    count = 20000;
    __asm__ volatile("repe scasb" : "+c"(count), "+D"(to) : "a"(0) : "memory", "cc");
    *apic(0x320) = 0x10000;
    __asm__ volatile("cli");
}

/* A system-management interrupt: the handler is a single RSM, at the address of reset. */
static void smi(void)
{
    *(volatile uint16_t *)0x38000 = 0xaa0f;
    out32(0xcf8, 0x80000b58);
    out32(0xcfc, 0x02000000); /* PIIX4: a write to port B2H is an SMI */
    for (uint32_t i = 0; i < 3; i++)
        out8(0xb2, 1);
}

static void workload(void)
{
    smi();
    sink = fibonacci(17);
    deep(100);
    indirect_calls();
    odd_returns();
    faults();
    cr3_round();
    far_round();
    user_enter((uint64_t)user_code64, 0x3b);
    user_enter((uint64_t)user_code32, 0x2b);
    interrupts();
}

/* --- the machine ------------------------------------------------------------------------------------------------ */

static uint64_t idt[2 * ROM_GATES] __attribute__((aligned(16)));

static void set_up_machine(void)
{
    rom_gate(idt, 1, isr_plain, 3);
    rom_gate(idt, 2, isr_nmi, 3);
    rom_gate(idt, 3, isr_plain, 3);
    rom_gate(idt, 6, isr_ud, 3);
    rom_gate(idt, 0x20, isr_timer, 3);
    rom_gate(idt, 0x80, isr_plain, 3);
    rom_gate(idt, 0x81, isr_user_exit, 3);
    rom_idt_load(idt);
    wrmsr(0xc0000081, 0x2bull << 48 | 0x18ull << 32);
    wrmsr(0xc0000082, (uint64_t)syscall_entry);
    wrmsr(0xc0000084, 0x200);
    rom_devices();
    *apic(0x340) = 0x400; /* LVTPC: NMI */
}

static void set_up_topa(void)
{
    volatile uint64_t *table = (volatile uint64_t *)TOPA_TABLE;
    for (uint32_t i = 0; i < 16; i++)
        table[i] = (REGIONS + 0x1000 * i) | (i % 2 ? TOPA_INT : 0);
    table[16] = LAST_REGION | SIZE_1M;
    table[17] = TOPA_TABLE | TOPA_END;
    wrmsr(RTIT_OUTPUT_BASE, TOPA_TABLE);
    wrmsr(RTIT_OUTPUT_MASK_PTRS, 0);
    wrmsr(RTIT_STATUS, 0);
}

static void uart_write(const void *bytes, uint64_t size)
{
    const char *byte = bytes;
    while (size-- != 0)
        put_char(*byte++);
}

/* Everything up to the output pointer, in the order of the table. */
static void send_trace(void)
{
    uint64_t ptrs = rdmsr(RTIT_OUTPUT_MASK_PTRS);
    uint32_t index = (uint32_t)ptrs >> 7, offset = (uint32_t)(ptrs >> 32);
    for (uint32_t i = 0; i < index; i++)
        uart_write((const void *)(REGIONS + 0x1000 * i), 0x1000);
    uart_write((const void *)(index < 16 ? REGIONS + 0x1000 * index : LAST_REGION), offset);
}

void test_main(void)
{
    set_up_machine();
    set_up_topa();
    wrmsr(RTIT_CTL, CTL_ALL);
    workload();
    wrmsr(RTIT_CTL, 0);
    workload(); /* not traced */
    wrmsr(RTIT_CTL, CTL_ALL | CTL_DIS_RETC);
    workload();
    wrmsr(RTIT_CTL, 0);
    wrmsr(RTIT_CTL, CTL_ALL & ~(uint64_t)CTL_OS);
    workload();
    wrmsr(RTIT_CTL, 0);
    wrmsr(RTIT_STATUS, 0);
    wrmsr(RTIT_CTL, CTL_ALL & ~(uint64_t)CTL_USER);
    workload();
    wrmsr(RTIT_CTL, 0);
    send_trace();
    uart_write("PMIs", 4);
    uart_write((const void *)&nmis, 4);
    power_off();
}
