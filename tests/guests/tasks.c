/*
 * tasks: task switches by hardware in 32-bit protected mode, with 32-bit and with PAE paging: by CALL, JMP, IRET and
 * task gates, to 32- and 16-bit TSSs, to ring 3 and virtual-8086 mode, and each way in which one can fail. What tasks
 * see, and what becomes of their TSSs, descriptors and page tables, goes into a sum, which is the same wherever this
 * runs.
 *
 * Command line: "all": print a sum for each story.
 */
#include "tasks.h"

#include "machine.h"

#define PAGE 4096u
#define BASE 0x1000000u /* where guests are linked; from here on there are page tables */
#define V86_AT 0x9000u
#define EFLAGS_RF 0x10000u
#define EFLAGS_V86 0x23002u /* IOPL 3 */

#define P 1u
#define RW 2u
#define US 4u
#define PS 0x80u

#define PAGES 48u /* that the guest consists of */

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

static uint64_t gdt[PAGE / 8] __attribute__((aligned(PAGE)));
static uint64_t ldt[PAGE / 8] __attribute__((aligned(PAGE)));
static uint64_t idt[256] __attribute__((aligned(PAGE)));
uint8_t tss_page[2 * PAGE] __attribute__((aligned(PAGE)));
uint8_t stacks32[(2 * NR_TSS + 1) * STACK_BYTES] __attribute__((aligned(PAGE)));
extern const struct pointer task_gdt, task_idt;
const struct pointer task_gdt = {8 * NR_DESCRIPTORS - 1, (uint64_t)(uintptr_t)gdt};
const struct pointer task_idt = {sizeof idt - 1, (uint64_t)(uintptr_t)idt};
uint32_t task_log[LOG_ENTRIES], task_logged;

static bool print_all;
static uint32_t sum, stories;

static uint32_t at(const void *memory)
{
    return (uint32_t)(uintptr_t)memory;
}

/* --- paging: two spaces of each kind, one to one --- */

static uint32_t directories[2][1024] __attribute__((aligned(PAGE)));
static uint32_t tables[2][1024] __attribute__((aligned(PAGE)));
static uint64_t pointers[2][4] __attribute__((aligned(32)));
static uint64_t wide_directories[2][4][512] __attribute__((aligned(PAGE)));
static uint64_t wide_tables[2][512] __attribute__((aligned(PAGE)));

static void spaces_make(void)
{
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < 1024; i++) {
            directories[s][i] = i << 22 | PS | P | RW | US;
            tables[s][i] = (BASE + i * PAGE) | P | RW | US;
        }
        directories[s][BASE >> 22] = at(tables[s]) | P | RW | US;
        for (uint32_t i = 0; i < 4 * 512; i++)
            wide_directories[s][i / 512][i % 512] = (uint64_t)i << 21 | PS | P | RW | US;
        for (uint32_t i = 0; i < 512; i++)
            wide_tables[s][i] = (BASE + i * PAGE) | P | RW | US;
        wide_directories[s][0][BASE >> 21] = at(wide_tables[s]) | P | RW | US;
        for (uint32_t i = 0; i < 4; i++)
            pointers[s][i] = at(wide_directories[s][i]) | P;
    }
}

/* As they were, all that the stories change: accessed and dirty flags too. */
static void pages_reset(void)
{
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < PAGES; i++) {
            tables[s][i] = (BASE + i * PAGE) | P | RW | US;
            wide_tables[s][i] = (BASE + i * PAGE) | P | RW | US;
        }
}

static bool pae;

static uint32_t cr3_of(uint32_t space)
{
    return pae ? at(pointers[space]) : at(directories[space]);
}

/* Change the first space's entry of a page. */
static void page_rights(const void *page, uint32_t clear)
{
    const uint32_t i = (at(page) - BASE) / PAGE;
    tables[0][i] &= ~clear;
    wide_tables[0][i] &= ~(uint64_t)clear;
}

/* --- descriptors --- */

static uint64_t descriptor(uint32_t base, uint32_t limit, uint32_t rights)
{
    return (limit & 0xffff) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)rights << 40 |
           (uint64_t)(limit >> 16) << 48 | (uint64_t)(base >> 24) << 56;
}

static uint32_t *tss_of(uint32_t selector)
{
    return (uint32_t *)(void *)(tss_page + (selector - FIRST_TSS) / 8 * TSS_BYTES);
}

static uint32_t stack_of(uint32_t selector)
{
    return at(stacks32) + ((selector - FIRST_TSS) / 8 + 1) * STACK_BYTES;
}

