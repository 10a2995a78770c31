/* Kind: shell */
/* Where the guest is, from the VMCS. */
#include "base/control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/guest.h"
#include "vmx/soft/parts.h"

#define CR3_LOW 0xfffull
#define CR3_LOW_PAE 0x1full

/* SDM "Filtering by CR3" (36.2.4.2): only PAE paging has a table that need not be page-aligned. */
static uint64_t low_bits_of_cr3(void)
{
    const bool pae = (vmreadn(VMCS_GUEST_CR4) & CR4_PAE) && !(vmread64(VMCS_GUEST_IA32_EFER) & EFER_LMA);

    return pae ? CR3_LOW_PAE : CR3_LOW;
}

struct soft_position soft_position_read(void)
{
    const bool cs_l = guest_code64();
    struct soft_position position = {.rip = vmreadn(VMCS_GUEST_RIP),
                                     .rsp = vmreadn(VMCS_GUEST_RSP),
                                     .cs_base = cs_l ? 0 : vmreadn(VMCS_GUEST_CS_BASE)};

    position.context = (struct soft_context){.ip = cs_l ? position.rip : (uint32_t)(position.cs_base + position.rip),
                                             .cr3 = vmreadn(VMCS_GUEST_CR3) & ~(cs_l ? CR3_LOW : low_bits_of_cr3()),
                                             .user = !guest_at_cpl0(),
                                             .cs_l = cs_l,
                                             .cs_d = vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB};
    return position;
}

uint64_t soft_stack_top(const struct soft_position *at)
{
    if (at->context.cs_l)
        return at->rsp;
    return vmreadn(VMCS_GUEST_SS_BASE) +
           (vmread32(VMCS_GUEST_SS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB ? at->rsp : (uint16_t)at->rsp);
}

void soft_start_refresh(struct soft_start *start)
{
    if (!start->current)
        start->at = soft_position_read();
    start->current = true;
}

void soft_start_set(struct soft_start *start, const struct soft_position *at, bool current)
{
    start->at = *at;
    start->current = current;
}

void soft_start_drop(struct soft_start *start)
{
    start->current = false;
}
