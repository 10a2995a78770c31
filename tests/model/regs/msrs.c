/*
 * Every #GP rule of IA32_RTIT_*, against the words of CPUID that this processor reports; CPUID against the words that
 * the profile's options name.
 *
 * Source: SDM "General Considerations" (36.2.7.1) to "IA32_RTIT_OUTPUT_MASK_PTRS MSR" (36.2.7.8), Tables 36-6 to 36-12.
 */
#include "regs.h"

static uint32_t sub0[4], sub1[4];

/* A write, and what of CPUID.14H it needs: all of ebx, one of ecx, so many ranges. */
struct rule {
    const char *name;
    uint32_t msr;
    uint64_t value;
    uint32_t ebx, ecx, ranges;
    bool never; /* faults on all processors */
};

static const struct rule rules[] = {
    {"CTL: 0", MSR_RTIT_CTL, 0, 0, 0, 0, false},
    {"CTL: OS, USR", MSR_RTIT_CTL, RTIT_CTL_OS | RTIT_CTL_USER, 0, 0, 0, false},
    {"CTL: BranchEn", MSR_RTIT_CTL, RTIT_CTL_BRANCH_EN, 0, 0, 0, false},
    {"CTL: TSCEn", MSR_RTIT_CTL, RTIT_CTL_TSC_EN, 0, 0, 0, false},
    {"CTL: DisRETC", MSR_RTIT_CTL, RTIT_CTL_DIS_RETC, 0, 0, 0, false},
    {"CTL: CR3Filter", MSR_RTIT_CTL, RTIT_CTL_CR3_FILTER, 1 << 0, 0, 0, false},
    {"CTL: CYCEn", MSR_RTIT_CTL, RTIT_CTL_CYC_EN, 1 << 1, 0, 0, false},
    {"CTL: PwrEvtEn", MSR_RTIT_CTL, RTIT_CTL_PWR_EVT_EN, 1 << 5, 0, 0, false},
    {"CTL: FUPonPTW", MSR_RTIT_CTL, RTIT_CTL_FUP_ON_PTW, 1 << 4, 0, 0, false},
    {"CTL: PTWEn", MSR_RTIT_CTL, RTIT_CTL_PTW_EN, 1 << 4, 0, 0, false},
    {"CTL: MTCEn", MSR_RTIT_CTL, RTIT_CTL_MTC_EN, 1 << 3, 0, 0, false},
    {"CTL: EventEn", MSR_RTIT_CTL, RTIT_CTL_EVENT_EN, 1 << 7, 0, 0, false},
    {"CTL: DisTNT", MSR_RTIT_CTL, RTIT_CTL_DIS_TNT, 1 << 8, 0, 0, false},
    {"CTL: InjectPsbPmiOnEnable", MSR_RTIT_CTL, RTIT_CTL_INJECT_PSB_PMI, 1 << 6, 0, 0, false},
    {"CTL: FabricEn", MSR_RTIT_CTL, RTIT_CTL_FABRIC_EN, 0, 1 << 3, 0, false},
    {"CTL: ToPA", MSR_RTIT_CTL, RTIT_CTL_TOPA, 0, 1 << 0, 0, false},
    {"CTL: reserved bit 18", MSR_RTIT_CTL, 1ull << 18, 0, 0, 0, true},
    {"CTL: reserved bit 23", MSR_RTIT_CTL, 1ull << 23, 0, 0, 0, true},
    {"CTL: reserved bit 28", MSR_RTIT_CTL, 1ull << 28, 0, 0, 0, true},
    {"CTL: reserved bit 30", MSR_RTIT_CTL, 1ull << 30, 0, 0, 0, true},
    {"CTL: reserved bit 48", MSR_RTIT_CTL, 1ull << 48, 0, 0, 0, true},
    {"CTL: reserved bit 63", MSR_RTIT_CTL, 1ull << 63, 0, 0, 0, true},
    {"CTL: TraceEn with the single range", MSR_RTIT_CTL, RTIT_CTL_TRACE_EN, 0, 1 << 2, 0, false},
    {"STATUS: FilterEn, ContextEn, TriggerEn are ignored", MSR_RTIT_STATUS, 7, 0, 0, 0, false},
    {"STATUS: reserved bit 3", MSR_RTIT_STATUS, 1 << 3, 0, 0, 0, true},
    {"STATUS: Error, Stopped", MSR_RTIT_STATUS, 0x30, 0, 0, 0, false},
    {"STATUS: PendPSB, PendTopaPMI", MSR_RTIT_STATUS, 0xc0, 1 << 6, 0, 0, false},
    {"STATUS: reserved bit 8", MSR_RTIT_STATUS, 1 << 8, 0, 0, 0, true},
    {"STATUS: reserved bit 31", MSR_RTIT_STATUS, 1ull << 31, 0, 0, 0, true},
    {"STATUS: PacketByteCnt", MSR_RTIT_STATUS, 0x1ffffull << 32, 1 << 1, 0, 0, false},
    {"STATUS: reserved bit 49", MSR_RTIT_STATUS, 1ull << 49, 0, 0, 0, true},
    {"STATUS: 0", MSR_RTIT_STATUS, 0, 0, 0, 0, false},
    {"CR3_MATCH: bits 63:5", MSR_RTIT_CR3_MATCH, ~0x1full, 1 << 0, 0, 0, false},
    {"CR3_MATCH: bit 4", MSR_RTIT_CR3_MATCH, 0x10, 0, 0, 0, true},
    {"OUTPUT_BASE: bits 39:7", MSR_RTIT_OUTPUT_BASE, 0xffffffff80ull, 0, 5, 0, false},
    {"OUTPUT_BASE: bit 6", MSR_RTIT_OUTPUT_BASE, 0x40, 0, 0, 0, true},
    {"OUTPUT_BASE: above MAXPHYADDR", MSR_RTIT_OUTPUT_BASE, 1ull << 40, 0, 0, 0, true},
    {"OUTPUT_MASK_PTRS: all bits", MSR_RTIT_OUTPUT_MASK_PTRS, ~0ull, 0, 5, 0, false},
    {"OUTPUT_MASK_PTRS: 0", MSR_RTIT_OUTPUT_MASK_PTRS, 0, 0, 5, 0, false},
    {"ADDR0_A", MSR_RTIT_ADDR0_A, 0xffff800000000000, 0, 0, 1, false},
    {"ADDR0_B", MSR_RTIT_ADDR0_A + 1, 0x7fffffffffff, 0, 0, 1, false},
    {"ADDR0_A: not canonical", MSR_RTIT_ADDR0_A, 0x800000000000, 0, 0, 0, true},
    {"ADDR1_B", MSR_RTIT_ADDR0_A + 3, 1, 0, 0, 2, false},
    {"ADDR2_A", MSR_RTIT_ADDR0_A + 4, 1, 0, 0, 3, false},
    {"ADDR3_B", MSR_RTIT_ADDR0_A + 7, 1, 0, 0, 4, false},
};

