/* Descriptors of segments with bases and limits, gates and the TSS for what modes.S runs. SDM, Volume 3, "Segment
 * Descriptors", "System Descriptor Types". */
#include "modes.h"

#define GRANULARITY 0x8u /* of 4 KiB */
#define DEFAULT_32 0x4u
#define PRESENT 0x80u
#define CODE_READABLE 0x9bu
#define DATA_WRITABLE 0x93u
#define EXPAND_DOWN 0x4u
#define TSS_AVAILABLE 0x89u
#define TASK_GATE 0x85ull
#define INTERRUPT_GATE 0x8eull

static uint64_t descriptor(uint32_t base, uint32_t limit, uint32_t access, uint32_t flags)
{
    return (limit & 0xffff) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)access << 40 |
           (uint64_t)(limit >> 16 & 15) << 48 | (uint64_t)flags << 52 | (uint64_t)(base >> 24) << 56;
}

static uint32_t address(const void *at)
{
    return (uint32_t)(uintptr_t)at;
}

/* Of any type that cannot hand its privilege on: no gates. Where confined, 64 KiB in low memory. */
static uint64_t any_descriptor(unsigned cpl, bool confined)
{
    static const uint8_t types[] = {0x90, 0x91, 0x92, 0x93, 0x93, 0x98, 0x9a, 0x9b,
                                    0x9b, 0x9c, 0x9e, 0x9f, 0x82, 0x83, 0x8b, 0x10};
    uint32_t access = types[below(sizeof types)] | (below(2) ? cpl : below(4)) << 5;
    uint32_t flags = (below(2) ? DEFAULT_32 : 0) | (below(8) ? 0 : 1);
    const uint32_t base = below(0x400) << 4;

    if (below(4) == 0 && access & 0x10) /* expand-down, or conforming */
        access |= EXPAND_DOWN;
    if (below(8) == 0)
        access &= ~PRESENT;
    if (!confined)
        return descriptor(below(4) ? base : (uint32_t)random64(), (uint32_t)random64(), access,
                          flags | (below(2) ? GRANULARITY : 0));
    if ((access & 0x1c) == 0x14) /* an expand-down segment of 32 bits is what is above its limit */
        flags &= ~DEFAULT_32;
    return descriptor(base, below(2) ? 0xffff : below(0x10000), access, flags);
}

/* Most of code and data is within the limit, and sometimes not all. */
static uint64_t limited(uint64_t first, uint32_t base, uint32_t access, uint32_t flags, bool confined)
{
    const uint32_t which = below(4);

    if (first + 2 * PAGE >= 0x100000 || (which == 0 && !confined))
        return descriptor(base, 0xfffff, access, flags | GRANULARITY);
    if (which == 0)
        return descriptor(base, 0xffff, access, flags);
    return descriptor(base, (uint32_t)first + (which == 1 ? below(2 * PAGE) : 2 * PAGE - 1), access, flags);
}

void modes_segments_make(enum width width, unsigned cpl, uint32_t code_base, uint32_t data_base, bool confined)
{
    const uint32_t level = cpl << 5, wide = width == WIDTH_32 ? DEFAULT_32 : 0;
    uint64_t *random = random_gdt + RANDOM_CODE / 8;

    for (uint32_t i = 2; i < NR_RANDOM; i++)
        random[i] = any_descriptor(cpl, confined);
    random[0] = limited(run.code_at, code_base, CODE_READABLE | level, wide, confined);
    if (below(8)) {
        random[1] = limited(run.data_at, data_base, DATA_WRITABLE | level, below(2) ? DEFAULT_32 : 0, confined);
        return;
    }
    random[1] = descriptor(data_base, below(2) ? (uint32_t)run.data_at : below((uint32_t)run.data_at + PAGE),
                           DATA_WRITABLE | EXPAND_DOWN | level, confined ? 0 : wide);
}

void modes_tss_make(bool vm86, uint32_t cr3)
{
    const uint32_t stack = address(modes_stack_top);
    uint8_t *bitmap = (uint8_t *)modes_tss + 104;

    for (uint32_t i = 0; i < 3; i++) { /* ESP0 to SS2 */
        modes_tss[1 + 2 * i] = stack;
        modes_tss[2 + 2 * i] = DATA + (i == 1 ? DATA1 - DATA : 0);
    }
    modes_tss[25] = (104u + 32u) << 16; /* the I/O permission bitmap: no port */
    for (uint32_t i = 0; i < 32; i++)
        bitmap[i] = vm86 ? (uint8_t)random64() : 0xff;
    bitmap[VECTOR_END / 8] |= 1u << VECTOR_END % 8; /* not redirected */
    for (uint32_t i = 32; i < 32 + 129; i++)
        bitmap[i] = 0xff;
    modes_double_fault_tss[7] = cr3;
}

void modes_segments_reset(void)
{
    random_gdt[TASK / 8] = (random_gdt[TASK / 8] & ~(0xffull << 40)) | (uint64_t)TSS_AVAILABLE << 40;
    random_gdt[TASK_32 / 8] = descriptor(address(modes_tss), MODES_TSS_BYTES - 1, TSS_AVAILABLE, 0);
    random_gdt[TASK_DOUBLE_FAULT / 8] = descriptor(address(modes_double_fault_tss), 103, TSS_AVAILABLE, 0);
    modes_double_fault_tss[8] = address(modes_double_fault); /* EIP */
    modes_double_fault_tss[9] = 2;                           /* EFLAGS */
    modes_double_fault_tss[14] = address(modes_stack_top);   /* ESP */
    for (uint32_t i = 18; i < 24; i++)                       /* ES to GS */
        modes_double_fault_tss[i] = i == 19 ? CODE32 : DATA;
    modes_double_fault_tss[24] = 0;
    modes_double_fault_tss[25] = 104u << 16;
}

void modes_segments_prepare(void)
{
    for (uint32_t vector = 0; vector < 256; vector++) {
        const uint64_t stub = address(modes_stubs) + 16 * vector;
        const uint64_t user = vector == 3 || vector == 4 || vector == VECTOR_END || vector >> 4 == 2 ? 0x60 : 0;

        modes_idt[vector] = (stub & 0xffff) | CODE32 << 16 | (INTERRUPT_GATE | user) << 40 | (stub >> 16) << 48;
    }
    modes_idt[8] = TASK_DOUBLE_FAULT << 16 | TASK_GATE << 40;
    random_gdt[CODE16_REAL / 8] = descriptor(address(real_prepare), 0xffff, CODE_READABLE, 0);
    random_gdt[DATA16_REAL / 8] = descriptor(0, 0xffff, DATA_WRITABLE, 0);
    /* Real-address mode keeps the limit. A push where SP is 1 would otherwise be a triple fault. */
    random_gdt[STACK16_REAL / 8] = descriptor(0, 0x1ffff, DATA_WRITABLE, 0);
}
