/* hostile, strings: INS and OUTS on CONFIG_ADDRESS, which a hypervisor that hides a PCI device watches. */
#include "hostile.h"
#include "machine.h"

#define PAGE 4096u
#define P_RW 3ull
#define BASE (1ull << 40) /* the third entry of the PML4 table */
#define CONFIG_ADDRESS 0xcf8
#define IA32_GS_BASE 0xc0000101u
#define ADDRESS 0x80001800u /* of a register in the configuration space of 0:3.0 */
#define INSB 0x6cu
#define OUTSD 0x6fu
#define NOT_CANONICAL (1ull << 60)
#define DF 0x400ull
#define TF 0x100ull

static uint8_t pages[2][PAGE] __attribute__((aligned(4096))), code[PAGE] __attribute__((aligned(4096)));
static uint64_t pdpt[512] __attribute__((aligned(4096))), directory[512] __attribute__((aligned(4096))),
    table[512] __attribute__((aligned(4096)));
static uint32_t words[8];
static volatile uint32_t faults, protection, traps, resumes;

/* The registers of a string instruction. */
static struct registers {
    uint64_t rsi, rdi, rcx;
} r;

#define STRING(name, instruction)                                                                                      \
    static void name(uint64_t flags)                                                                                   \
    {                                                                                                                  \
        __asm__ volatile("pushfq\n\tpushfq\n\torq %3, (%%rsp)\n\tpopfq\n\t" instruction "\n\tpopfq\n\tcld"             \
                         : "+S"(r.rsi), "+D"(r.rdi), "+c"(r.rcx)                                                       \
                         : "r"(flags), "d"(CONFIG_ADDRESS)                                                             \
                         : "memory", "cc");                                                                            \
    }
STRING(outs, "outsl")
STRING(ins, "insl")
STRING(rep_outs, "rep outsl")
STRING(rep_ins, "rep insl")
STRING(ins_bytes, "rep insb")
STRING(ins_words, "rep insw")
STRING(outs_bytes, "outsb")
STRING(gs_outs, "outsl %%gs:(%%rsi), %%dx")
STRING(narrow_ins, "addr32 rep insl")

static __attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    uint64_t cr2;

    (void)frame;
    __asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
    faults = faults * 100 + (uint32_t)error + 1;
    table[(cr2 - BASE) / PAGE % 2] = (uint64_t)(uintptr_t)pages[(cr2 - BASE) / PAGE % 2] | P_RW;
}

/* The string instruction has no prefix. */
static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    const uint8_t opcode = *(const uint8_t *)(uintptr_t)frame->rip;

    (void)error;
    protection++;
    if (opcode >= INSB && opcode <= OUTSD)
        frame->rip++;
}

static __attribute__((interrupt)) void on_debug(struct interrupt_frame *frame)
{
    traps++;
    resumes += frame->rflags >> 16 & 1; /* RF */
}

static void unmap(void)
{
    for (unsigned page = 0; page < 2; page++) {
        ((volatile uint64_t *)table)[page] = 0;
        __asm__ volatile("invlpg (%0)" : : "r"(BASE + page * PAGE) : "memory");
    }
}

static uint64_t address_of(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

static void set(uint64_t rsi, uint64_t rdi, uint64_t rcx)
{
    r = (struct registers){rsi, rdi, rcx};
}

static void report(const char *name, uint64_t from)
{
    console_text("hostile: ");
    console_text(name);
    console_line("", io_read32(CONFIG_ADDRESS));
    console_line("hostile:  moved", r.rsi - from + r.rdi - from);
    console_line("hostile:  left", r.rcx);
}

static void words_report(void)
{
    for (unsigned i = 0; i < 8; i++)
        console_line("hostile:  word", words[i]);
    for (unsigned i = 0; i < 8; i++)
        words[i] = ADDRESS + 4 * i;
}

static void in_memory(void)
{
    const uint64_t at = address_of(words);

    words_report();
    set(at, at, 9);
    outs(0);
    report("OUTS", at);
    set(at + 8, at + 8, 3);
    rep_outs(0);
    report("REP OUTS", at);
    set(at + 8, at + 8, 2);
    rep_outs(DF);
    report("REP OUTS, downwards", at);
    set(at, at + 16, 0);
    rep_ins(0);
    report("REP INS of none", at);
    set(at, at + 4, 9);
    ins(0);
    report("INS", at);
    set(at, at + 28, 3);
    rep_ins(DF);
    report("REP INS, downwards", at);
    set(at, at, 3);
    ins_bytes(0);
    set(r.rsi, r.rdi + 5, 2);
    ins_words(0);
    report("INS of bytes and of words", at);
    set(at + 1, at, 7);
    outs_bytes(0);
    report("OUTS of a byte", at);
    words_report();
}

static void by_address(void)
{
    const uint64_t at = address_of(words), base = msr_get(IA32_GS_BASE);

    msr_set(IA32_GS_BASE, at);
    set(24, 0, 0);
    gs_outs(0);
    report("OUTS from GS", 0);
    msr_set(IA32_GS_BASE, base);
    set(at, (NOT_CANONICAL | at) + 4, 1ull << 32 | 2);
    narrow_ins(0);
    report("INS with 32-bit addresses", at);
    set(NOT_CANONICAL, NOT_CANONICAL, 0);
    ins(0);
    outs(0);
    report("not canonical", NOT_CANONICAL);
    console_line("hostile:  #GP", protection);
    words_report();
}

static void across_pages(void)
{
    const uint64_t at = BASE + PAGE - 6;

    unmap();
    set(at, at, 3);
    rep_ins(0);
    report("REP INS across absent pages", at);
    unmap();
    set(at, at, 3);
    rep_outs(0);
    report("REP OUTS across absent pages", at);
    console_line("hostile:  #PF", faults);
}

/* MOV EAX, number; RET: its first four bytes are what CONFIG_ADDRESS holds. */
static void into_code(void)
{
    static const uint8_t tail[] = {0, 0xc3};

    for (uint32_t i = 1; i < 4; i++) {
        io_write32(CONFIG_ADDRESS, 0xb8 | i << 8);
        for (uint32_t k = 0; k < sizeof tail; k++)
            ((volatile uint8_t *)code)[4 + k] = tail[k];
        set(0, address_of(code), 1);
        ins(0);
        console_line("hostile:  code", ((uint32_t(*)(void))(uintptr_t)code)());
    }
}

void hostile_strings(void)
{
    uint64_t cr3;

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    interrupt_set(1, (void *)on_debug, 0);
    interrupt_set(13, (void *)on_protection, 0);
    interrupt_set(14, (void *)on_page_fault, 0);
    directory[0] = address_of(table) | P_RW;
    pdpt[0] = address_of(directory) | P_RW;
    ((uint64_t *)(uintptr_t)(cr3 & ~0xfffull))[2] = address_of(pdpt) | P_RW;
    in_memory();
    by_address();
    across_pages();
    into_code();
    set(address_of(words), address_of(words), 3);
    rep_outs(TF);
    console_line("hostile: traps of three elements", traps);
    console_line("hostile: with RF", resumes);
}
