/* The guest's memory by linear address, as its own page tables have it now. Shell, private to vmx/. */
#ifndef VMX_GUEST_MEMORY_H
#define VMX_GUEST_MEMORY_H

#include <stdint.h>

#include "vmx/guest_walk.h"

/* The registers that say how addresses are translated, with this CR3; and, for guest_walk, an entry of a table. */
struct guest_paging guest_paging(uint64_t cr3);
guest_walk_read guest_entry_read;

/* CR3 as it names the address space: PCIDs name the same one by several values, and Linux changes a program's at will.
 */
uint64_t guest_space_cr3(void);

/* Guest-physical address, whatever the access rights are. GUEST_STRETCH_NOWHERE: it is not present, or a table above it
 * forbids execution. */
uint64_t guest_translate(uint64_t linear);

/* The same of data in the space of a CR3 (without PCID): tables may forbid execution. */
uint64_t guest_data_translate(uint64_t cr3, uint64_t linear);

/* May code at CPL 3 be executed at linear, as the tables say now? true also where they are not to be had. */
bool guest_user_may_run(uint64_t linear);

/* Copy nr bytes from linear in the current address space. Returns how many could be translated. */
uint32_t guest_memory_read(uint8_t *out, uint64_t linear, uint32_t nr);

#endif
