/*
 * remaps: a driver of a remapping unit (VT-d) that remaps interrupts, on a machine where that is all that the unit may
 * be used for. The PIT's interrupts must arrive as the table says, and nothing that the guest writes may enable DMA
 * remapping or protected memory. The local APIC is in x2APIC mode, as firmware hands it over.
 *
 * Source: Intel VT-d, Architecture Specification 4.1: 5.1.5.1, 6.5.2, 9.9, chapter 11. The unit:
 * tests/model/dmar_unit.cc.
 */
#include "machine.h"

#define UNIT 0xfed90000u
#define IO_APIC 0xfec00000u
#define PIN 2u             /* the PIT's */
#define IO_APIC_ID 0xf0f8u /* as a source of requests */
#define VECTOR 0x50u
#define PATIENCE 3000000u

enum { CAP = 8, ECAP = 0x10, GCMD = 0x18, GSTS = 0x1c, RTADDR = 0x20, FSTS = 0x34, FECTL = 0x38, FEDATA = 0x3c };
enum { PMEN = 0x64, IQH = 0x80, IQT = 0x88, IQA = 0x90, IRTA = 0xb8, FAULT = 0x100 };

#define TE (1u << 31)
#define SRTP (1u << 30)
#define QIE (1u << 26)
#define IRE (1u << 25)
#define SIRTP (1u << 24)

static volatile uint64_t queue[512] __attribute__((aligned(4096))), table[512] __attribute__((aligned(4096)));
static volatile uint32_t done, ticks[2];
static uint32_t tail, failures;

static volatile uint32_t *narrow(uint32_t offset)
{
    return (volatile uint32_t *)(uintptr_t)(UNIT + offset);
}

static volatile uint64_t *wide(uint32_t offset)
{
    return (volatile uint64_t *)(uintptr_t)(UNIT + offset);
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is == should)
        return;
    failures++;
    console_text("remaps: ");
    console_line(what, is);
    console_line("remaps: WRONG, should be", should);
}

static __attribute__((interrupt)) void ticked(struct interrupt_frame *frame)
{
    (void)frame;
    ticks[0]++;
    msr_set(0x80b, 0);
}

static __attribute__((interrupt)) void ticked_elsewhere(struct interrupt_frame *frame)
{
    (void)frame;
    ticks[1]++;
    msr_set(0x80b, 0);
}

/* The fetch from the registers: continue after the call. */
static __attribute__((interrupt)) void undefined(struct interrupt_frame *frame)
{
    frame->rip = *(uint64_t *)(uintptr_t)frame->rsp;
    frame->rsp += 8;
    done = 6;
}

static void await(const char *what, uint32_t status)
{
    for (uint32_t i = 0; i < PATIENCE / 100 && !(*narrow(GSTS) & status); i++)
        ;
    expect(what, *narrow(GSTS) & status, status);
}

/* Invalidate all cached entries of the table, and wait for it. */
static void invalidate(void)
{
    queue[tail * 2] = 4;
    queue[tail * 2 + 1] = 0;
    queue[tail * 2 + 2] = 5 | 1 << 5 | 1ull << 32;
    queue[tail * 2 + 3] = (uint64_t)(uintptr_t)&done;
    tail += 2;
    done = 0;
    *narrow(IQT) = tail * 16;
    for (uint32_t i = 0; i < PATIENCE && !done; i++)
        ;
    expect("the wait descriptor's status", done, 1);
    expect("the queue's head", *wide(IQH), tail * 16);
}

/* One tick of the PIT, by mode 0. */
static void tick(void)
{
    const uint32_t before = ticks[0] + ticks[1];

    io_write8(0x43, 0x30);
    io_write8(0x40, 100);
    io_write8(0x40, 0);
    for (uint32_t i = 0; i < PATIENCE / 30 && ticks[0] + ticks[1] == before; i++)
        __asm__ volatile("pause");
}

static void io_apic_write(uint32_t index, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)IO_APIC = index;
    *(volatile uint32_t *)(uintptr_t)(IO_APIC + 0x10) = value;
}

static void check_capabilities(void)
{
    uint32_t copy[8];
    void *to = copy;
    const void *from = (const void *)(uintptr_t)UNIT;
    uint64_t nr = 8;

    expect("CAP", *wide(CAP), 0x102f0002);
    expect("CAP's upper half", *narrow(CAP + 4), 0);
    expect("ECAP", *wide(ECAP), 0xf0201b);
    expect("ECAP's upper half", *narrow(ECAP + 4), 0);
    expect("a byte of ECAP", *(volatile uint8_t *)(uintptr_t)(UNIT + ECAP), 0x1b);
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(nr) : : "memory");
    expect("VER in a copy", copy[0], 0x60);
    expect("CAP in a copy", copy[2], 0x102f0002);
    expect("ECAP in a copy", copy[4], 0xf0201b);
}

