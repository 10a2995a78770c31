/* The I/O and MSR bitmaps, which all CPUs' VMCSs share. Shell, private to vmx/. */
#ifndef VMX_VMCS_BITMAPS_H
#define VMX_VMCS_BITMAPS_H

#include <stdint.h>

#include "vmx/config.h"

/* Build them in pages of the EPT pool. msr_conditions: MSR_IF_* of vmx/policy/msr_policy.h. NULL: done; else what
 * failed.
 */
const char *bitmaps_build(const struct vmx_ports *ports, uint32_t msr_conditions);

/* As given to bitmaps_build. */
uint32_t bitmaps_msr_conditions(void);

/* which: 0 for I/O bitmap A, 1 for B. */
const uint8_t *bitmap_of_io(unsigned which);
const uint8_t *bitmap_of_msrs(void);

#endif
