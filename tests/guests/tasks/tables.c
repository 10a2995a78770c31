/* The tables that tasks need: two spaces of each kind of paging, the GDT with their TSSs, an LDT, the IDT. */
#include "tables.h"

#include "tasks.h"

#define BASE 0x1000000u     /* where guests are linked; from here on there are page tables */
#define EFLAGS_V86 0x23002u /* IOPL 3 */

#define P TASK_P
#define RW TASK_RW
#define US 4u
#define PS 0x80u

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

uint64_t task_gdt_entries[TASK_PAGE / 8] __attribute__((aligned(TASK_PAGE)));
uint64_t task_ldt[TASK_PAGE / 8] __attribute__((aligned(TASK_PAGE)));
uint64_t task_idt_entries[256] __attribute__((aligned(TASK_PAGE)));
uint8_t tss_page[2 * TASK_PAGE] __attribute__((aligned(TASK_PAGE)));
uint8_t stacks32[(2 * NR_TSS + 1) * STACK_BYTES] __attribute__((aligned(TASK_PAGE)));
extern const struct pointer task_gdt, task_idt; /* for LGDT and LIDT, in way.S */
const struct pointer task_gdt = {8 * NR_DESCRIPTORS - 1, (uint64_t)(uintptr_t)task_gdt_entries};
const struct pointer task_idt = {sizeof task_idt_entries - 1, (uint64_t)(uintptr_t)task_idt_entries};
bool task_pae;

/* --- paging: two spaces of each kind, one to one --- */

static uint32_t directories[2][1024] __attribute__((aligned(TASK_PAGE)));
uint32_t task_tables[2][1024] __attribute__((aligned(TASK_PAGE)));
static uint64_t pointers[2][4] __attribute__((aligned(32)));
static uint64_t wide_directories[2][4][512] __attribute__((aligned(TASK_PAGE)));
uint64_t task_wide_tables[2][512] __attribute__((aligned(TASK_PAGE)));

void task_spaces_make(void)
{
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < 1024; i++) {
            directories[s][i] = i << 22 | PS | P | RW | US;
            task_tables[s][i] = (BASE + i * TASK_PAGE) | P | RW | US;
        }
        directories[s][BASE >> 22] = address32(task_tables[s]) | P | RW | US;
        for (uint32_t i = 0; i < 4 * 512; i++)
            wide_directories[s][i / 512][i % 512] = (uint64_t)i << 21 | PS | P | RW | US;
        for (uint32_t i = 0; i < 512; i++)
            task_wide_tables[s][i] = (BASE + i * TASK_PAGE) | P | RW | US;
        wide_directories[s][0][BASE >> 21] = address32(task_wide_tables[s]) | P | RW | US;
        for (uint32_t i = 0; i < 4; i++)
            pointers[s][i] = address32(wide_directories[s][i]) | P;
    }
}

/* As they were, all that the stories change: accessed and dirty flags too. */
void task_pages_reset(void)
{
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < TASK_PAGES; i++) {
            task_tables[s][i] = (BASE + i * TASK_PAGE) | P | RW | US;
            task_wide_tables[s][i] = (BASE + i * TASK_PAGE) | P | RW | US;
        }
}

uint32_t task_cr3_of(uint32_t space)
{
    return task_pae ? address32(pointers[space]) : address32(directories[space]);
}

/* Change the first space's entry of a page. */
void task_page_rights(const void *page, uint32_t clear)
{
    const uint32_t i = (address32(page) - BASE) / TASK_PAGE;
    task_tables[0][i] &= ~clear;
    task_wide_tables[0][i] &= ~(uint64_t)clear;
}

/* --- descriptors --- */

uint64_t task_descriptor(uint32_t base, uint32_t limit, uint32_t rights)
{
    return (limit & 0xffff) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)rights << 40 |
           (uint64_t)(limit >> 16) << 48 | (uint64_t)(base >> 24) << 56;
}

uint32_t *task_tss_of(uint32_t selector)
{
    return (uint32_t *)(void *)(tss_page + (selector - FIRST_TSS) / 8 * TSS_BYTES);
}

static uint32_t stack_of(uint32_t selector)
{
    return address32(stacks32) + ((selector - FIRST_TSS) / 8 + 1) * STACK_BYTES;
}