static void tss_make(uint32_t selector, const uint8_t *entry)
{
    uint32_t *tss = tss_of(selector);
    const uint32_t number = (selector - FIRST_TSS) / 8;
    for (uint32_t i = 0; i < TSS_BYTES / 4; i++)
        tss[i] = 0;
    for (uint32_t i = 10; i < 18; i++) /* EAX to EDI */
        tss[i] = selector << 24 | i << 16 | 0xabcd;
    tss[1] = stack_of(selector) + NR_TSS * STACK_BYTES; /* ESP0 */
    tss[2] = DATA;
    tss[7] = cr3_of(number % 2);
    tss[8] = at(entry);
    tss[9] = 2 | (number & 1) << 11; /* OF */
    tss[14] = stack_of(selector);
    for (uint32_t i = 18; i < 24; i++)
        tss[i] = i == 19 ? CODE32 : i >= 22 ? 0 : DATA;
    tss[24] = number & 1 ? SOME_LDT : 0;
    gdt[selector / 8] = descriptor(at(tss), 0x67, 0x89);
}

static void narrow_make(uint32_t selector, const uint8_t *entry)
{
    uint16_t *tss = (uint16_t *)tss_of(selector);
    for (uint32_t i = 0; i < TSS_BYTES / 2; i++)
        tss[i] = 0;
    tss[7] = (uint16_t)(entry - code16);
    tss[8] = 2;
    for (uint32_t i = 9; i < 17; i++)
        tss[i] = (uint16_t)(selector << 8 | i);
    tss[13] = (uint16_t)(stack_of(selector) - at(stacks32));
    tss[17] = tss[20] = DATA;
    tss[18] = CODE16;
    tss[19] = STACK16;
    tss[21] = SOME_LDT;
    gdt[selector / 8] = descriptor(at(tss), 0x2b, 0x81);
}

static void tasks_make(void)
{
    tss_make(TSS_MAIN, 0);
    tss_make(TSS_CALLED, task_called);
    tss_make(TSS_JUMPED, task_jumped);
    tss_make(TSS_EVENT, task_event);
    tss_make(TSS_ERROR, task_error);
    narrow_make(TSS_NARROW, task_narrow);
    narrow_make(TSS_NARROW_ERROR, task_narrow_error);
    tss_make(TSS_TRAPPED, task_trapped);
    tss_make(TSS_USER, task_user);
    tss_make(TSS_V86, 0);
    tss_make(TSS_DOUBLE, task_double);
    tss_make(TSS_END, 0);
    tss_of(TSS_TRAPPED)[25] = 1; /* T */
    uint32_t *user = tss_of(TSS_USER), *v86 = tss_of(TSS_V86);
    user[18] = user[20] = user[21] = DATA3;
    user[19] = CODE3;
    v86[9] = EFLAGS_V86;
    for (uint32_t i = 18; i < 24; i++)
        v86[i] = i == 19 ? 0 : i;
    v86[8] = V86_AT;
    v86[14] = 0x800; /* nothing is pushed there */
}

static void gdt_make(void)
{
    gdt[CODE32 / 8] = 0x00cf9a000000ffff; /* not accessed yet */
    gdt[CODE64 / 8] = 0x00af9a000000ffff;
    gdt[DATA / 8] = 0x00cf92000000ffff;
    gdt[DATA3 / 8] = 0x00cff2000000ffff;
    gdt[CODE3 / 8] = 0x00cffa000000ffff;
    gdt[CODE16 / 8] = descriptor(at(code16), 0xffff, 0x9a);
    gdt[STACK16 / 8] = descriptor(at(stacks32), 0xffff, 0x92);
    gdt[SOME_LDT / 8] = descriptor(at(ldt), 8 * 2 - 1, 0x82);
    gdt[SOME_BAD / 8] = 0x00cf92000000ffff;
    gdt[TASK_GATE / 8] = (uint64_t)TSS_CALLED << 16 | 0xe5ull << 40;
    ldt[LOCAL_DATA / 8] = 0x00cf92000000ffff;
}

static void gate_set(uint32_t vector, const uint8_t *handler, uint32_t rights)
{
    idt[vector] =
        (at(handler) & 0xffff) | (uint64_t)CODE32 << 16 | (uint64_t)rights << 40 | (uint64_t)(at(handler) >> 16) << 48;
}

static void task_gate_set(uint32_t vector, uint32_t selector)
{
    idt[vector] = (uint64_t)selector << 16 | 0x85ull << 40;
}

