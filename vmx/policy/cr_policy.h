/*
 * Whether MOV to CR0 faults, where VMX makes it exit. Core.
 *
 * Source: SDM Vol. 2B "MOV - Move to/from Control Registers", protected-mode exceptions; Vol. 3A "PDPTE Registers".
 */
#ifndef VMX_POLICY_CR_POLICY_H
#define VMX_POLICY_CR_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/* The guest's state before the instruction. */
struct cr_state {
    uint64_t cr0, cr4, efer;
    bool cs_long;   /* CS.L */
    bool tss_16bit; /* TR references a 16-bit TSS */
};

/* Is it #GP, the PDPTEs aside? */
bool cr0_write_faults(uint64_t value, const struct cr_state *before);

/* Does it load the four PDPTEs of PAE paging? */
bool cr0_write_loads_pdptes(uint64_t value, const struct cr_state *before);

/* #GP by a PDPTE. address_bits: CPUID.80000008H:EAX[7:0]. */
bool pdpte_faults(uint64_t pdpte, unsigned address_bits);

#endif
