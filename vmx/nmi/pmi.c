/* Kind: core */
#include "vmx/nmi/pmi.h"

struct pmi pmi_judge(uint64_t status, uint64_t delivered)
{
    struct pmi pmi = {.counters = (status & PERF_GLOBAL_STATUS_COUNTERS & ~delivered) != 0, .delivered = delivered};

    if (pmi.counters)
        pmi.delivered |= status & (PERF_GLOBAL_STATUS_COUNTERS | PERF_GLOBAL_STATUS_FROZEN);
    else
        pmi.thaw = status & PERF_GLOBAL_STATUS_FROZEN & ~delivered;
    return pmi;
}
