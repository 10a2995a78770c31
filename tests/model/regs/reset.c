/*
 * What a warm reset keeps of IA32_RTIT_*: all but TraceEn where CPUID.14H:EBX[2] = 1, else nothing. The ROM restarts;
 * memory is kept.
 *
 * Source: SDM "General Considerations" (36.2.7.1), "Warm Reset" (36.3.4), Table 36-11.
 */
#include "regs.h"

#define PLACE 0x380000ull /* how far the test is */
#define MAGIC 0x7465736572ull

static void reset_now(void)
{
    __asm__ volatile("outb %%al, %%dx" : : "a"(2), "d"(0xcf9));
    __asm__ volatile("outb %%al, %%dx\n"
                     "1:\thlt\n\t"
                     "jmp 1b"
                     :
                     : "a"(6), "d"(0xcf9));
}

static void before(void)
{
    pt_reset();
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = TABLE | 1;
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_CR3_MATCH, 0x1234000);
    if (KEEPS)
        wrmsr(MSR_RTIT_ADDR0_A, 0x5678);
    qwords(PLACE)[0] = MAGIC;
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    trace_bytes(64);
    reset_now();
}

void tests(void)
{
    if (qwords(PLACE)[0] != MAGIC)
        before();
    check_equal("warm reset: IA32_RTIT_CTL, TraceEn cleared", rdmsr(MSR_RTIT_CTL),
                KEEPS ? CTL_TOPA & ~RTIT_CTL_TRACE_EN : 0);
    check_equal("warm reset: OUTPUT_BASE", rdmsr(MSR_RTIT_OUTPUT_BASE), KEEPS ? TABLE : 0);
    check("warm reset: OUTPUT_MASK_PTRS, where the trace ended",
          (rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 > 64) == KEEPS);
    check_equal("warm reset: CR3_MATCH", rdmsr(MSR_RTIT_CR3_MATCH), KEEPS ? 0x1234000 : 0);
    if (KEEPS)
        check_equal("warm reset: ADDR0_A", rdmsr(MSR_RTIT_ADDR0_A), 0x5678);
    check_equal("warm reset: no Error, no Stopped, no TriggerEn", rdmsr(MSR_RTIT_STATUS) & 0x37, 0);
}
