#include "decode/foreign/perf_info.h"

#include <stdlib.h>
#include <string.h>

#define INTEL_PT 1u

/* The numbers after the type in AUXTRACE_INFO, in the driver's order. */
enum {
    INFO_PMU_TYPE,
    INFO_TIME_SHIFT,
    INFO_TIME_MULT,
    INFO_TIME_ZERO,
    INFO_TIME_KNOWN,
    INFO_NO_RETCOMP = 6,
    INFO_SNAPSHOT = 8,
    INFO_MTC_FREQ = 11,
    INFO_TSC_CTC_N,
    INFO_TSC_CTC_D
};
#define INFO(i) (8u + 8u * (i))

bool perf_info_read(struct perf_info *info, struct flow_input *input, const struct perf_file *perf,
                    const struct perf_record *record)
{
    struct perf_attr attr = {.config = 0};
    const uint64_t freq = perf_64(record, INFO(INFO_MTC_FREQ)), shift = perf_64(record, INFO(INFO_TIME_SHIFT));
    if (perf_32(record, 0) != INTEL_PT)
        return false;
    perf_file_event(&attr, perf, (uint32_t)perf_64(record, INFO(INFO_PMU_TYPE)));
    input->returns_whole = (attr.config & perf_64(record, INFO(INFO_NO_RETCOMP))) != 0;
    if (freq)
        input->mtc_freq = (uint8_t)((attr.config & freq) >> __builtin_ctzll(freq) & 15);
    input->cpuid_15_ebx = perf_32(record, INFO(INFO_TSC_CTC_N));
    input->cpuid_15_eax = perf_32(record, INFO(INFO_TSC_CTC_D));
    info->snapshots = perf_64(record, INFO(INFO_SNAPSHOT)) != 0;
    if (perf_64(record, INFO(INFO_TIME_KNOWN)) && shift < 32) {
        info->time_zero = perf_64(record, INFO(INFO_TIME_ZERO));
        info->time_mult = perf_32(record, INFO(INFO_TIME_MULT));
        info->time_shift = (uint16_t)shift;
    }
    return true;
}

/* "GenuineIntel,6,158,10,..." */
void perf_info_cpu(struct flow_input *input, const struct perf_file *perf)
{
    char text[64] = "";
    char *at = text;
    if (!perf->cpuid || input->cpu_known)
        return;
    memcpy(text, perf->cpuid, perf->cpuid_size < sizeof(text) - 1 ? perf->cpuid_size : sizeof(text) - 1);
    if (strncmp(text, "GenuineIntel,", 13))
        return;
    input->family = (uint16_t)strtoul(at + 13, &at, 10);
    input->model = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->stepping = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->cpu_known = true;
}

uint64_t perf_info_tsc(const struct perf_info *info, uint64_t time)
{
    const uint64_t since = time - info->time_zero;
    return (since / info->time_mult << info->time_shift) +
           (since % info->time_mult << info->time_shift) / info->time_mult;
}
