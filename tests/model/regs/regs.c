/*
 * The register tests' main: sets up the machine, runs tests(), powers off.
 */
#include "regs.h"

extern char fault_stubs[];
void row_died(uint64_t vector, uint64_t ip, uint64_t error_code);
void row_call(void (*function)(void));
void test_main(void);

volatile uint64_t row_fault = NO_FAULT, row_fixup;

static uint64_t idt[2 * ROM_GATES] __attribute__((aligned(16)));

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
    rom_gate(idt, vector, handler, 0);
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

void test_main(void)
{
    for (unsigned vector = 0; vector < 32; vector++)
        gate(vector, fault_stubs + 16 * vector);
    rom_idt_load(idt);
    rom_devices();
    row_call(tests);
    put_text("end\n");
    power_off();
}