static void idt_make(void)
{
    for (uint32_t i = 0; i < 32; i++)
        gate_set(i, handlers + i * HANDLER_BYTES, 0x8e);
    gate_set(0x31, handler_end, 0x0e); /* not present */
    gate_set(0x41, handler_user, 0xee);
    gate_set(0x42, handler_end, 0xee);
    task_gate_set(0x30, TSS_CALLED);
    task_gate_set(0x50, TSS_EVENT);
}

/* --- what has become of it --- */

static void sum_words(const void *memory, uint32_t words)
{
    const uint32_t *word = memory;
    for (uint32_t i = 0; i < words; i++)
        sum = (sum ^ word[i]) * 0x01000193 + i;
}

static void hex(uint32_t number)
{
    char text[10] = " 00000000";
    for (uint32_t i = 8; i > 0; i--, number >>= 4)
        text[i] = "0123456789abcdef"[number & 15];
    console_text(text);
}

static bool code16_fresh;

static void story_prepare(void)
{
    pages_reset();
    gdt_make();
    idt_make();
    tasks_make();
    task_logged = nmis = 0;
    task_log[0] = task_log[1] = 0;
    if (!code16_fresh) /* once in each space: a page's segment base is told with its contents, for this space alone */
        *(volatile uint8_t *)(uintptr_t)(at(code16) + PAGE - 1) += 1;
    code16_fresh = true;
}

static void story_tell(const char *name, const uint8_t *story)
{
    task_run(story, cr3_of(0), pae ? 0x20 : 0x10);
    stories++;
    if (story == story_nmi) /* the emulator's exits by an NMI save RF as 1, which the manual says of faults alone */
        tss_of(TSS_MAIN)[9] &= ~EFLAGS_RF;
    sum_words(task_log, task_logged + 2);
    sum_words(gdt, 2 * NR_DESCRIPTORS);
    sum_words(tss_page, NR_TSS * TSS_BYTES / 4);
    for (uint32_t s = 0; s < 2; s++) {
        sum_words(tables[s], PAGES);
        sum_words(wide_tables[s], 2 * PAGES);
    }
    if (!print_all)
        return;
    console_text("tasks: ");
    console_text(name);
    for (uint32_t i = 0; i < task_logged; i++)
        hex(task_log[i]);
    console_text("\r\ntasks: sum");
    hex(sum);
    console_text("\r\n");
}

static void tell(const char *name, const uint8_t *story)
{
    story_prepare();
    story_tell(name, story);
}

static void tell_gate(const char *name, const uint8_t *story, uint32_t vector, uint32_t selector)
{
    story_prepare();
    task_gate_set(vector, selector);
    story_tell(name, story);
}

static void tell_double(void)
{
    story_prepare();
    task_gate_set(8, TSS_DOUBLE);
    idt[11] = 0;
    story_tell("double fault", story_double);
}

/* TSS_CALLED with one word of its TSS, and SOME_BAD, as they should not be. */
static void tell_bad(const char *name, uint32_t word, uint32_t value, uint64_t bad)
{
    story_prepare();
    tss_of(TSS_CALLED)[word] = value;
    gdt[SOME_BAD / 8] = bad;
    story_tell(name, story_call);
}

static void tell_bad_tss(const char *name, uint32_t selector, uint32_t limit, uint32_t rights)
{
    story_prepare();
    gdt[selector / 8] = descriptor(at(tss_of(selector)), limit, rights);
    story_tell(name, story_call);
}

static void tell_bad_tasks(void)
{
    enum { EIP = 8, ES = 18, CS, SS, DS, FS, GS, LDT };
    const uint64_t data = 0x00cf92000000ffff, absent = 0x00cf12000000ffff, data3 = 0x00cff2000000ffff,
                   code = 0x00cf9a000000ffff, unreadable = 0x00cf98000000ffff, conforming = 0x00cffc000000ffff;
    tell_bad("LDT is data", LDT, SOME_BAD, data);
    tell_bad("LDT is local", LDT, SOME_LDT | 4, data);
    tell_bad("LDT is not present", LDT, SOME_BAD, descriptor(at(ldt), 15, 0x02));
    tell_bad("LDT is beyond the GDT", LDT, 0x1000, data);
    tell_bad("SS is null", SS, 0, data);
    tell_bad("SS is not present", SS, SOME_BAD, absent);
    tell_bad("SS is code", SS, SOME_BAD, code);
    tell_bad("SS is of ring 3", SS, SOME_BAD | 3, data3);
    tell_bad("SS's RPL is another", SS, SOME_BAD | 1, data);
    tell_bad("DS is not present", DS, SOME_BAD, absent);
    tell_bad("ES is unreadable", ES, SOME_BAD, unreadable);
    tell_bad("FS is a system segment", FS, SOME_LDT, data);
    tell_bad("GS has RPL 3", GS, SOME_BAD | 3, data);
    tell_bad("GS is conforming", GS, SOME_BAD | 3, conforming | 0x0000020000000000);
    tell_bad("FS is of ring 3", FS, SOME_BAD | 3, data3);
    tell_bad("CS is null", CS, 0, data);
    tell_bad("CS is data", CS, SOME_BAD, data);
    tell_bad("CS is not present", CS, SOME_BAD, 0x00cf1a000000ffff);
    tell_bad("CS is of ring 3", CS, SOME_BAD, 0x00cffa000000ffff);
    tell_bad("EIP is beyond CS", CS, SOME_BAD, 0x00409a000000ffff);
    tell_bad("DS is in the LDT", DS, LOCAL_DATA, data);
    tell_bad("DS is beyond the LDT", DS, LOCAL_DATA + 8 * 2, data);
}

