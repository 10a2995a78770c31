/*
 * The register tests' main: sets up the machine, runs tests(), powers off.
 */
#include "regs.h"

extern char fault_stubs[];
void row_died(uint64_t vector, uint64_t ip, uint64_t error_code);
void row_call(void (*function)(void));
void test_main(void);

volatile uint64_t row_fault = NO_FAULT, row_fixup;

static uint64_t idt[512] __attribute__((aligned(16)));

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static void put_char(char c)
{
    while (!(in8(0x3fd) & 0x20))
        ;
    out8(0x3f8, (uint8_t)c);
}

static void put_text(const char *text)
{
    while (*text)
        put_char(*text++);
}

static void put_hex(uint64_t value)
{
    unsigned digits = 1;
    while (digits < 16 && value >> (4 * digits) != 0)
        digits++;
    while (digits-- != 0)
        put_char("0123456789abcdef"[value >> (4 * digits) & 0xf]);
}

static void put_verdict(const char *name, bool good)
{
    put_text(good ? "ok - " : "not ok - ");
    put_text(name);
}

void check(const char *name, bool good)
{
    put_verdict(name, good);
    put_char('\n');
}

void check_n(const char *name, uint64_t n, bool good)
{
    put_verdict(name, good);
    put_char(' ');
    put_hex(n);
    put_char('\n');
}

void check_equal(const char *name, uint64_t is, uint64_t should)
{
    check(name, is == should);
    if (is == should)
        return;
    put_text("  is ");
    put_hex(is);
    put_text(", should be ");
    put_hex(should);
    put_char('\n');
}

void gate(unsigned vector, const void *handler)
{
    uint64_t address = (uint64_t)handler;
    idt[2 * vector] = (address & 0xffff) | 0x18ull << 16 | 0x8e00ull << 32 | (address >> 16 & 0xffff) << 48;
    idt[2 * vector + 1] = address >> 32;
}

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3])
                     : "a"(leaf), "c"(subleaf));
}

void pt_reset(void)
{
    *apic(0x340) = 0x10000;
    wrmsr(MSR_RTIT_CTL, 0);
    wrmsr(MSR_RTIT_STATUS, 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, 0);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0);
    wrmsr(MSR_IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TOPA_PMI);
}

/* A round is one byte of TNT and a TIP of three, whose target has the upper bytes of the last one. */
void trace_bytes(uint32_t nr_bytes)
{
    uint64_t count = nr_bytes / 4;
    __asm__ volatile("1:\tmovl $2f, %%eax\n\t"
                     "jmp *%%rax\n\t"
                     "nop\n"
                     "2:\tdecq %0\n\t"
                     "jnz 1b"
                     : "+r"(count)
                     :
                     : "rax", "memory", "cc");
}

void row_died(uint64_t vector, uint64_t ip, uint64_t error_code)
{
    (void)error_code;
    check_n("no fault of vector", vector, false);
    put_text("  at ");
    put_hex(ip);
    put_char('\n');
}

/* PIIX4: put the power management ports at B000H, then sleep state 0. */
static void power_off(void)
{
    while (!(in8(0x3fd) & 0x40))
        ;
    out32(0xcf8, 0x80000b40);
    out32(0xcfc, 0xb001);
    out32(0xcf8, 0x80000b80);
    out32(0xcfc, 1);
    __asm__ volatile("outw %%ax, %%dx" : : "a"(0x2000), "d"(0xb004));
}

void test_main(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {sizeof(idt) - 1, (uint64_t)idt};
    for (unsigned vector = 0; vector < 32; vector++)
        gate(vector, fault_stubs + 16 * vector);
    __asm__ volatile("lidt %0" : : "m"(pointer));
    wrmsr(0x1b, 0xfee00900);
    *apic(0xf0) = 0x1ff;
    out8(0x21, 0xff);
    out8(0xa1, 0xff);
    out8(0x3fb, 3); /* COM1: 8 bits */
    row_call(tests);
    put_text("end\n");
    power_off();
}
