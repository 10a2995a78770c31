/* Kind: shell, hot */
#include "vmx/guest/memory.h"

#include <string.h>

#include "base/control.h"
#include "base/phys.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"

#define FOUR_GIB (4ull << 30)

/* --- checked addresses ----------------------------------------------------------------------------------------------
 */

void *guest_ram(uint64_t gpa)
{
    return ept_is_memory(gpa) ? phys_to_virt(gpa) : NULL;
}

void *guest_ram_range(uint64_t gpa, uint32_t size)
{
    for (uint64_t at = gpa; at - gpa < size; at = (at | (EPT_PAGE_SIZE - 1)) + 1)
        if (!ept_is_memory(at))
            return NULL;
    return phys_to_virt(gpa);
}

/* Root's address space maps all up to the end of RAM, at least 4 GiB (boot/memory/paging.c). */
void *guest_page(uint64_t gpa)
{
    const struct range *own = &machine.config.reserved;
    const uint64_t top = machine.config.top_of_memory > FOUR_GIB ? machine.config.top_of_memory : FOUR_GIB;

    return gpa < top && (gpa < own->start || gpa >= own->end) ? phys_to_virt(gpa) : NULL;
}

bool guest_overlaps_own(uint64_t gpa, uint32_t size)
{
    const struct range *own = &machine.config.reserved;

    return gpa < own->end && gpa + size > own->start;
}

bool guest_entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    const void *at = guest_ram(gpa); /* registers of devices hold no tables */

    (void)context;
    if (!at)
        return false;
    *entry = size == 8 ? *(const volatile uint64_t *)at : *(const volatile uint32_t *)at;
    return true;
}

/* --- linear addresses -----------------------------------------------------------------------------------------------
 */

struct guest_paging guest_paging(uint64_t cr3)
{
    return (struct guest_paging){.cr0 = vmreadn(VMCS_GUEST_CR0),
                                 .cr3 = cr3,
                                 .cr4 = vmreadn(VMCS_GUEST_CR4),
                                 .efer = vmread64(VMCS_GUEST_IA32_EFER)};
}

uint64_t guest_space_now(void)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));

    return guest_space_key(&paging);
}

/* Find the stretch of linear, and its table: NULL for a large page. false: not mapped. */
static bool stretch_find(struct guest_stretch *stretch, const void **table, const struct guest_paging *paging,
                         uint64_t linear)
{
    if (!guest_walk(stretch, paging, linear, guest_entry_read, NULL))
        return false;
    *table = stretch->large ? NULL : guest_ram(stretch->table);
    return stretch->large || *table;
}

static uint64_t translate(const struct guest_paging *paging, uint64_t linear)
{
    struct guest_stretch stretch;
    const void *table;

    if (!stretch_find(&stretch, &table, paging, linear))
        return GUEST_STRETCH_NOWHERE;
    return guest_stretch_gpa(&stretch, table, linear);
}

uint64_t guest_translate(uint64_t linear)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));

    return paging.cr0 & CR0_PG ? translate(&paging, linear) : linear;
}

__attribute__((cold)) uint64_t guest_data_translate(uint64_t cr3, uint64_t linear)
{
    struct guest_paging paging = guest_paging(cr3);

    paging.efer &= ~EFER_NXE;
    return translate(&paging, linear);
}

bool guest_user_may_run(uint64_t linear)
{
    const struct guest_paging paging = guest_paging(vmreadn(VMCS_GUEST_CR3));
    struct guest_stretch stretch;
    const void *table;

    return !stretch_find(&stretch, &table, &paging, linear) || guest_stretch_user(&stretch, table, linear);
}

uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr)
{
    uint32_t done = 0;

    while (done < nr) {
        const uint64_t gpa = guest_translate(linear + done);
        const uint32_t room = RECORD_PAGE_SIZE - (uint32_t)(gpa % RECORD_PAGE_SIZE),
                       part = nr - done < room ? nr - done : room;
        const void *page = guest_page(gpa);

        if (!page)
            break;
        memcpy(out + done, page, part);
        done += part;
    }
    return done;
}
