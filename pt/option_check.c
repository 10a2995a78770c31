/* Kind: core */
/*
 * What can be chosen on a CPU, and the message for an option that asks for more.
 *
 * Source: SDM Tables "CPUID Leaf 14H Enumeration" (36.3.1); Table "IA32_RTIT_CTL MSR" for the codes.
 */
#include "base/log.h"
#include "pt/caps.h"
#include "pt/rtit.h"

#define PSB_BYTES_MIN 2048ull /* PSBFreq 0 */
#define PSB_CODE_AUTO 3       /* 16K */
#define MTC_CODE_AUTO 6       /* every 64 ticks of the crystal clock */

/* A line that is being written. */
struct line {
    char *text;
    size_t size, used;
};

/* CPUID.(14H,1), if sub-leaf 0 says that it exists. */
static uint32_t sub_leaf1(const struct pt_cpuid *cpuid, unsigned reg)
{
    return cpuid->leaf14_0[0] >= 1 ? cpuid->leaf14_1[reg] : 0;
}

static bool cpuid_has(const struct pt_cpuid *cpuid, uint32_t ebx_bit)
{
    return (cpuid->leaf14_0[1] & ebx_bit) != 0;
}

/* Bitmaps of the codes that the CPU supports. */
static uint32_t psb_codes(const struct pt_cpuid *cpuid)
{
    return cpuid_has(cpuid, CPUID_14_EBX_CPSB_CAM) ? sub_leaf1(cpuid, 1) >> 16 : 0;
}

static uint32_t cyc_codes(const struct pt_cpuid *cpuid)
{
    return cpuid_has(cpuid, CPUID_14_EBX_CPSB_CAM) ? sub_leaf1(cpuid, 1) & 0xffff : 0;
}

static uint32_t mtc_codes(const struct pt_cpuid *cpuid)
{
    return cpuid_has(cpuid, CPUID_14_EBX_MTC) ? sub_leaf1(cpuid, 0) >> 16 : 0;
}

uint32_t pt_nr_ranges(const struct pt_cpuid *cpuid)
{
    uint32_t nr = cpuid_has(cpuid, CPUID_14_EBX_IP_FILTER) ? sub_leaf1(cpuid, 0) & 7 : 0;
    return nr < PT_MAX_RANGES ? nr : PT_MAX_RANGES;
}

int pt_psb_code(const struct pt_cpuid *cpuid, uint32_t psb_bytes)
{
    uint32_t codes = psb_codes(cpuid);
    if (psb_bytes == PT_PSB_AUTO)
        return codes >> PSB_CODE_AUTO & 1 ? PSB_CODE_AUTO : -1;
    for (int code = 0; code < 16; code++)
        if (PSB_BYTES_MIN << code == psb_bytes)
            return codes >> code & 1 ? code : -1;
    return -1;
}

int pt_mtc_code(const struct pt_cpuid *cpuid, const struct pt_options *config)
{
    if (!config->mtc_on)
        return -1;
    if (config->mtc != PT_MTC_AUTO)
        return config->mtc;
    for (int code = MTC_CODE_AUTO; code < 16 && config->tsc; code++)
        if (mtc_codes(cpuid) >> code & 1)
            return code;
    return -1;
}

static __attribute__((format(printf, 2, 3))) void line_add(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line->used += format_text_v(line->text + line->used, line->size - line->used, format, args);
    va_end(args);
}

/* A size as the options spell it. */
static void add_size(struct line *line, uint64_t bytes)
{
    bool mib = bytes >= 1u << 20;
    line_add(line, " %llu%c", (unsigned long long)(bytes >> (mib ? 20 : 10)), mib ? 'M' : 'K');
}

static bool code_bad(struct line *line, const char *option, bool on, uint8_t code, uint32_t codes)
{
    if (!on || codes >> code & 1)
        return false;
    line_add(line, "%s=%u: this CPU supports off", option, code);
    for (unsigned i = 0; i < 16; i++)
        if (codes >> i & 1)
            line_add(line, " %u", i);
    return true;
}

static bool psb_bad(struct line *line, const struct pt_cpuid *cpuid, uint32_t bytes)
{
    if (bytes == 0 || bytes == PT_PSB_AUTO || pt_psb_code(cpuid, bytes) >= 0)
        return false;
    line_add(line, "pt.psb=");
    line->used += format_text(line->text + line->used, line->size - line->used, "%u%c",
                              bytes >> (bytes >= 1u << 20 ? 20 : 10), bytes >= 1u << 20 ? 'M' : 'K');
    line_add(line, ": this CPU supports auto 0");
    for (unsigned i = 0; i < 16; i++)
        if (psb_codes(cpuid) >> i & 1)
            add_size(line, PSB_BYTES_MIN << i);
    return true;
}

static bool ranges_bad(struct line *line, const struct pt_cpuid *cpuid, const struct pt_range *ranges)
{
    uint32_t nr = pt_nr_ranges(cpuid);
    for (unsigned i = nr; i < PT_MAX_RANGES; i++) {
        if (ranges[i].kind == PT_RANGE_OFF)
            continue;
        line_add(line, "pt.range%u=%s:0x%llx-0x%llx: this CPU supports %s", i,
                 ranges[i].kind == PT_RANGE_STOP ? "stop" : "filter", (unsigned long long)ranges[i].start,
                 (unsigned long long)ranges[i].end, nr ? "only" : "no ranges");
        for (unsigned j = 0; j < nr; j++)
            line_add(line, " pt.range%u", j);
        return true;
    }
    return false;
}

size_t pt_unsupported_option(char *text, size_t size, const struct pt_cpuid *cpuid, const struct pt_options *config)
{
    struct line line = {text, size, 0};
    bool bad = code_bad(&line, "pt.mtc", config->mtc_on && config->mtc != PT_MTC_AUTO, config->mtc, mtc_codes(cpuid)) ||
               code_bad(&line, "pt.cyc", config->cyc_on, config->cyc, cyc_codes(cpuid)) ||
               psb_bad(&line, cpuid, config->psb_bytes) || ranges_bad(&line, cpuid, config->ranges);
    if (bad)
        return line.used;
    if (config->branches && config->way != PT_SWITCH_SOFT)
        line_add(&line, "pt.branches=%lu: the CPU's own PT does not count branches, use pt=soft or off",
                 config->branches);
    else if (config->cr3_on && !cpuid_has(cpuid, CPUID_14_EBX_CR3_FILTER))
        line_add(&line,
                 config->cr3[1] ? "pt.cr3=0x%lx,0x%lx: this CPU supports off" : "pt.cr3=0x%lx: this CPU supports off",
                 config->cr3[0], config->cr3[1]);
    else if (config->cr3[1] && !(cpuid->vmx_misc & VMX_MISC_CR3_TARGETS))
        line_add(&line, "pt.cr3=0x%lx,0x%lx: this CPU supports off or one value", config->cr3[0], config->cr3[1]);
    else if (config->cr3_on && config->way == PT_SWITCH_SOFT && !(cpuid->vmx_misc & VMX_MISC_CR3_TARGETS))
        line_add(&line, "pt.cr3=0x%lx: this CPU, which has no CR3-target values, supports off", config->cr3[0]);
    else if (config->no_branches && !cpuid_has(cpuid, CPUID_14_EBX_MTC))
        line_add(&line, "pt.branch=off: this CPU supports on");
    else if (config->ptwrite && !cpuid_has(cpuid, CPUID_14_EBX_PTWRITE))
        line_add(&line, "pt.ptwrite=on: this CPU supports off");
    return line.used;
}
