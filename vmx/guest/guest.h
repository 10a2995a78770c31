/* The guest's state in the current VMCS, as exit handlers read and change it. Private to vmx/. */
#ifndef VMX_GUEST_GUEST_H
#define VMX_GUEST_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/exit_action.h"
#include "vmx/guest/inject.h"

/* Does the guest execute 64-bit code? */
bool guest_code64(void);

/* CPL 3; CPL 0. */
bool guest_in_user_mode(void);
bool guest_at_cpl0(void);

/* Linear address of the next instruction. SDM "Linear-Address Pre-Processing": outside 64-bit mode it is CS.base + EIP,
 * truncated to 32 bits. */
uint64_t guest_linear_rip(void);

/* CR4 as MOV from CR4 shows it to the guest. */
uint64_t guest_cr4_seen(void);

/* The instruction that exited has been emulated: move RIP past it, with all that the end of an instruction does. */
void guest_advance_rip(void);

/* The same for one iteration of a repeated instruction, after which RIP stays. */
void guest_iterate(void);

/* Make a single-step trap pending. */
void guest_trap_set(void);

/* Have the next VM entry inject an event; an exception with error code 0. */
void guest_inject(struct event event);
enum exit_action guest_inject_exception(uint32_t vector);

/* If the VM exit has interrupted the delivery of an event, inject that event again. */
void guest_redeliver(void);

#endif
