/*
 * The guest's memory: the only place in vmx/ where an address that the guest chose becomes a pointer. Private to vmx/.
 *
 * Page-table entries, CR3, base registers and MSRs of the guest can hold any address: beyond the end of memory, a
 * device's, root mode's own. guest_ram and guest_page check it; phys_to_virt is for root's own addresses (`make lint`
 * looks at who calls it).
 */
#ifndef VMX_GUEST_MEMORY_H
#define VMX_GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmx/guest/walk.h"

/* The guest's RAM at a guest-physical address, up to the end of its 4-KByte page. NULL: there is none that the guest
 * can use as such (EPT memory type write-back). The machine's lock is held, or a stale answer does no harm. */
void *guest_ram(uint64_t gpa);

/* The same for size bytes, which may cross a page boundary: physical memory is contiguous for root mode. */
void *guest_ram_range(uint64_t gpa, uint32_t size);

/* Whatever root mode maps at the guest-physical address, up to the end of its page: RAM, firmware, also devices below 4
 * GiB. For memory that the guest executes from. NULL: root mode does not map it, or it is root's own. */
void *guest_page(uint64_t gpa);

/* Is one of size bytes from gpa on in root's own memory? */
bool guest_overlaps_own(uint64_t gpa, uint32_t size);

/* The registers that determine how linear addresses are translated, with this CR3. */
struct guest_paging guest_paging(uint64_t cr3);

/* For guest_walk: read an entry of a paging structure. */
guest_walk_read guest_entry_read;

/* The key of the current address space (vmx/guest/walk.h). Linux gives one space several PCIDs. */
uint64_t guest_space_now(void);

/* Translate a linear address in the current space, whatever the access rights are. Returns the guest-physical address;
 * GUEST_STRETCH_NOWHERE: it is not present, or a table above it forbids execution. */
uint64_t guest_translate(uint64_t linear);

/* The same for data in the space of a CR3 (without PCID) or a key: tables may forbid execution. The mode is the current
 * one. */
uint64_t guest_data_translate(uint64_t cr3, uint64_t linear);

/* May code at CPL 3 be executed at linear, as the tables are now? true as well if they cannot be read. */
bool guest_user_may_run(uint64_t linear);

/* Copy nr bytes from linear in the current address space. Returns how many could be read. */
uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr);

#endif