static void tss_make(uint32_t selector, const uint8_t *entry)
{
    uint32_t *tss = task_tss_of(selector);
    const uint32_t number = (selector - FIRST_TSS) / 8;
    for (uint32_t i = 0; i < TSS_BYTES / 4; i++)
        tss[i] = 0;
    for (uint32_t i = 10; i < 18; i++) /* EAX to EDI */
        tss[i] = selector << 24 | i << 16 | 0xabcd;
    tss[1] = stack_of(selector) + NR_TSS * STACK_BYTES; /* ESP0 */
    tss[2] = DATA;
    tss[7] = task_cr3_of(number % 2);
    tss[8] = address32(entry);
    tss[9] = 2 | (number & 1) << 11; /* OF */
    tss[14] = stack_of(selector);
    for (uint32_t i = 18; i < 24; i++)
        tss[i] = i == 19 ? CODE32 : i >= 22 ? 0 : DATA;
    tss[24] = number & 1 ? SOME_LDT : 0;
    task_gdt_entries[selector / 8] = task_descriptor(address32(tss), 0x67, 0x89);
}

static void narrow_make(uint32_t selector, const uint8_t *entry)
{
    uint16_t *tss = (uint16_t *)task_tss_of(selector);
    for (uint32_t i = 0; i < TSS_BYTES / 2; i++)
        tss[i] = 0;
    tss[7] = (uint16_t)(entry - code16);
    tss[8] = 2;
    for (uint32_t i = 9; i < 17; i++)
        tss[i] = (uint16_t)(selector << 8 | i);
    tss[13] = (uint16_t)(stack_of(selector) - address32(stacks32));
    tss[17] = tss[20] = DATA;
    tss[18] = CODE16;
    tss[19] = STACK16;
    tss[21] = SOME_LDT;
    task_gdt_entries[selector / 8] = task_descriptor(address32(tss), 0x2b, 0x81);
}

void task_tsss_make(void)
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
    task_tss_of(TSS_TRAPPED)[25] = 1; /* T */
    uint32_t *user = task_tss_of(TSS_USER), *v86 = task_tss_of(TSS_V86);
    user[18] = user[20] = user[21] = DATA3;
    user[19] = CODE3;
    v86[9] = EFLAGS_V86;
    for (uint32_t i = 18; i < 24; i++)
        v86[i] = i == 19 ? 0 : i;
    v86[8] = TASK_V86_AT;
    v86[14] = 0x800; /* nothing is pushed there */
}

void task_gdt_make(void)
{
    task_gdt_entries[CODE32 / 8] = 0x00cf9a000000ffff; /* not accessed yet */
    task_gdt_entries[CODE64 / 8] = 0x00af9a000000ffff;
    task_gdt_entries[DATA / 8] = 0x00cf92000000ffff;
    task_gdt_entries[DATA3 / 8] = 0x00cff2000000ffff;
    task_gdt_entries[CODE3 / 8] = 0x00cffa000000ffff;
    task_gdt_entries[CODE16 / 8] = task_descriptor(address32(code16), 0xffff, 0x9a);
    task_gdt_entries[STACK16 / 8] = task_descriptor(address32(stacks32), 0xffff, 0x92);
    task_gdt_entries[SOME_LDT / 8] = task_descriptor(address32(task_ldt), 8 * 2 - 1, 0x82);
    task_gdt_entries[SOME_BAD / 8] = 0x00cf92000000ffff;
    task_gdt_entries[TASK_GATE / 8] = (uint64_t)TSS_CALLED << 16 | 0xe5ull << 40;
    task_gdt_entries[CODE16_REAL / 8] = task_descriptor(SEGMENT_REAL << 4, 0xffff, 0x9a);
    task_gdt_entries[CODE32_ALIAS / 8] =
        task_descriptor(SEGMENT_ALIAS - address32(segments_flat), 0xfffff, 0x9a) | 0x00c0000000000000;
    task_ldt[LOCAL_DATA / 8] = 0x00cf92000000ffff;
    task_ldt[LOCAL_CODE / 8] = task_descriptor(SEGMENT_LOCAL, 0xffff, 0x9a) | 0x0040000000000000;
}

static void gate_set(uint32_t vector, const uint8_t *handler, uint32_t rights)
{
    task_idt_entries[vector] = (address32(handler) & 0xffff) | (uint64_t)CODE32 << 16 | (uint64_t)rights << 40 |
                               (uint64_t)(address32(handler) >> 16) << 48;
}

void task_gate_set(uint32_t vector, uint32_t selector)
{
    task_idt_entries[vector] = (uint64_t)selector << 16 | 0x85ull << 40;
}

void task_idt_make(void)
{
    for (uint32_t i = 0; i < 32; i++)
        gate_set(i, handlers + i * HANDLER_BYTES, 0x8e);
    gate_set(0x31, handler_end, 0x0e); /* not present */
    gate_set(0x41, handler_user, 0xee);
    gate_set(0x42, handler_end, 0xee);
    task_gate_set(0x30, TSS_CALLED);
    task_gate_set(0x50, TSS_EVENT);
}
