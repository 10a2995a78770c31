/* Kind: shell, hot */
#include "vmx/guest_memory.h"

#include <string.h>

#include "base/control.h"
#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/vmcs.h"

#define CR3_PCID 0xfffull
#define CR3_LAM (3ull << 61) /* LAM_U48, LAM_U57: no part of the name */

bool guest_entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    (void)context;
    if (!ept_is_memory(gpa)) /* devices' registers hold no tables */
        return false;
    *entry = size == 8 ? *(const volatile uint64_t *)phys_to_virt(gpa) : *(const volatile uint32_t *)phys_to_virt(gpa);
    return true;
}

struct guest_paging guest_paging(uint64_t cr3)
{
    return (struct guest_paging){.cr0 = vmreadn(VMCS_GUEST_CR0),
                                 .cr3 = cr3,
                                 .cr4 = vmreadn(VMCS_GUEST_CR4),
                                 .efer = vmread64(VMCS_GUEST_IA32_EFER)};
}

uint64_t guest_space_cr3(void)
{
    return vmreadn(VMCS_GUEST_CR3) & ~(CR3_LAM | (vmreadn(VMCS_GUEST_CR4) & CR4_PCIDE ? CR3_PCID : 0));
}

uint64_t guest_translate(uint64_t linear)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));
    struct guest_stretch stretch;

    if (!(paging.cr0 & CR0_PG))
        return linear;
    if (!guest_walk(&stretch, &paging, linear, guest_entry_read, NULL))
        return GUEST_STRETCH_NOWHERE;
    return guest_stretch_gpa(&stretch, stretch.large ? NULL : phys_to_virt(stretch.table), linear);
}

__attribute__((cold)) uint64_t guest_data_translate(uint64_t cr3, uint64_t linear)
{
    struct guest_paging paging = guest_paging(cr3);
    struct guest_stretch stretch;

    paging.efer &= ~EFER_NXE;
    if (!guest_walk(&stretch, &paging, linear, guest_entry_read, NULL) ||
        (!stretch.large && !ept_is_memory(stretch.table)))
        return GUEST_STRETCH_NOWHERE;
    return guest_stretch_gpa(&stretch, stretch.large ? NULL : phys_to_virt(stretch.table), linear);
}

bool guest_user_may_run(uint64_t linear)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));
    struct guest_stretch stretch;

    return !guest_walk(&stretch, &paging, linear, guest_entry_read, NULL) ||
           guest_stretch_user(&stretch, stretch.large ? NULL : phys_to_virt(stretch.table), linear);
}

uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr)
{
    uint32_t done = 0;

    while (done < nr) {
        const uint64_t gpa = guest_translate(linear + done);
        const uint32_t room = RECORD_PAGE_SIZE - (uint32_t)(gpa % RECORD_PAGE_SIZE),
                       part = nr - done < room ? nr - done : room;

        if (gpa == GUEST_STRETCH_NOWHERE)
            break;
        memcpy(out + done, phys_to_virt(gpa), part);
        done += part;
    }
    return done;
}