static uint32_t nr_ranges(void)
{
    return sub0[1] & 1 << 2 ? sub1[0] & 7 : 0;
}

static bool allowed(const struct rule *rule)
{
    return !rule->never && (sub0[1] & rule->ebx) == rule->ebx && (rule->ecx == 0 || (sub0[2] & rule->ecx) != 0) &&
           nr_ranges() >= rule->ranges;
}

static void check_rules(void)
{
    for (unsigned n = 0; n < sizeof(rules) / sizeof(rules[0]); n++) {
        check(rules[n].name, wrmsr_faults(rules[n].msr, rules[n].value) == !allowed(&rules[n]));
        if (rules[n].msr == MSR_RTIT_CTL)
            wrmsr(MSR_RTIT_CTL, 0);
    }
    wrmsr(MSR_RTIT_STATUS, 0);
    check("CR3_MATCH is readable where it is", rdmsr_faults(MSR_RTIT_CR3_MATCH) == !(sub0[1] & 1));
    check("OUTPUT_BASE is readable where it is", rdmsr_faults(MSR_RTIT_OUTPUT_BASE) == !(sub0[2] & 5));
    for (uint32_t n = 0; n < 8; n++)
        check_n("ADDRn_A/B is readable where it is:", n, rdmsr_faults(MSR_RTIT_ADDR0_A + n) == (n / 2 >= nr_ranges()));
}

static void check_encodings(void)
{
    for (uint64_t code = 0; code < 16; code++) {
        bool mtc = (sub0[1] & 1 << 3) && (sub1[0] >> 16 >> code & 1);
        bool cyc = (sub0[1] & 1 << 1) && (sub1[1] >> code & 1);
        bool psb = code == 0 || ((sub0[1] & 1 << 1) && (sub1[1] >> 16 >> code & 1));
        check_n("MTCFreq", code, wrmsr_faults(MSR_RTIT_CTL, RTIT_CTL_MTC_EN | code << 14) == !mtc);
        check_n("CycThresh", code, wrmsr_faults(MSR_RTIT_CTL, RTIT_CTL_CYC_EN | code << 19) == !cyc);
        check_n("PSBFreq", code, wrmsr_faults(MSR_RTIT_CTL, code << 24) == !psb);
        for (uint32_t range = 0; range < 4; range++) {
            bool good = code == 0 || (code <= 2 && range < nr_ranges());
            check_n("ADDRn_CFG", 16 * range + code, wrmsr_faults(MSR_RTIT_CTL, code << (32 + 4 * range)) == !good);
        }
        wrmsr(MSR_RTIT_CTL, 0);
    }
}

