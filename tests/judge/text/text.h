/* The judge's commands that print what libipt's tools print. */
#ifndef JUDGE_TEXT_TEXT_H
#define JUDGE_TEXT_TEXT_H

#include "decode/cli/arguments.h"
#include "decode/engine/flow_input.h"

/* Return the exit status. */
int text_ptxed(int argc, char **argv);
int text_ptdump(int argc, char **argv);

/* The units of timing packets. */
struct text_clocks {
    uint64_t mtc_freq, nom_freq, cpuid_15_eax, cpuid_15_ebx;
};

/* For the table of options. */
#define TEXT_CLOCK_OPTIONS(c)                                                                                          \
    {"mtc-freq", ARGUMENT_NUMBER, &(c)->mtc_freq, 15}, {"nom-freq", ARGUMENT_NUMBER, &(c)->nom_freq, 255},             \
        {"cpuid-0x15.eax", ARGUMENT_NUMBER, &(c)->cpuid_15_eax, UINT32_MAX},                                           \
    {                                                                                                                  \
        "cpuid-0x15.ebx", ARGUMENT_NUMBER, &(c)->cpuid_15_ebx, UINT32_MAX                                              \
    }

static inline void text_clocks_set(struct flow_input *input, const struct text_clocks *clocks)
{
    input->cpuid_15_eax = (uint32_t)clocks->cpuid_15_eax;
    input->cpuid_15_ebx = (uint32_t)clocks->cpuid_15_ebx;
    input->mtc_freq = (uint8_t)clocks->mtc_freq;
    input->nominal_ratio = (uint8_t)clocks->nom_freq;
}

#endif
