/* Kind: core */
#include "vmx/guest/data.h"

#include "base/control.h"

#define ENTRY_P 1u
#define ENTRY_RW 2u
#define ENTRY_US 4u
#define ENTRY_ACCESSED 0x20u
#define ENTRY_DIRTY 0x40u
#define ENTRY_PS 0x80u

#define PAGE_SHIFT 12u
#define DIRECTORY_SHIFT 22u /* of 32-bit paging */
#define PDPT_SHIFT 30u      /* PAE paging's PDPT entries have no access rights */
#define PML4_SHIFT 39u
#define PML5_SHIFT 48u

/* rights: those that all entries of the walk allow. The bits of access are the bits of the rights that it needs. */
static bool is_allowed(const struct guest_paging *paging, uint32_t access, uint32_t rights)
{
    if (!(access & GUEST_DATA_USER)) {
        if ((rights & ENTRY_US) && (paging->cr4 & CR4_SMAP))
            return false;
        if (!(paging->cr0 & CR0_WP))
            return true;
    }
    return (rights & access) == access;
}

static uint64_t page_address(uint64_t entry, unsigned shift, bool pae)
{
    uint64_t address = guest_entry_gpa(entry) & ~((1ull << shift) - 1);

    if (!pae && shift > PAGE_SHIFT) /* a 4-MByte page's bits 39:32 */
        address |= (entry >> 13 & 0xff) << 32;
    return address;
}

static unsigned top_shift(const struct guest_paging *paging)
{
    if (paging->efer & EFER_LMA)
        return paging->cr4 & CR4_LA57 ? PML5_SHIFT : PML4_SHIFT;
    return paging->cr4 & CR4_PAE ? PDPT_SHIFT : DIRECTORY_SHIFT;
}

bool guest_data_walk(struct guest_data *data, const struct guest_paging *paging, uint64_t linear, uint32_t access,
                     guest_data_memory *memory, void *context)
{
    const bool pae = paging->cr4 & CR4_PAE, rights_in_pdpt = paging->efer & EFER_LMA;
    const unsigned bits = pae ? 9 : 10;
    uint64_t table = guest_space(paging);
    uint32_t rights = ENTRY_RW | ENTRY_US;

    *data = (struct guest_data){.gpa = linear, .error_code = access};
    if (!(paging->cr0 & CR0_PG))
        return true;
    for (unsigned shift = top_shift(paging);; shift -= bits) {
        const uint64_t index = linear >> shift & ((1u << bits) - 1);
        uint32_t *low = memory(context, table + index * (pae ? 8u : 4u));
        const uint64_t entry = !low  ? 0
                               : pae ? *(const volatile uint64_t *)(void *)low
                                     : *(const volatile uint32_t *)low;

        if (!(entry & ENTRY_P))
            return false;
        table = guest_entry_gpa(entry);
        if (shift == PDPT_SHIFT && !rights_in_pdpt)
            continue;
        rights &= (uint32_t)entry;
        const bool leaf =
            shift == PAGE_SHIFT || ((entry & ENTRY_PS) && shift <= PDPT_SHIFT && (pae || (paging->cr4 & CR4_PSE)));
        if (leaf) {
            data->error_code |= ENTRY_P;
            if (!is_allowed(paging, access, rights))
                return false;
        }
        __atomic_fetch_or(low, ENTRY_ACCESSED | (leaf && (access & GUEST_DATA_WRITE) ? ENTRY_DIRTY : 0),
                          __ATOMIC_SEQ_CST);
        if (leaf) {
            data->gpa = page_address(entry, shift, pae) | (linear & ((1u << shift) - 1));
            return true;
        }
    }
}
