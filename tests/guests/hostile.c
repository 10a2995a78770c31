/*
 * hostile: what a guest can do to a hypervisor by mistake or by intent. Each story ends as on a machine without one.
 *
 * Command line:
 * addresses: page-table entries, fetches and the local APIC's base lead to where there is no memory.
 * hidden: code at addresses that the hypervisor keeps to itself, and one instruction that writes to 32 of its pages.
 * shared: under KVM, MSRs make it write its clock and counters to memory: the guest's and the hypervisor's.
 * speculation: IA32_SPEC_CTRL has a value of the guest's own.
 * strings: INS and OUTS on a port that is watched (hostile_strings.c).
 * cpus=2: one CPU writes and calls a page in a loop; the other one writes a byte of it now and then. How long does it
 * wait?
 */
#include "hostile.h"
#include "ap.h"
#include "machine.h"

#define PAGE 4096u
#define P_RW 3ull
#define LARGE 0x80ull
#define NOWHERE (8ull << 30)      /* above all memory of the test's machine */
#define OUT_OF_REACH (1ull << 44) /* a page there has the same number modulo 2^32 as the one that it is added to */
#define APIC_BASE_ENABLED_BSP 0x900u
#define AP_PAGE 0x8000u
#define WRITES 20u
#define CALLS 200u /* between two writes: the page is executable most of the time */

typedef uint32_t function(void);

static uint8_t code[PAGE] __attribute__((aligned(4096))), contended[PAGE] __attribute__((aligned(4096)));
static uint64_t pdpt[512] __attribute__((aligned(4096))), directory[512] __attribute__((aligned(4096))),
    table[512] __attribute__((aligned(4096)));
static uint8_t ap_stack[16384] __attribute__((aligned(16)));
static volatile uint32_t undefined, protection, page_faults, rounds, stop, stopped;

static uint64_t physical(const void *at)
{
    return (uint64_t)(uintptr_t)at; /* memory is mapped one to one */
}

/* MOV EAX, number; RET */
static function *function_make(uint8_t *page, uint8_t number)
{
    const uint8_t bytes[] = {0xb8, number, 0, 0, 0, 0xc3};

    for (uint32_t i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)page)[i] = bytes[i];
    return (function *)(uintptr_t)page;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

/* A call led to no instruction: return to the caller. */
static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    undefined++;
    frame->rip = *(const uint64_t *)(uintptr_t)frame->rsp;
    frame->rsp += 8;
}

/* WRMSR: continue after it. */
static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    (void)error;
    protection++;
    frame->rip += 2;
}

/* The first page of the table is mapped on demand. */
static __attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    (void)frame;
    (void)error;
    page_faults++;
    ((volatile uint64_t *)table)[0] = physical(code) | P_RW;
}

static void addresses(void)
{
    const uint64_t base = 1ull << 39; /* the second entry of the PML4 table */
    uint64_t cr3, *pml4;
    function *f = function_make(code, 7);

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    pml4 = (uint64_t *)(uintptr_t)(cr3 & ~0xfffull);
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(13, (void *)on_protection, 0);
    interrupt_set(14, (void *)on_page_fault, 0);
    console_line("hostile: code", f());
    for (uint32_t i = 1; i < 16; i++) /* beside the page that faults, and never used */
        table[i] = (OUT_OF_REACH * i + physical(code)) | P_RW;
    directory[0] = physical(table) | P_RW;
    directory[1] = NOWHERE | P_RW | LARGE;
    pdpt[0] = physical(directory) | P_RW;
    pml4[1] = physical(pdpt) | P_RW;
    console_line("hostile: the same, mapped at a fault", ((function *)(uintptr_t)base)());
    for (volatile uint32_t i = 0; i < 200000; i++) /* root mode reads the tables meanwhile */
        ;
    ((function *)(uintptr_t)(base + (2u << 20)))();
    console_line("hostile: undefined instructions", undefined);
    const uint64_t apic = msr_get(0x1b);
    msr_set(0x1b, NOWHERE | APIC_BASE_ENABLED_BSP);
    msr_set(0x1b, apic);
    console_line("hostile: page faults", page_faults);
    console_line("hostile: refused bases of the local APIC", protection);
}

/* --- hidden memory ----------------------------------------------------------------------------------------------- */

#define E820_ENTRIES 0x1e8u /* boot_params */
#define E820_TABLE 0x2d0u
#define E820_RESERVED 2u
#define HIDDEN_LEAST (2u << 20)
#define XCR0_AVX512 0xe7u
#define CR4_OSFXSR_OSXSAVE 0x40200ull

struct __attribute__((packed)) e820_entry {
    uint64_t start, size;
    uint32_t type;
};

/* The largest reserved range in memory is the hypervisor's. */
static uint64_t hidden_start(const uint8_t *boot_params)
{
    const struct e820_entry *entry = (const struct e820_entry *)(const void *)(boot_params + E820_TABLE);

    for (uint32_t i = 0; i < boot_params[E820_ENTRIES]; i++)
        if (entry[i].type == E820_RESERVED && entry[i].size >= HIDDEN_LEAST && entry[i].start < NOWHERE / 4)
            return entry[i].start;
    return 0;
}

/* Each of 16 elements across the boundary of two pages. */
static void scatter(uint64_t to)
{
    static int32_t indices[16] __attribute__((aligned(64)));
    uint64_t cr4;

    for (int32_t i = 0; i < 16; i++)
        indices[i] = i * 2 * (int32_t)PAGE + (int32_t)PAGE - 2;
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_OSFXSR_OSXSAVE));
    __asm__ volatile("xsetbv" : : "a"(XCR0_AVX512), "d"(0), "c"(0));
    __asm__ volatile("kxnorw %%k1, %%k1, %%k1\n\t"
                     "vmovdqa32 %1, %%zmm1\n\t"
                     "vpscatterdd %%zmm1, (%0,%%zmm1,1)%{%%k1%}"
                     :
                     : "r"(to), "m"(indices)
                     : "memory");
}

