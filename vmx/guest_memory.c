#include "vmx/guest_memory.h"

#include <string.h>

#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/guest_walk.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

#define CR0_PG (1ull << 31)
#define PAGE_BYTES 4096u

static bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    (void)context;
    if (!ept_is_memory(gpa))
        return false;
    *entry = 0;
    memcpy(entry, phys_to_virt(gpa), size);
    return true;
}

uint64_t guest_translate(uint64_t linear)
{
    const struct guest_paging paging = {.cr0 = vmreadn(VMCS_GUEST_CR0),
                                        .cr3 = vmreadn(VMCS_GUEST_CR3),
                                        .cr4 = vmreadn(VMCS_GUEST_CR4),
                                        .efer = vmread64(VMCS_GUEST_IA32_EFER)};
    struct guest_stretch stretch;

    if (!(paging.cr0 & CR0_PG))
        return linear;
    if (!guest_walk(&stretch, &paging, linear, entry_read, NULL))
        return GUEST_NOWHERE;
    return guest_stretch_gpa(&stretch, stretch.large ? NULL : phys_to_virt(stretch.table), linear);
}

uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr)
{
    uint32_t done = 0;

    while (done < nr) {
        const uint64_t gpa = guest_translate(linear + done);
        const uint32_t room = PAGE_BYTES - (uint32_t)(gpa % PAGE_BYTES), part = nr - done < room ? nr - done : room;

        if (gpa == GUEST_NOWHERE)
            break;
        memcpy(out + done, phys_to_virt(gpa), part);
        done += part;
    }
    return done;
}
