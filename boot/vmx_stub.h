/* Stands in for what vmx/ does not have yet. With vmx_cpu_run for other CPUs it goes away, and with it APS_STAY. */
#ifndef BOOT_VMX_STUB_H
#define BOOT_VMX_STUB_H

#include "vmx/vmx.h"

#define APS_STAY 0 /* the other CPUs are put back once they are checked */

static inline const char *vmx_cpu_check(void)
{
    return NULL;
}

static inline bool vmx_cpus_waiting(uint16_t nr_cpus)
{
    (void)nr_cpus;
    return true;
}

#define vmx_cpu_run(memory, number, apic_id, pt, entry) vmx_cpu_run((memory), (number), (pt), (entry))

#endif
