/*
 * PT state under XSAVES and XRSTORS.
 *
 * Source: SDM Vol. 1 "PT State" (13.5.6), "Operation of XSAVES", "Operation of XRSTORS"; 36.3.5.2.
 */
#include "regs.h"

#define MSR_IA32_XSS 0xda0
#define AREA 0x300000ull
#define COMPONENT (AREA + 576) /* compacted: the first after the header */
#define PT (1u << 8)

static void xsaves(uint64_t area, uint32_t features)
{
    __asm__ volatile("xsaves64 (%0)" : : "r"(area), "a"(features), "d"(0) : "memory");
}

/* The vector of the fault of one instruction with the area and the features; NO_FAULT: there was none. */
#define FAULT_OF(instruction)                                                                                          \
    static uint64_t fault_of_##instruction(uint64_t area, uint32_t features)                                           \
    {                                                                                                                  \
        row_fault = NO_FAULT;                                                                                          \
        __asm__ volatile("movq $1f, row_fixup\n\t" #instruction "64 (%0)\n"                                            \
                         "1:\tmovq $0, row_fixup"                                                                      \
                         :                                                                                             \
                         : "r"(area), "a"(features), "d"(0)                                                            \
                         : "memory");                                                                                  \
        return row_fault;                                                                                              \
    }
FAULT_OF(xrstors)
FAULT_OF(xsaves)

static void enumeration(void)
{
    uint32_t words[4];
    cpuid(0xd, 1, words);
    check("CPUID.(0DH,1):EAX has XSAVES", (words[0] & 8) != 0);
    check_equal("CPUID.(0DH,1):ECX[8]", words[2] >> 8 & 1, 1);
    cpuid(0xd, 8, words);
    check_equal("CPUID.(0DH,8):EAX is the size", words[0], 128);
    check_equal("CPUID.(0DH,8):EBX", words[1], 0);
    check_equal("CPUID.(0DH,8):ECX is supervisor state", words[2], 1);
    check_equal("IA32_XSS is 0", rdmsr(MSR_IA32_XSS), 0);
    check("IA32_XSS: reserved bit 9", wrmsr_faults(MSR_IA32_XSS, 1 << 9));
    check("IA32_XSS: bits 8 and 9", wrmsr_faults(MSR_IA32_XSS, 3 << 8));
    check("IA32_XSS: bit 8", !wrmsr_faults(MSR_IA32_XSS, PT));
    check_equal("IA32_XSS has bit 8", rdmsr(MSR_IA32_XSS), PT);
    cpuid(0xd, 1, words);
    check_equal("CPUID.(0DH,1):EBX has room for it", words[1], 576 + 128);
}

static void save(uint64_t ctl)
{
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = TABLE | 1;
    pt_reset();
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, 0x100ull << 32);
    wrmsr(MSR_RTIT_CR3_MATCH, 0x1234000);
    wrmsr(MSR_RTIT_CTL, ctl);
    trace_bytes(64);
    for (uint64_t n = 0; n < 1024; n += 8)
        qwords(AREA + n)[0] = n < 576 ? 0 : 0x77;
    for (uint64_t n = 576; n < 704; n += 8)
        qwords(AREA + n)[0] = ~0ull;
    xsaves(AREA, PT);
}