/* 36.2.7.1: with TraceEn = 1 all but the same value of IA32_RTIT_CTL, and clearing TraceEn, fault. */
static void check_enabled(void)
{
    uint64_t ctl = sub0[2] & 1 ? CTL_TOPA : CTL_TRACE;
    qwords(TABLE)[0] = REGION;
    qwords(TABLE)[1] = TABLE | 1;
    wrmsr(MSR_RTIT_OUTPUT_BASE, sub0[2] & 1 ? TABLE : REGION);
    wrmsr(MSR_RTIT_OUTPUT_MASK_PTRS, sub0[2] & 1 ? 0 : 0xfff);
    wrmsr(MSR_RTIT_CTL, ctl);
    check("enabled: the same value", !wrmsr_faults(MSR_RTIT_CTL, ctl));
    check("enabled: another bit", wrmsr_faults(MSR_RTIT_CTL, ctl ^ RTIT_CTL_DIS_RETC));
    check("enabled: STATUS", wrmsr_faults(MSR_RTIT_STATUS, 0));
    check("enabled: OUTPUT_BASE", wrmsr_faults(MSR_RTIT_OUTPUT_BASE, TABLE));
    check("enabled: OUTPUT_MASK_PTRS", wrmsr_faults(MSR_RTIT_OUTPUT_MASK_PTRS, 0));
    check("enabled: CR3_MATCH", wrmsr_faults(MSR_RTIT_CR3_MATCH, 0));
    check("enabled: ADDR0_A", wrmsr_faults(MSR_RTIT_ADDR0_A, 0));
    check_equal("enabled: STATUS has TriggerEn, ContextEn, FilterEn", rdmsr(MSR_RTIT_STATUS) & 0x3f, 7);
    check("enabled: TraceEn is cleared, another bit set", !wrmsr_faults(MSR_RTIT_CTL, RTIT_CTL_DIS_RETC));
    check_equal("then STATUS keeps ContextEn, FilterEn: it is not modified", rdmsr(MSR_RTIT_STATUS) & 7, 3);
    check("then PacketByteCnt counts, where it is", (rdmsr(MSR_RTIT_STATUS) >> 32 != 0) == ((sub0[1] & 2) != 0));
    wrmsr(MSR_RTIT_STATUS, RTIT_STATUS_STOPPED);
    uint64_t ptrs = rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS);
    wrmsr(MSR_RTIT_CTL, ctl);
    check_equal("Stopped: no TriggerEn, but FilterEn", rdmsr(MSR_RTIT_STATUS) & 0x35, RTIT_STATUS_STOPPED | 1);
    wrmsr(MSR_RTIT_CTL, 0);
    wrmsr(MSR_RTIT_CTL, ctl & ~RTIT_CTL_OS);
    check_equal("Stopped: ContextEn is not updated", rdmsr(MSR_RTIT_STATUS) & 2, 2);
    wrmsr(MSR_RTIT_CTL, 0);
    check_equal("Stopped: the output stays where it is", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS), ptrs);
    wrmsr(MSR_RTIT_STATUS, 0);
    if (nr_ranges() == 0)
        return;
    wrmsr(MSR_RTIT_CTL, (ctl & ~RTIT_CTL_OS) | 2ull << 32);
    check_equal("only a TraceStop range: FilterEn, out of context too", rdmsr(MSR_RTIT_STATUS) & 7, 5);
    wrmsr(MSR_RTIT_CTL, 0);
    wrmsr(MSR_RTIT_CTL, (ctl & ~RTIT_CTL_OS) | 1ull << 32);
    check_equal("a filter range: no FilterEn out of context", rdmsr(MSR_RTIT_STATUS) & 7, 4);
    wrmsr(MSR_RTIT_CTL, 0);
}

static void check_cpuid(void)
{
    static const uint32_t expected[6] = {EXPECTED_CPUID14};
    uint32_t words[4];
    cpuid(0, 0, words);
    check("CPUID reports leaf 15H or more", words[0] >= 0x15);
    cpuid(7, 0, words);
    check("CPUID.7.EBX[25]", (words[1] >> 25 & 1) != 0);
    for (unsigned n = 0; n < 4; n++)
        check_equal("CPUID.(14H,0)", sub0[n], expected[n]);
    for (unsigned n = 0; n < 2; n++)
        check_equal("CPUID.(14H,1)", sub1[n], expected[4 + n]);
    cpuid(0x14, 2, words);
    check("CPUID.(14H,2) is 0", (words[0] | words[1] | words[2] | words[3]) == 0);
    cpuid(0x15, 0, words);
    check("CPUID.15H has a ratio", words[0] != 0 && words[1] != 0);
    check_equal("IA32_RTIT_OUTPUT_MASK_PTRS[6:0] are ones", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS), 0x7f);
}

void tests(void)
{
    cpuid(0x14, 0, sub0);
    if (sub0[0] >= 1)
        cpuid(0x14, 1, sub1);
    check_cpuid();
    check_rules();
    check_encodings();
    check_enabled();
}