static void tell_bad_tsss(void)
{
    tell_bad_tss("not present", TSS_CALLED, 0x67, 0x09);
    tell_bad_tss("busy", TSS_CALLED, 0x67, 0x8b);
    tell_bad_tss("small", TSS_CALLED, 0x66, 0x89);
    tell_bad_tss("small, the old one", TSS_MAIN, 0x5e, 0x89);
    tell_bad_tss("without I/O map", TSS_CALLED, 0x67, 0x89);
    story_prepare(); /* its page is another */
    gdt[TSS_CALLED / 8] = descriptor(at(tss_page) + PAGE, 0x67, 0x89);
    page_rights(tss_page + PAGE, P);
    story_tell("on a page that is not present", story_call);
    story_prepare();
    gdt[TSS_CALLED / 8] = descriptor(at(tss_page) + PAGE - 0x40, 0x67, 0x89);
    for (uint32_t i = 0; i < TSS_BYTES / 4; i++)
        ((uint32_t *)(void *)(tss_page + PAGE - 0x40))[i] = tss_of(TSS_CALLED)[i];
    story_tell("over two pages", story_call);
    story_prepare();
    page_rights(tss_page, RW);
    story_tell("on a read-only page", story_call);
    story_prepare();
    tss_of(TSS_ERROR)[20] = 0; /* SS */
    task_gate_set(13, TSS_ERROR);
    story_tell("exception to a bad task", story_error);
    story_prepare();
    for (uint32_t i = 18; i < 22; i++)
        tss_of(TSS_ERROR)[i] = i == 19   ? CODE3
                               : i == 20 ? SOME_BAD | 3
                                         : DATA3; /* so that handlers have another stack */
    gdt[SOME_BAD / 8] = 0x0040f2000000ffff;       /* this one is beyond its segment */
    task_gate_set(13, TSS_ERROR);
    story_tell("error code beyond the stack", story_error);
}

void guest_main(const uint8_t *boot_params)
{
    /* boot_params.hdr.cmd_line_ptr */
    const char *line = (const char *)(uintptr_t) * (const uint32_t *)(boot_params + 0x228);
    machine_start(boot_params);
    io_write8(0x21, 0xff); /* no interrupts but the story's own */
    io_write8(0xa1, 0xff);
    for (; *line; line++) /* a boot loader may put a name before it */
        print_all = print_all || (line[0] == 'a' && line[1] == 'l' && line[2] == 'l');
    ((volatile uint8_t *)(uintptr_t)V86_AT)[0] = 0xcd; /* INT 42H */
    ((volatile uint8_t *)(uintptr_t)V86_AT)[1] = 0x42;
    spaces_make();
    for (uint32_t round = 0; round < 2; round++) {
        pae = round != 0;
        code16_fresh = false;
        tell("CALL", story_call);
        tell("JMP", story_jump);
        tell("gates", story_gate);
        tell_gate("#UD", story_undefined, 6, TSS_EVENT);
        tell_gate("#GP", story_error, 13, TSS_ERROR);
        tell("interrupt", story_interrupt);
        tell_gate("NMI", story_nmi, 2, TSS_EVENT);
        tell_double();
        tell("T flag", story_trapped);
        tell_gate("16-bit TSS", story_narrow, 13, TSS_NARROW_ERROR);
        tell("ring 3", story_user);
        tell("virtual-8086 mode", story_v86);
        tell_bad_tasks();
        tell_bad_tsss();
    }
    console_line("tasks: stories", stories);
    console_line("tasks: sum", sum);
    console_text("tasks: ok\r\n");
}