static void check_queue(void)
{
    *narrow(IQT) = 0;
    *wide(IQA) = (uint64_t)(uintptr_t)queue;
    expect("IQA", *wide(IQA), (uint64_t)(uintptr_t)queue);
    *narrow(GCMD) = QIE;
    await("QIES", QIE);
    invalidate();
}

static void entry_set(uint32_t index, uint32_t vector, bool present)
{
    table[index * 2] = present | vector << 16 | msr_get(0x802) << 32;
    table[index * 2 + 1] = IO_APIC_ID | 1 << 18;
}

static void check_interrupts(void)
{
    entry_set(5, VECTOR, true);
    *narrow(IRTA) = (uint32_t)(uintptr_t)table | 1 << 11 | 7;
    *narrow(IRTA + 4) = 0;
    *narrow(GCMD) = QIE | SIRTP;
    await("IRTPS", SIRTP);
    *narrow(GCMD) = QIE | IRE;
    await("IRES", IRE);
    invalidate();
    io_apic_write(0x11 + 2 * PIN, 5 << 17 | 1 << 16);
    io_apic_write(0x10 + 2 * PIN, PIN);
    __asm__ volatile("sti");
    tick();
    expect("ticks", ticks[0], 1);
    entry_set(5, VECTOR + 1, true);
    invalidate();
    tick();
    expect("ticks elsewhere", ticks[1], 1);
}

static void check_fault(uint32_t nr_ticks)
{
    tick();
    expect("no more ticks", ticks[0] + ticks[1], nr_ticks);
    expect("FSTS after a fault", *narrow(FSTS), 2);
    expect("the fault's index", *wide(FAULT), 5ull << 48);
    expect("the fault's source and reason", *wide(FAULT + 8), 1ull << 63 | 0x22ull << 32 | IO_APIC_ID);
}

static void check_faults(void)
{
    expect("FSTS", *narrow(FSTS), 0);
    entry_set(5, VECTOR, false);
    invalidate();
    check_fault(2);
    *narrow(FAULT + 12) = *narrow(FAULT + 12); /* its highest bit is cleared by writing 1 */
    expect("FSTS, cleared", *narrow(FSTS), 0);
    check_fault(2);
    *wide(FAULT + 8) = 1ull << 63;
    expect("FSTS, cleared by a quadword", *narrow(FSTS), 0);
    entry_set(5, VECTOR, true);
    invalidate();
    tick();
    expect("ticks again", ticks[0], 2);
}

/* None of it may have an effect: neither with one write nor with another. */
static void check_dma(void)
{
    *wide(RTADDR) = (uint64_t)(uintptr_t)queue;
    expect("RTADDR", *wide(RTADDR), 0);
    *narrow(RTADDR) = (uint32_t)(uintptr_t)queue;
    *narrow(GCMD) = QIE | IRE | SRTP;
    *narrow(GCMD) = QIE | IRE | TE;
    *wide(GCMD) = QIE | IRE | TE | SRTP | 3u << 28;
    *narrow(PMEN) = 1u << 31;
    expect("GSTS", *narrow(GSTS), QIE | IRE | SIRTP);
    expect("PMEN", *narrow(PMEN), 0);
    tick();
    expect("ticks after that", ticks[0], 3);
}

/* Instructions that read and write, and parts of a register. */
static void check_instructions(void)
{
    *narrow(FEDATA) = 0x1234;
    __asm__ volatile("andl %1, %0" : "+m"(*narrow(FECTL)) : "ir"(0x7fffffff));
    expect("FECTL", *narrow(FECTL), 0);
    __asm__ volatile("lock orl %1, %0" : "+m"(*narrow(FECTL)) : "ir"(1u << 31));
    expect("FECTL again", *narrow(FECTL), 1u << 31);
    expect("FEDATA beside it", *narrow(FEDATA), 0x1234);
    __asm__ volatile("movb %1, %0" : "+m"(*narrow(FEDATA)) : "ir"((uint8_t)0x56));
    expect("a byte of FEDATA", *narrow(FEDATA), 0x1256);
    interrupt_set(6, undefined, 0);
    done = 0;
    __asm__ volatile("call *%0" : : "r"((uint64_t)UNIT) : "memory");
    expect("a fetch is #UD", done, 6);
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    interrupt_set(VECTOR, ticked, 0);
    interrupt_set(VECTOR + 1, ticked_elsewhere, 0);
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    check_capabilities();
    check_queue();
    check_interrupts();
    check_faults();
    check_dma();
    check_instructions();
    console_text(failures ? "remaps: FAILED\r\n" : "remaps: ok\r\n");
}
