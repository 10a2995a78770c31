/* What an address space of the guest's has executable: vmx/guest_map.c. Private to vmx/. */
#ifndef VMX_GUEST_MAP_H
#define VMX_GUEST_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Tell of the stretch around linear in the address space of this CR3, if it is not as was told last. fault_offset: as
 * in struct record_map. false: linear's page is not present yet. The machine's lock is held. Call between pt_exit
 * and pt_enter. */
bool guest_map_tell(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset);

/* What linear's page led to from fault_offset on is not known: it may have been mapped, and is not any more. The same.
 */
void guest_map_missed(struct cpu *cpu, uint64_t cr3, uint64_t linear, uint64_t fault_offset);

#endif
