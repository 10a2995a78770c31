/* What random code runs on, set once: descriptors, gates, control registers, MSRs. */
#include "machine.h"
#include "random.h"

#define EFER_NXE_SCE_LMA 0xd01u

static void tables_make(void)
{
    const uint64_t ldt = (uint64_t)(uintptr_t)random_ldt, tss = (uint64_t)(uintptr_t)random_tss;
    const uint64_t stack = (uint64_t)(uintptr_t)random_stack_top;
    static const uint64_t segments[] = {0,
                                        0x00cf9b000000ffff,
                                        0x00af9b000000ffff,
                                        0x00cf93000000ffff,
                                        0x00cff3000000ffff,
                                        0x00affb000000ffff,
                                        0x00cf9b000000ffff,
                                        0x00cffb000000ffff,
                                        0x008f9b000000ffff,
                                        0x008ffb000000ffff,
                                        0x00afbb000000ffff,
                                        0x00cfb3000000ffff};

    for (uint32_t i = 0; i < sizeof segments / sizeof segments[0]; i++)
        random_gdt[i] = segments[i];
    random_gdt[TASK / 8] = 0x0000890000000067 | (tss & 0xffffff) << 16 | (tss >> 24 & 0xff) << 56;
    random_gdt[TASK / 8 + 1] = tss >> 32;
    random_gdt[LOCAL / 8] = 0x0000820000000000 | (8 * NR_LOCAL - 1) | (ldt & 0xffffff) << 16 | (ldt >> 24 & 0xff) << 56;
    random_gdt[LOCAL / 8 + 1] = ldt >> 32;
    for (uint32_t i = 0; i < NR_LOCAL; i++)
        random_ldt[i] = random_gdt[i % 2 ? DATA / 8 : CODE32_3 / 8];
    random_gdt[ABSENT / 8] = 0x00cf72000000ffff;
    random_gdt[READ_ONLY / 8] = 0x00cff0000000ffff;
    /* RSP0 to RSP2 at 4, IST1 at 24H, IST2 at 2CH. */
    for (uint32_t at = 4; at <= 0x24; at += at == 0x14 ? 0x10 : 8) {
        ((uint32_t *)random_tss)[at / 4] = (uint32_t)stack;
        ((uint32_t *)random_tss)[at / 4 + 1] = (uint32_t)(stack >> 32);
    }
    ((uint32_t *)random_tss)[0x2c / 4] = (uint32_t)(uintptr_t)random_nmi_stack_top;
    ((uint32_t *)random_tss)[0x64 / 4] = 104u << 16; /* no I/O permission bitmap */
    for (uint32_t vector = 0; vector < 256; vector++) {
        const uint64_t stub = (uint64_t)(uintptr_t)random_stubs + 16 * vector;
        const uint64_t user = vector == 3 || vector == 4 || vector == VECTOR_END || vector >> 4 == 2 ? 0x6000 : 0;

        random_idt[2 * vector] = (stub & 0xffff) | CODE64 << 16 | (user | (vector == 2 ? 0x8e02 : 0x8e01)) << 32 |
                                 (stub >> 16 & 0xffff) << 48;
        random_idt[2 * vector + 1] = stub >> 32;
    }
}

static void tables_load(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } gdtr = {8 * NR_GDT - 1, (uint64_t)(uintptr_t)random_gdt}, idtr = {4095, (uint64_t)(uintptr_t)random_idt};

    __asm__ volatile("lgdt %0\n\tlidt %1" : : "m"(gdtr), "m"(idtr));
    __asm__ volatile("ltr %w0\n\tlldt %w1" : : "r"(TASK), "r"(LOCAL));
}

void machine_prepare(bool watched)
{
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    APIC(0xf0) = 0x1ff;
    tables_make();
    tables_load();
    if (watched)
        watch_prepare();
    space_make();
    msr_set(0xc0000080, EFER_NXE_SCE_LMA);
    msr_set(0xc0000081, (uint64_t)(DATA | 3) << 48 | (uint64_t)CODE64 << 32); /* IA32_STAR */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)random_syscall);                 /* IA32_LSTAR */
    msr_set(0xc0000084, 0x47700);                                             /* IA32_FMASK */
    msr_set(0x174, CODE64);                                                   /* IA32_SYSENTER_CS */
    msr_set(0x175, (uint64_t)(uintptr_t)random_stack_top);                    /* IA32_SYSENTER_ESP */
    msr_set(0x176, (uint64_t)(uintptr_t)random_sysenter);                     /* IA32_SYSENTER_EIP */
    uint64_t cr0, cr4;
    __asm__ volatile("movq %%cr0, %0\n\tmovq %%cr4, %1" : "=r"(cr0), "=r"(cr4));
    cr0 = (cr0 | 0x50022) & ~0x6000000cull; /* AM, WP, NE, MP; not CD, NW, TS, EM */
    cr4 |= 0x600;                           /* OSFXSR, OSXMMEXCPT */
    __asm__ volatile("movq %0, %%cr0\n\tmovq %1, %%cr4" : : "r"(cr0), "r"(cr4));
}
