/* Kind: core */
#include "vmx/policy/cr_policy.h"

#include "base/control.h"

#define PDPTE_PRESENT 1ull
#define PDPTE_RESERVED_LOW 0x1e6ull /* 2:1, 8:5 */

bool cr0_write_faults(uint64_t value, const struct cr_state *before)
{
    const bool paged = value & CR0_PG, was_paged = before->cr0 & CR0_PG;

    if (value >> 32 || (paged && !(value & CR0_PE)) || ((value & CR0_NW) && !(value & CR0_CD)))
        return true;
    if (!(value & CR0_WP) && (before->cr4 & CR4_CET))
        return true;
    if (was_paged && !paged)
        return (before->cr4 & CR4_PCIDE) || ((before->efer & EFER_LMA) && before->cs_long);
    if (!was_paged && paged && (before->efer & EFER_LME))
        return !(before->cr4 & CR4_PAE) || before->cs_long || before->tss_16bit;
    return false;
}

bool cr0_write_loads_pdptes(uint64_t value, const struct cr_state *before)
{
    return (value & CR0_PG) && (before->cr4 & CR4_PAE) && !(before->efer & EFER_LME) &&
           ((value ^ before->cr0) & (CR0_PG | CR0_CD | CR0_NW));
}

bool pdpte_faults(uint64_t pdpte, unsigned address_bits)
{
    return (pdpte & PDPTE_PRESENT) && ((pdpte & PDPTE_RESERVED_LOW) || pdpte >> address_bits);
}
