/* Filling the current VMCS: vmx/vmcs/setup.c. Private to vmx/. */
#ifndef VMX_VMCS_SETUP_H
#define VMX_VMCS_SETUP_H

#include <stdint.h>

#include "vmx/config.h"

struct cpu;

#define VPID_OF_GUEST 1u

/* entry NULL: the guest's state is the one after INIT. If entry names a state that runs already, the caller then calls
 * vmcs_setup_guest_running (vmx/vmcs/running.h). */
void vmcs_setup(struct cpu *cpu, const struct vmx_entry *entry);

/* The guest's CR0 and CR4, without the bits that VMX needs, which it reads as 0. */
void vmcs_setup_guest_control(uint64_t cr0, uint64_t cr4);

/* The guest's state after INIT, with this CR0. */
void vmcs_setup_guest_init(const struct cpu *cpu, uint64_t cr0);

#endif
