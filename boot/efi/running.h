/* The firmware's state of a CPU as the guest's first state. */
#ifndef BOOT_EFI_RUNNING_H
#define BOOT_EFI_RUNNING_H

#include <stdint.h>

#include "boot/efi/context.h"
#include "vmx/config.h"

/* Of the CPU that calls this. context: what boot/efi/gate.inc has saved; rip: where the guest begins; pat, gs_base: the
 * firmware's values, which root mode changes. */
void running_read(struct vmx_state *state, const struct efi_context *context, uint64_t rip, uint64_t pat,
                  uint64_t gs_base);

#endif