static uint32_t words_of_ones(uint64_t from, uint64_t bytes)
{
    uint32_t found = 0;

    for (uint64_t at = from; at < from + bytes; at += 4)
        found += *(const volatile uint32_t *)(uintptr_t)at == 0xffffffffu;
    return found;
}

static void hidden(const uint8_t *boot_params)
{
    const uint64_t start = hidden_start(boot_params);

    interrupt_set(6, (void *)on_undefined, 0);
    if (!start)
        return;
    ((function *)(uintptr_t)start)();
    ((function *)(uintptr_t)(start + 0x1234))();
    console_line("hostile: undefined instructions in hidden memory", undefined);
    ((function *)(uintptr_t)0xfee00000u)();
    ((function *)(uintptr_t)0xfee00300u)();
    console_line("hostile: and in the local APIC", undefined);
    console_line("hostile: its version is still there", APIC(0x30) != 0xffffffffu);
    scatter(start + PAGE);
    console_line("hostile: words of ones", words_of_ones(start + PAGE, 32 * PAGE));
}

/* --- pages shared with a hypervisor below ----------------------------------------------------------------------- */

#define MSR_KVM_WALL_CLOCK 0x11u
#define MSR_KVM_WALL_CLOCK_NEW 0x4b564d00u
#define MSR_KVM_SYSTEM_TIME_NEW 0x4b564d01u
#define MSR_KVM_STEAL_TIME 0x4b564d03u
#define ENABLED 1u

static void shared(const uint8_t *boot_params)
{
    static const uint32_t msrs[] = {MSR_KVM_WALL_CLOCK, MSR_KVM_WALL_CLOCK_NEW, MSR_KVM_SYSTEM_TIME_NEW,
                                    MSR_KVM_STEAL_TIME};
    const uint64_t start = hidden_start(boot_params);
    const volatile uint32_t *clock = (const volatile uint32_t *)(const void *)contended;

    interrupt_set(13, (void *)on_protection, 0);
    msr_set(MSR_KVM_SYSTEM_TIME_NEW, physical(contended) | ENABLED);
    console_line("hostile: the page of the guest is written", clock[0] != 0); /* its version: even, and not 0 */
    msr_set(MSR_KVM_SYSTEM_TIME_NEW, 0);
    console_line("hostile: refused addresses of the guest", protection);
    for (uint32_t i = 0; start && i < sizeof msrs / sizeof msrs[0]; i++)
        msr_set(msrs[i], (start + PAGE) | (msrs[i] >= MSR_KVM_SYSTEM_TIME_NEW));
    msr_set(MSR_KVM_SYSTEM_TIME_NEW, (start - 8) | ENABLED); /* its end is in the page above */
    console_line("hostile: refused addresses of the hypervisor", protection);
}

/* --- speculative execution --------------------------------------------------------------------------------------- */

#define IA32_SPEC_CTRL 0x48u
#define SPEC_CTRL_SSBD 4u
#define SPECULATION_EXITS 200u

static void speculation(void)
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < SPECULATION_EXITS; i++) {
        const uint32_t value = i & (SPEC_CTRL_SSBD | 1u); /* IBRS or not */
        uint32_t a = 0, b, c = 0, d;

        msr_set(IA32_SPEC_CTRL, value);
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        same += msr_get(IA32_SPEC_CTRL) == value;
    }
    console_line("hostile: IA32_SPEC_CTRL as it was written", same);
}

/* --- one page, two CPUs ------------------------------------------------------------------------------------------ */

static uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static void ap_main(uint64_t number)
{
    function *f = function_make(contended, 0);

    (void)number;
    while (!stop) {
        const uint8_t value = (uint8_t)rounds;
        uint32_t right = 0;

        ((volatile uint8_t *)contended)[1] = value;
        for (uint32_t i = 0; i < CALLS; i++)
            right += f() == value;
        rounds = rounds + (right == CALLS);
    }
    stopped = 1;
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

static void contend(void)
{
    uint64_t longest = 0;

    ap_prepare(AP_PAGE, ap_main, 1, physical(&ap_stack[sizeof ap_stack]));
    ipi_xapic(1, IPI_INIT);
    ap_pause(300);
    ipi_xapic(1, IPI_SIPI | AP_PAGE >> 12);
    while (rounds < 4)
        __asm__ volatile("pause");
    for (uint32_t i = 0; i < WRITES; i++) {
        const uint64_t start = tsc();

        ((volatile uint8_t *)contended)[2048] = (uint8_t)i;
        const uint64_t ticks = tsc() - start;
        longest = ticks > longest ? ticks : longest;
        ap_pause(1000);
    }
    stop = 1;
    while (!stopped)
        __asm__ volatile("pause");
    console_line("hostile: longest write", longest);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);

    machine_start(boot_params);
    console_text("hostile: start\r\n");
    if (command_line_has(line, "addresses", NULL))
        addresses();
    else if (command_line_has(line, "hidden", NULL))
        hidden(boot_params);
    else if (command_line_has(line, "shared", NULL))
        shared(boot_params);
    else if (command_line_has(line, "speculation", NULL))
        speculation();
    else if (command_line_has(line, "strings", NULL))
        hostile_strings();
    else
        contend();
    console_text("hostile: ok\r\n");
}
