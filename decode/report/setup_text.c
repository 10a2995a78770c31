#include "decode/report/setup_text.h"

#include <inttypes.h>

#include "pt/caps.h"
#include "pt/rtit.h"

#define NAME "  %-28s "

static void print_levels(FILE *file, uint64_t ctl)
{
    static const char *const levels[] = {"nothing: pt.os and pt.user are both off", "privilege level 0",
                                         "privilege levels 1 to 3", "all privilege levels"};
    unsigned index = (ctl & RTIT_CTL_OS ? 1u : 0u) + (ctl & RTIT_CTL_USER ? 2u : 0u);
    fprintf(file, NAME "%s\n", "traced", levels[index]);
}

static void print_cr3(FILE *file, uint64_t ctl, struct record_text hello)
{
    uint64_t cr3 = 0, other = 0;
    text_find_number(&cr3, hello, "rtit_cr3_match");
    text_find_number(&other, hello, "rtit_cr3_match_too");
    if (!(ctl & RTIT_CTL_CR3_FILTER))
        fprintf(file, NAME "all\n", "address space");
    else if (other == 0)
        fprintf(file, NAME "only while CR3 is %#" PRIx64 "\n", "address space", cr3);
    else
        fprintf(file, NAME "only while CR3 is %#" PRIx64 " or %#" PRIx64 "\n", "address spaces", cr3, other);
}

static void print_ranges(FILE *file, uint64_t ctl, struct record_text hello)
{
    bool any = false;
    for (unsigned i = 0; i < PT_MAX_RANGES; i++) {
        char name[] = "rtit_addr0_a";
        uint64_t start = 0, end = 0, kind = ctl >> (RTIT_CTL_ADDR0_CFG_SHIFT + 4 * i) & 15;
        if (kind == PT_RANGE_OFF)
            continue;
        any = true;
        name[9] = (char)('0' + i);
        text_find_number(&start, hello, name);
        name[11] = 'b';
        text_find_number(&end, hello, name);
        fprintf(file, NAME "%s from %#" PRIx64 " to %#" PRIx64 "\n", "addresses",
                kind == PT_RANGE_FILTER ? "only" : "tracing stops at the first instruction", start, end);
    }
    if (!any)
        fprintf(file, NAME "all\n", "addresses");
}

static void print_timing(FILE *file, uint64_t ctl)
{
    fprintf(file, NAME "%s", "timing packets", ctl & RTIT_CTL_TSC_EN ? "TSC" : "no TSC");
    if (ctl & RTIT_CTL_MTC_EN)
        fprintf(file, ", MTC every %u crystal clocks", 1u << (ctl >> RTIT_CTL_MTC_FREQ_SHIFT & 15));
    if (ctl & RTIT_CTL_CYC_EN) {
        unsigned threshold = ctl >> RTIT_CTL_CYC_THRESH_SHIFT & 15;
        fprintf(file, ", CYC after %u cycles or more", threshold ? 1u << (threshold - 1) : 0);
    }
    fputc('\n', file);
}

static void print_switch(FILE *file, struct record_text hello)
{
    struct record_text way = {"", 0};
    text_find(&way, hello, "pt_switch");
    const char *words = "unknown";
    if (text_equals(way, "root"))
        words = "TraceEn is set in root operation: a few of its instructions are traced";
    else if (text_equals(way, "list"))
        words = "IA32_RTIT_CTL is in the MSR-load lists: only the guest is traced";
    else if (text_equals(way, "vmcs"))
        words = "IA32_RTIT_CTL is in the VMCS: only the guest is traced";
    fprintf(file, NAME "%s\n", "VM entries and exits", words);
}

/* Old captures do not have these lines. */
static void print_output(FILE *file, struct record_text hello)
{
    struct record_text scheme = {"", 0}, policy = {"", 0};
    uint64_t bytes = 0, regions = 0;
    text_find(&scheme, hello, "pt_scheme");
    text_find(&policy, hello, "policy");
    const char *kind = text_equals(scheme, "topa")     ? "ToPA tables of"
                       : text_equals(scheme, "single") ? "ToPA, one region at a time of"
                                                       : "a single range, of the memory of";
    if (text_find_number(&bytes, hello, "pt_region_bytes") && text_find_number(&regions, hello, "pt_regions"))
        fprintf(file, NAME "%s %" PRIu64 " regions of %" PRIu64 " KiB\n", "output", kind, regions, bytes >> 10);
    const char *words = text_equals(policy, "stall")  ? "the guest waits"
                        : text_equals(policy, "drop") ? "tracing pauses, and a gap is recorded"
                        : text_equals(policy, "ring") ? "the newest bytes are kept, and sent on a trigger"
                                                      : NULL;
    if (words)
        fprintf(file, NAME "%s\n", "when the wire is too slow", words);
}

void setup_print(FILE *file, struct record_text hello)
{
    uint64_t ctl, ebx = 0;
    if (!text_find_number(&ctl, hello, "rtit_ctl") || ctl == 0)
        return;
    text_find_number(&ebx, hello, "cpuid_14_0_ebx");
    print_levels(file, ctl);
    print_cr3(file, ctl, hello);
    print_ranges(file, ctl, hello);
    fprintf(file, NAME "%s\n", "branches",
            !(ctl & RTIT_CTL_BRANCH_EN) ? "no"
            : ctl & RTIT_CTL_DIS_RETC   ? "yes, each return with its target"
                                        : "yes, returns to their call compressed");
    fprintf(file, NAME "%s\n", "PTWRITE", ctl & RTIT_CTL_PTW_EN ? "yes" : "no");
    print_timing(file, ctl);
    if (ebx & CPUID_14_EBX_CPSB_CAM)
        fprintf(file, NAME "about every %u KiB\n", "PSB", 2u << (ctl >> RTIT_CTL_PSB_FREQ_SHIFT & 15));
    else
        fprintf(file, NAME "at the CPU's default interval\n", "PSB");
    print_switch(file, hello);
    print_output(file, hello);
}
