/*
 * The profiles' table, and the words of a custom one.
 *
 * Source: the words that processors of these generations report; SDM Tables 36-11 and 36-12.
 */
#include "pt_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the model implements of EBX and ECX of sub-leaf 0, EAX and EBX of sub-leaf 1. The shipped profiles report no
 * more; a custom one may report anything, and its bits can then be set in IA32_RTIT_CTL without effect. */
static const uint32_t IMPLEMENTED_0_EBX =
    PTM_CAP_CR3_FILTER | PTM_CAP_CPSB_CAM | PTM_CAP_IP_FILTER | PTM_CAP_MTC | PTM_CAP_PTWRITE | PTM_CAP_PSB_PMI;
static const uint32_t IMPLEMENTED_0_ECX = PTM_OUT_TOPA | PTM_OUT_MENTRY | PTM_OUT_SINGLE_RANGE | PTM_OUT_LIP;
static const uint32_t IMPLEMENTED_1_EAX = 0xffff0007;
static const uint32_t IMPLEMENTED_1_EBX = 0xffffffff;

static const uint32_t NEW_MICROCODE = 0x02007006; /* Linux uses the TSC deadline timer only from there on */

/* none comes first. */
static const struct ptm_profile profiles[] = {
    {.name = "none"},
    {.name = "broadwell", .pt = true, .cpuid14_0 = {0, 0x1, 0x1, 0}, .early_bytes = 512, .microcode = NEW_MICROCODE},
    {.name = "skylake",
     .pt = true,
     .vmx = true,
     .xsave = true,
     .cpuid14_0 = {1, 0xf, 0x7, 0},
     .cpuid14_1 = {0x02490002, 0x003f3fff, 0, 0},
     .microcode = NEW_MICROCODE},
    {.name = "novmxpt",
     .pt = true,
     .xsave = true,
     .cpuid14_0 = {1, 0xf, 0x7, 0},
     .cpuid14_1 = {0x02490002, 0x003f3fff, 0, 0},
     .microcode = NEW_MICROCODE},
    {.name = "icelake",
     .pt = true,
     .vmx = true,
     .vmx_ctl = true,
     .vmx_gpa = true,
     .xsave = true,
     .cpuid14_0 = {1, 0x1f, 0x80000007, 0},
     .cpuid14_1 = {0x02490004, 0x003f1fff, 0, 0},
     .microcode = NEW_MICROCODE},
};

static struct ptm_profile current;

const struct ptm_profile *ptm_profile_find(const char *name)
{
    const bool custom = strcmp(name, "custom") == 0;
    for (size_t n = 0; n < sizeof(profiles) / sizeof(profiles[0]); n++) {
        if (strcmp(custom ? "skylake" : name, profiles[n].name) != 0)
            continue;
        current = profiles[n];
        current.cpuid14_0[1] &= IMPLEMENTED_0_EBX;
        current.cpuid14_0[2] &= IMPLEMENTED_0_ECX;
        current.cpuid14_1[0] &= IMPLEMENTED_1_EAX;
        current.cpuid14_1[1] &= IMPLEMENTED_1_EBX;
        if (custom)
            current.name = "custom";
        return &current;
    }
    return NULL;
}

/* Up to max hexadecimal numbers with colons between them. */
static bool set_words(uint32_t *words[], size_t max, const char *text)
{
    for (size_t n = 0; n < max; n++) {
        char *end;
        errno = 0;
        unsigned long word = strtoul(text, &end, 16);
        if (errno != 0 || end == text || word > UINT32_MAX || (*end != 0 && *end != ':'))
            return false;
        *words[n] = (uint32_t)word;
        if (*end == 0)
            return true;
        text = end + 1;
    }
    return false;
}

static bool set_number(uint32_t *number, const char *text)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (errno != 0 || end == text || *end != 0 || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool set_flag(bool *flag, const char *text)
{
    uint32_t number;
    if (!set_number(&number, text) || number > 1)
        return false;
    *flag = number != 0;
    return true;
}

bool ptm_profile_set(const struct ptm_profile **profile, const char *name, const char *value)
{
    current = **profile;
    *profile = &current;
    uint32_t *cpuid14[] = {&current.cpuid14_0[0], &current.cpuid14_0[1], &current.cpuid14_0[2],
                           &current.cpuid14_0[3], &current.cpuid14_1[0], &current.cpuid14_1[1]};
    uint32_t *cpuid15[] = {&current.cpuid15[0], &current.cpuid15[1], &current.cpuid15[2]};
    bool lip;
    if (strcmp(name, "cpuid14") == 0)
        return set_words(cpuid14, 6, value);
    if (strcmp(name, "cpuid15") == 0)
        return set_words(cpuid15, 3, value);
    if (strcmp(name, "vmxmisc14") == 0)
        return set_flag(&current.vmx, value);
    if (strcmp(name, "vmxctl") == 0)
        return set_flag(&current.vmx_ctl, value);
    if (strcmp(name, "vmxgpa") == 0)
        return set_flag(&current.vmx_gpa, value);
    if (strcmp(name, "ip8") == 0)
        return set_flag(&current.ip8, value);
    if (strcmp(name, "longtnt") == 0)
        return set_flag(&current.long_tnt, value);
    if (strcmp(name, "hybrid") == 0)
        return set_number(&current.hybrid, value) && current.hybrid <= PTM_HYBRID_USED;
    if (strcmp(name, "xsave") == 0)
        return set_flag(&current.xsave, value);
    if (strcmp(name, "early") == 0)
        return set_number(&current.early_bytes, value);
    if (strcmp(name, "microcode") == 0)
        return set_number(&current.microcode, value);
    if (strcmp(name, "lip") != 0 || !set_flag(&lip, value))
        return false;
    current.cpuid14_0[2] = (current.cpuid14_0[2] & ~PTM_OUT_LIP) | (lip ? PTM_OUT_LIP : 0);
    return true;
}
