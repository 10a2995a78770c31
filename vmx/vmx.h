/*
 * The hypervisor: the interface of vmx/ for boot/.
 */
#ifndef VMX_VMX_H
#define VMX_VMX_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/config.h"

/* Can this CPU, the first one, run the hypervisor? NULL: yes; else one sentence that says why not. Call before
 * vmx_machine_init. */
const char *vmx_check(void);

struct vmx_caps;

/* The capabilities that vmx_check has read. */
const struct vmx_caps *vmx_caps_read(void);

/* The same for each other CPU. Call after vmx_check has returned NULL. */
const char *vmx_cpu_check(void);

/* Have IA32_RTIT_CTL switched in this way. NULL: done; else one sentence that names the missing control. Call after
 * vmx_check has returned NULL. */
const char *vmx_switch_check(enum pt_switch way);

/* Build the EPT and the bitmaps, which all CPUs share. NULL: done; else what failed. */
const char *vmx_machine_init(const struct vmx_machine *machine);

struct cpu;                         /* vmx/cpu/cpu.h: one page-aligned struct per CPU, stack first */
extern const uint32_t vmx_cpu_size; /* bytes of struct cpu, a multiple of 4096 */

/* Enter VMX operation on this CPU and run the guest; does not return. entry NULL: wait until the guest starts the CPU.
 * memory: vmx_cpu_size bytes, zeroed, page-aligned, direct map. number: 0 for the first CPU, which is the guest's
 * bootstrap processor. A failure dumps and parks. */
_Noreturn void vmx_cpu_run(void *memory, uint16_t number, uint32_t apic_id, struct pt_engine *pt,
                           const struct vmx_entry *entry);

/* Do CPUs 1 to nr - 1 wait for the guest to start them? */
bool vmx_cpus_waiting(uint16_t nr);

#endif
