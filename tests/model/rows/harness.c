/*
 * Runs the rows that are linked with it, one after the other, each from the same state, and writes what each left to
 * COM1, as text that check.c reads:
 *
 *   row NAME START END       its code
 *   ctl VALUE                IA32_RTIT_CTL as the row set it last
 *   addr A B A B ...         IA32_RTIT_ADDRn
 *   report VALUE | fault VECTOR | no fault | died VECTOR IP
 *   trace HEX
 *   end
 */
#include <stdint.h>

#include "places.h"

struct row {
    void (*start)(void);
    char *end;
    const char *name;
};
extern const struct row rows_begin[], rows_end[];
extern char fault_stubs[];

/* Set by rows (row.h). */
uint64_t row_fixup, row_fault, row_stack;
extern uint64_t row_ctl; /* link.ld: in memory that INIT, which copies the image anew, leaves alone */
/* Where the row's trace is. A row with an output of its own sets them: the physical address, and the size in bytes, 0
 * for what IA32_RTIT_OUTPUT_MASK_PTRS says. */
uint64_t row_trace_base, row_trace_bytes;

void row_call(void (*row)(void));
void row_gate(unsigned vector, const char *handler);
void row_report(uint64_t value);
void row_tried(void);
void row_died(uint64_t vector, uint64_t ip, uint64_t error_code);
void test_main(void);

#define TOPA_TABLE 0x200000ull
#define REGION 0x300000ull
#define REGION_1M (8ull << 6)
#define TOPA_END 1ull
#define NO_FAULT 0xffull

static uint64_t idt[512] __attribute__((aligned(16)));

static void wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static uint64_t rdmsr(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

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

static volatile uint32_t *apic(uint32_t offset)
{
    return (volatile uint32_t *)(0xfee00000ull + offset);
}

/* --- text ------------------------------------------------------------------------------------------------------- */

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

static void put_hex(uint64_t value, unsigned digits)
{
    while (digits-- != 0)
        put_char("0123456789abcdef"[value >> (4 * digits) & 0xf]);
}

static void put_number(uint64_t value)
{
    put_char(' ');
    put_hex(value, 16);
}

/* --- called by rows --------------------------------------------------------------------------------------------- */

void row_gate(unsigned vector, const char *handler)
{
    uint64_t address = (uint64_t)handler;
    idt[2 * vector] = (address & 0xffff) | CODE64 << 16 | 0xee00ull << 32 | (address >> 16 & 0xffff) << 48;
    idt[2 * vector + 1] = address >> 32;
}

void row_report(uint64_t value)
{
    put_text("report");
    put_number(value);
    put_char('\n');
}

void row_tried(void)
{
    put_text(row_fault == NO_FAULT ? "no fault" : "fault");
    if (row_fault != NO_FAULT)
        put_number(row_fault);
    put_char('\n');
    row_fault = NO_FAULT;
    row_fixup = 0;
}

void row_died(uint64_t vector, uint64_t ip, uint64_t error_code)
{
    (void)error_code;
    put_text("died");
    put_number(vector);
    put_number(ip);
    put_char('\n');
}

/* --- the machine ------------------------------------------------------------------------------------------------ */

static unsigned nr_ranges(void)
{
    uint32_t eax = 0x14, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (eax == 0)
        return 0;
    eax = 0x14;
    ecx = 1;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return eax & 7;
}

static void set_up_machine(void)
{
    wrmsr(0x1b, 0xfee00900);
    *apic(0xf0) = 0x1ff;
    out8(0x21, 0xff);
    out8(0xa1, 0xff);
    out8(0x3fb, 3); /* COM1: 8 bits */
    for (uint32_t i = 0; i < 512; i++)
        ((volatile uint64_t *)OTHER_TABLES)[i] = ((volatile uint64_t *)TABLES)[i];
}

/* The state in which every row starts. PSB+ with no context comes first, so that each trace can be decoded alone; after
 * it IA32_RTIT_STATUS.PacketByteCnt is not 0. */
static void reset(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {sizeof(idt) - 1, (uint64_t)idt};
    for (unsigned i = 0; i < 32; i++)
        row_gate(i, fault_stubs + 16 * i);
    __asm__ volatile("lidt %0" : : "m"(pointer));
    __asm__ volatile("movq %0, %%cr3" : : "r"((uint64_t)TABLES) : "memory");
    row_ctl = row_fixup = 0;
    row_fault = NO_FAULT;
    row_trace_base = REGION;
    row_trace_bytes = 0;
    volatile uint64_t *table = (volatile uint64_t *)TOPA_TABLE;
    table[0] = REGION | REGION_1M;
    table[1] = TOPA_TABLE | TOPA_END;
    wrmsr(RTIT_CTL, 0);
    wrmsr(RTIT_OUTPUT_BASE, TOPA_TABLE);
    wrmsr(RTIT_OUTPUT_MASK_PTRS, 0);
    wrmsr(RTIT_CR3_MATCH, 0);
    for (unsigned i = 0; i < 2 * nr_ranges(); i++)
        wrmsr(RTIT_ADDR0_A + i, 0);
    wrmsr(RTIT_STATUS, 0);
    wrmsr(RTIT_CTL, CTL_TRACE_EN | CTL_TOPA);
    wrmsr(RTIT_CTL, 0);
}

static void send_result(void)
{
    put_text("ctl");
    put_number(row_ctl);
    put_text("\naddr");
    for (unsigned i = 0; i < 2 * nr_ranges(); i++)
        put_number(rdmsr(RTIT_ADDR0_A + i));
    put_text("\ntrace ");
    const uint8_t *bytes = (const uint8_t *)row_trace_base;
    uint64_t size = row_trace_bytes ? row_trace_bytes : rdmsr(RTIT_OUTPUT_MASK_PTRS) >> 32;
    for (uint64_t i = 0; i < size; i++)
        put_hex(bytes[i], 2);
    put_text("\nend\n");
}

/* PIIX4: put the power management ports at B000H, then sleep state 0. */
static void power_off(void)
{
    out32(0xcf8, 0x80000b40);
    out32(0xcfc, 0xb001);
    out32(0xcf8, 0x80000b80);
    out32(0xcfc, 1);
    __asm__ volatile("outw %%ax, %%dx" : : "a"(0x2000), "d"(0xb004));
}

/* Where the run is, beside row_ctl: a row may end in INIT, which starts the ROM again. */
struct progress {
    uint64_t magic, row;
};
extern struct progress row_progress;
#define PROGRESS_MAGIC 0x7373657267726f70ull

static void run(const struct row *row)
{
    put_text("row ");
    put_text(row->name);
    put_number((uint64_t)row->start);
    put_number((uint64_t)row->end);
    put_char('\n');
    reset();
    row_call(row->start);
    wrmsr(RTIT_CTL, 0);
    send_result();
}

void test_main(void)
{
    const struct row *row = rows_begin;
    wrmsr(RTIT_CTL, 0);
    set_up_machine();
    if (row_progress.magic == PROGRESS_MAGIC) {
        row = rows_begin + row_progress.row + 1;
        row_trace_base = REGION;
        send_result();
    }
    for (; row < rows_end; row++) {
        row_progress = (struct progress){PROGRESS_MAGIC, (uint64_t)(row - rows_begin)};
        run(row);
    }
    while (!(in8(0x3fd) & 0x40))
        ;
    power_off();
}
