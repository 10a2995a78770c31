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

#include "../selftest/rom.h"
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
extern uint64_t row_ctl; /* link.ld: in memory that INIT, which copies the image again, does not change */
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

static uint64_t idt[2 * ROM_GATES] __attribute__((aligned(16)));

/* --- text ------------------------------------------------------------------------------------------------------- */

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
    rom_gate(idt, vector, handler, 3);
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
    rom_devices();
    for (uint32_t i = 0; i < 512; i++)
        ((volatile uint64_t *)OTHER_TABLES)[i] = ((volatile uint64_t *)TABLES)[i];
}

/* The state in which every row starts. PSB+ with no context comes first, so that each trace can be decoded by itself;
 * after it IA32_RTIT_STATUS.PacketByteCnt is not 0. */
static void reset(void)
{
    for (unsigned i = 0; i < 32; i++)
        row_gate(i, fault_stubs + 16 * i);
    rom_idt_load(idt);
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
    power_off();
}
