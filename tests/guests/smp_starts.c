/*
 * smp: what a CPU gets that is sent right after the SIPI that starts it, or before. INIT and SIPI follow each other at
 * once, or after a pause, and there is no second SIPI. NMIs are blocked in the wait-for-SIPI state and stay pending:
 * SDM "Other Causes of VM Exits".
 */
#include "smp.h"

#define PAGE 0x5e000u   /* the code that the SIPI names */
#define COUNTS 0x5d000u /* what it counts, in another page */
#define NMI_VECTOR 2u
#define PATIENCE_TSC 40000000u
#define ROUNDS 4u

/* Source: SDM Vol. 2, opcode tables. In real-address mode, as CS:IP = PAGE:0. */
static const uint8_t code[] = {
    0x68,         COUNTS >> 4 & 0xff,
    COUNTS >> 12, /* PUSH COUNTS >> 4 */
    0x1f,         /* POP DS */
    0xff,         0x06,
    0x00,         0x00, /* INC WORD [0] */
    0xeb,         0xfa, /* JMP to it */
};
#define HANDLER 16u
static const uint8_t handler[] = {
    0x1e, /* PUSH DS */
    0x68,         COUNTS >> 4 & 0xff,
    COUNTS >> 12, /* PUSH COUNTS >> 4 */
    0x1f,         /* POP DS */
    0xff,         0x06,
    0x04,         0x00, /* INC WORD [4] */
    0x1f,               /* POP DS */
    0xcf,               /* IRET */
};

static volatile uint16_t *const rounds = (volatile uint16_t *)(uintptr_t)COUNTS;
static volatile uint16_t *const nmis = (volatile uint16_t *)(uintptr_t)(COUNTS + 4);
static uint32_t not_started, lost, extra;

static void await(volatile uint16_t *count, uint16_t least)
{
    uint64_t begun = tsc();
    while (*count < least && tsc() - begun < PATIENCE_TSC)
        __asm__ volatile("pause");
}

/* So many NMIs, one at most, before and after the SIPI. */
static void start(uint16_t before, uint16_t after)
{
    *rounds = *nmis = 0;
    ipi(1, IPI_INIT);
    if (options.pauses)
        ap_pause(300);
    for (uint32_t i = 0; i < before; i++)
        ipi(1, IPI_NMI);
    ipi(1, IPI_SIPI | PAGE >> 12);
    for (uint32_t i = 0; i < after; i++)
        ipi(1, IPI_NMI);
    await(rounds, ROUNDS);
    if (*rounds < ROUNDS) {
        not_started++;
        return;
    }
    await(nmis, before + after);
    ap_pause(200);
    lost += *nmis < before + after;
    extra += *nmis > before + after;
}

/* The interrupt vector table of real-address mode is at 0, where BIOS has left it. */
static volatile uint32_t *vector(void)
{
    uintptr_t address = NMI_VECTOR * 4;
    __asm__("" : "+r"(address)); /* or the compiler takes it for NULL */
    return (volatile uint32_t *)address;
}

void smp_starts(void)
{
    uint32_t saved = *vector(), state = 9;
    ap_copy((uint8_t *)(uintptr_t)PAGE, code, sizeof(code));
    ap_copy((uint8_t *)(uintptr_t)(PAGE + HANDLER), handler, sizeof(handler));
    *vector() = (PAGE >> 4) << 16 | HANDLER;
    for (uint32_t i = 0; i < options.sipis && !not_started && !lost && !extra; i++) {
        start(0, 0);
        ap_pause(random_next(&state) % 64);
        start(0, 1);
        ap_pause(random_next(&state) % 64);
        start(1, 0);
    }
    expect("starts that failed", not_started, 0);
    expect("NMIs lost", lost, 0);
    expect("NMIs too many", extra, 0);
    *vector() = saved;
    cpu_start(1);
}
