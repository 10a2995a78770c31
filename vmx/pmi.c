#include "vmx/pmi.h"

struct pmi pmi_judge(uint64_t status, uint64_t told)
{
    struct pmi pmi = {.counters = (status & PERF_GLOBAL_STATUS_COUNTERS & ~told) != 0, .told = told};

    if (pmi.counters)
        pmi.told |= status & (PERF_GLOBAL_STATUS_COUNTERS | PERF_GLOBAL_STATUS_FROZEN);
    else
        pmi.thaw = status & PERF_GLOBAL_STATUS_FROZEN & ~told;
    return pmi;
}