static void saving(void)
{
    save(CTL_TOPA);
    check_equal("XSAVES: XSTATE_BV", qwords(AREA + 512)[0], PT);
    check_equal("XSAVES: XCOMP_BV", qwords(AREA + 520)[0], 1ull << 63 | PT);
    check_equal("XSAVES: IA32_RTIT_CTL with TraceEn", qwords(COMPONENT)[0], CTL_TOPA);
    check_equal("XSAVES clears TraceEn", rdmsr(MSR_RTIT_CTL), CTL_TOPA & ~RTIT_CTL_TRACE_EN);
    check_equal("XSAVES: OUTPUT_BASE", qwords(COMPONENT)[1], TABLE);
    check_equal("XSAVES: OUTPUT_MASK_PTRS, after all was written", qwords(COMPONENT)[2],
                rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS));
    check("XSAVES: which has moved", qwords(COMPONENT)[2] >> 32 > 0x140);
    check_equal("XSAVES: STATUS", qwords(COMPONENT)[3], rdmsr(MSR_RTIT_STATUS));
    check_equal("XSAVES: CR3_MATCH", qwords(COMPONENT)[4], 0x1234000);
    bool zero = true;
    for (unsigned n = 9; n < 16; n++)
        zero = zero && qwords(COMPONENT)[n] == 0;
    check("XSAVES: the reserved part is 0", zero);
    check_equal("XSAVES: nothing after the component", qwords(AREA + 704)[0], 0x77);
    qwords(TABLE)[0] = REGION;
    uint64_t ptrs = qwords(COMPONENT)[2];
    check_equal("XRSTORS: no fault", fault_of_xrstors(AREA, PT), NO_FAULT);
    check_equal("XRSTORS: IA32_RTIT_CTL", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    check_equal("XRSTORS: tracing continues", rdmsr(MSR_RTIT_STATUS) & 0x3f, 7);
    check_equal("XRSTORS with TraceEn = 1 faults", fault_of_xrstors(AREA, PT), 13);
    trace_bytes(64);
    wrmsr(MSR_RTIT_CTL, 0);
    check("XRSTORS: from where it was", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 >= (ptrs >> 32) + 64);
}

static void restoring(void)
{
    static const struct {
        const char *name;
        unsigned n;
        uint64_t value;
    } wrong[] = {
        {"XRSTORS: IA32_RTIT_CTL with a reserved bit", 0, 1ull << 63},
        {"XRSTORS: OUTPUT_BASE with a reserved bit", 1, 1},
        {"XRSTORS: STATUS with a reserved bit", 3, 8},
        {"XRSTORS: CR3_MATCH with a reserved bit", 4, 1},
    };
    for (unsigned n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
        save(CTL_TOPA & ~RTIT_CTL_TRACE_EN);
        qwords(COMPONENT)[wrong[n].n] = wrong[n].value;
        check_equal(wrong[n].name, fault_of_xrstors(AREA, PT), 13);
    }
    save(CTL_TOPA & ~RTIT_CTL_TRACE_EN);
    qwords(AREA + 512)[0] = 0;
    check_equal("XRSTORS to the initial configuration: no fault", fault_of_xrstors(AREA, PT), NO_FAULT);
    check_equal("XRSTORS to the initial configuration: CTL", rdmsr(MSR_RTIT_CTL), 0);
    check_equal("XRSTORS to the initial configuration: OUTPUT_BASE", rdmsr(MSR_RTIT_OUTPUT_BASE), 0);
    check_equal("XRSTORS to the initial configuration: CR3_MATCH", rdmsr(MSR_RTIT_CR3_MATCH), 0);
    xsaves(AREA, PT);
    check_equal("XSAVES of the initial configuration: XSTATE_BV", qwords(AREA + 512)[0], 0);
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    check_equal("XRSTORS to the initial configuration, TraceEn = 1, faults", fault_of_xrstors(AREA, PT), 13);
    check_equal("which changes nothing", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    wrmsr(MSR_IA32_XSS, 0);
    qwords(AREA + 520)[0] = 0;
    xsaves(AREA, PT);
    check_equal("without IA32_XSS[8] XSAVES does not touch PT", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    wrmsr(MSR_IA32_XSS, PT);
    check_equal("XSAVES where it may not write", fault_of_xsaves(0x7ffffffff000ull, PT), 14);
    check_equal("leaves TraceEn as it was", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    wrmsr(MSR_RTIT_CTL, 0);
}

void tests(void)
{
    uint64_t cr4;
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | 1 << 18));
    pt_reset();
    enumeration();
    saving();
    restoring();
}
