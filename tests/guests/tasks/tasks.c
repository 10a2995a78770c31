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
#include "tables.h"

#define EFLAGS_RF 0x10000u

uint32_t task_log[LOG_ENTRIES], task_logged;

static bool print_all;
static uint32_t sum, stories;

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
    task_pages_reset();
    task_gdt_make();
    task_idt_make();
    task_tsss_make();
    task_logged = nmis = 0;
    task_log[0] = task_log[1] = 0;
    if (!code16_fresh) /* once in each space: a page's segment base is recorded with its contents, for this space only
                        */
        *(volatile uint8_t *)(uintptr_t)(address32(code16) + TASK_PAGE - 1) += 1;
    code16_fresh = true;
}

static void story_run(const char *name, const uint8_t *story)
{
    task_run(story, task_cr3_of(0), task_pae ? 0x20 : 0x10);
    stories++;
    if (story ==
        story_nmi) /* the emulator's exits by an NMI save RF as 1, which the manual specifies for faults only */
        task_tss_of(TSS_MAIN)[9] &= ~EFLAGS_RF;
    sum_words(task_log, task_logged + 2);
    sum_words(task_gdt_entries, 2 * NR_DESCRIPTORS);
    sum_words(tss_page, NR_TSS * TSS_BYTES / 4);
    for (uint32_t s = 0; s < 2; s++) {
        sum_words(task_tables[s], TASK_PAGES);
        sum_words(task_wide_tables[s], 2 * TASK_PAGES);
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

static void run(const char *name, const uint8_t *story)
{
    story_prepare();
    story_run(name, story);
}

static void run_gate(const char *name, const uint8_t *story, uint32_t vector, uint32_t selector)
{
    story_prepare();
    task_gate_set(vector, selector);
    story_run(name, story);
}

static void run_double_fault(void)
{
    story_prepare();
    task_gate_set(8, TSS_DOUBLE);
    task_idt_entries[11] = 0;
    story_run("double fault", story_double);
}

/* TSS_CALLED with one word of its TSS, and SOME_BAD, as they should not be. */
static void run_bad(const char *name, uint32_t word, uint32_t value, uint64_t bad)
{
    story_prepare();
    task_tss_of(TSS_CALLED)[word] = value;
    task_gdt_entries[SOME_BAD / 8] = bad;
    story_run(name, story_call);
}

static void run_bad_tss(const char *name, uint32_t selector, uint32_t limit, uint32_t rights)
{
    story_prepare();
    task_gdt_entries[selector / 8] = task_descriptor(address32(task_tss_of(selector)), limit, rights);
    story_run(name, story_call);
}

static void run_bad_tasks(void)
{
    enum { EIP = 8, ES = 18, CS, SS, DS, FS, GS, LDT };
    const uint64_t data = 0x00cf92000000ffff, absent = 0x00cf12000000ffff, data3 = 0x00cff2000000ffff,
                   code = 0x00cf9a000000ffff, unreadable = 0x00cf98000000ffff, conforming = 0x00cffc000000ffff;
    run_bad("LDT is data", LDT, SOME_BAD, data);
    run_bad("LDT is local", LDT, SOME_LDT | 4, data);
    run_bad("LDT is not present", LDT, SOME_BAD, task_descriptor(address32(task_ldt), 15, 0x02));
    run_bad("LDT is beyond the GDT", LDT, 0x1000, data);
    run_bad("SS is null", SS, 0, data);
    run_bad("SS is not present", SS, SOME_BAD, absent);
    run_bad("SS is code", SS, SOME_BAD, code);
    run_bad("SS has DPL 3", SS, SOME_BAD | 3, data3);
    run_bad("SS's RPL is another", SS, SOME_BAD | 1, data);
    run_bad("DS is not present", DS, SOME_BAD, absent);
    run_bad("ES is unreadable", ES, SOME_BAD, unreadable);
    run_bad("FS is a system segment", FS, SOME_LDT, data);
    run_bad("GS has RPL 3", GS, SOME_BAD | 3, data);
    run_bad("GS is conforming", GS, SOME_BAD | 3, conforming | 0x0000020000000000);
    run_bad("FS has DPL 3", FS, SOME_BAD | 3, data3);
    run_bad("CS is null", CS, 0, data);
    run_bad("CS is data", CS, SOME_BAD, data);
    run_bad("CS is not present", CS, SOME_BAD, 0x00cf1a000000ffff);
    run_bad("CS has DPL 3", CS, SOME_BAD, 0x00cffa000000ffff);
    run_bad("EIP is beyond CS", CS, SOME_BAD, 0x00409a000000ffff);
    run_bad("DS is in the LDT", DS, LOCAL_DATA, data);
    run_bad("DS is beyond the LDT", DS, LOCAL_DATA + 8 * 2, data);
}

static void run_bad_tsss(void)
{
    run_bad_tss("not present", TSS_CALLED, 0x67, 0x09);
    run_bad_tss("busy", TSS_CALLED, 0x67, 0x8b);
    run_bad_tss("small", TSS_CALLED, 0x66, 0x89);
    run_bad_tss("small, the old one", TSS_MAIN, 0x5e, 0x89);
    run_bad_tss("without I/O map", TSS_CALLED, 0x67, 0x89);
    story_prepare(); /* its page is another */
    task_gdt_entries[TSS_CALLED / 8] = task_descriptor(address32(tss_page) + TASK_PAGE, 0x67, 0x89);
    task_page_rights(tss_page + TASK_PAGE, TASK_P);
    story_run("on a page that is not present", story_call);
    story_prepare();
    task_gdt_entries[TSS_CALLED / 8] = task_descriptor(address32(tss_page) + TASK_PAGE - 0x40, 0x67, 0x89);
    for (uint32_t i = 0; i < TSS_BYTES / 4; i++)
        ((uint32_t *)(void *)(tss_page + TASK_PAGE - 0x40))[i] = task_tss_of(TSS_CALLED)[i];
    story_run("over two pages", story_call);
    story_prepare();
    task_page_rights(tss_page, TASK_RW);
    story_run("on a read-only page", story_call);
    story_prepare();
    task_tss_of(TSS_ERROR)[20] = 0; /* SS */
    task_gate_set(13, TSS_ERROR);
    story_run("exception to a bad task", story_error);
    story_prepare();
    for (uint32_t i = 18; i < 22; i++)
        task_tss_of(TSS_ERROR)[i] = i == 19   ? CODE3
                                    : i == 20 ? SOME_BAD | 3
                                              : DATA3;   /* so that handlers have another stack */
    task_gdt_entries[SOME_BAD / 8] = 0x0040f2000000ffff; /* this one is beyond its segment */
    task_gate_set(13, TSS_ERROR);
    story_run("error code beyond the stack", story_error);
}

static void copy(uint32_t to, const uint8_t *from, const uint8_t *end)
{
    for (volatile uint8_t *at = (volatile uint8_t *)(uintptr_t)to; from < end; from++)
        *at++ = *from;
}

static void run_segments(void)
{
    copy(SEGMENT_V86 << 4, v86_first, v86_before);
    copy((SEGMENT_V86 << 4) + 0xfec0, v86_after, v86_second);
    copy(((SEGMENT_V86 - 0x100) << 4) + 0xec0, v86_before, v86_second);
    copy((SEGMENT_V86 << 4) + 0xfff0, v86_high, v86_end);
    copy((SEGMENT_V86 + 0x1000) << 4, v86_second, v86_high);
    copy(SEGMENT_REAL << 4, real_first, real_before);
    copy((SEGMENT_REAL << 4) + 0xfec0, real_after, real_second);
    copy(((SEGMENT_REAL - 0x100) << 4) + 0xec0, real_before, real_second);
    copy((SEGMENT_REAL << 4) + 0xfff0, real_high, real_end);
    copy((SEGMENT_REAL + 0x1000) << 4, real_second, real_high);
    copy(SEGMENT_ALIAS, alias_first, alias_end);
    copy(SEGMENT_LOCAL, local_first, local_high);
    copy(SEGMENT_LOCAL + 0xfff0, local_high, local_end);
    run("segments of virtual-8086 mode", story_segments_v86);
    run("segments of real mode", story_segments_real);
    run("32-bit segments", story_segments_32);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    machine_start(boot_params);
    io_write8(0x21, 0xff); /* no interrupts but the story's own */
    io_write8(0xa1, 0xff);
    for (; *line; line++) /* a boot loader may put a name before it */
        print_all = print_all || (line[0] == 'a' && line[1] == 'l' && line[2] == 'l');
    ((volatile uint8_t *)(uintptr_t)TASK_V86_AT)[0] = 0xcd; /* INT 42H */
    ((volatile uint8_t *)(uintptr_t)TASK_V86_AT)[1] = 0x42;
    task_spaces_make();
    for (uint32_t round = 0; round < 2; round++) {
        task_pae = round != 0;
        code16_fresh = false;
        run("CALL", story_call);
        run("JMP", story_jump);
        run("gates", story_gate);
        run_gate("#UD", story_undefined, 6, TSS_EVENT);
        run_gate("#GP", story_error, 13, TSS_ERROR);
        run("interrupt", story_interrupt);
        run_gate("NMI", story_nmi, 2, TSS_EVENT);
        run_double_fault();
        run("T flag", story_trapped);
        run_gate("16-bit TSS", story_narrow, 13, TSS_NARROW_ERROR);
        run("ring 3", story_user);
        run("virtual-8086 mode", story_v86);
        run("far returns", story_far);
        run_segments();
        run_bad_tasks();
        run_bad_tsss();
    }
    console_line("tasks: stories", stories);
    console_line("tasks: sum", sum);
    console_text("tasks: ok\r\n");
}
