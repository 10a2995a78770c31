/*
 * The machine's EPT tree: guest-physical memory is host-physical memory, less what is ours. No CPU uses it directly:
 * each has a view of it (vmx/ept_view.h). Shell, private to vmx/.
 *
 * The machine's lock is held for all functions but ept_lookup and ept_is_hidden, whose answers are hints without it.
 */
#ifndef VMX_EPT_H
#define VMX_EPT_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/vmx.h"

/* Build the tables for the machine. NULL: done; else what failed. */
const char *ept_build(const struct vmx_machine *machine);

/* nr zeroed pages of the pool, one behind the other; NULL: so many are not left. */
void *ept_pool_take(uint32_t nr);

/* The leaf entry that maps gpa, 0 where none does. */
uint64_t ept_lookup(uint64_t gpa);

/* Change the access rights of gpa's 4-KByte page, EPT_GUARDED among them, splitting what is larger. Where rights are
 * taken away, all CPUs must hear of it: vmx/summons.h. */
void ept_set_access(uint64_t gpa, uint64_t access);

/* No page may be executed, nor is one guarded. All CPUs must hear of it. */
void ept_withhold_execution(void);

/* Make gpa's page a 4-KByte one. */
void ept_split(uint64_t gpa);

/* The table of this level (1 to 4) on the way to gpa, and gpa's entry in it. They exist. */
uint64_t *ept_table_of(uint64_t gpa, unsigned level);
uint64_t *ept_slot(uint64_t gpa, unsigned level);

/* Nothing maps gpa: map it as device memory above what was mapped at the start, or as a hidden page. */
void ept_map_missing(uint64_t gpa);

/* Does the page read as ones, writes being forgotten: ours, or the hidden NIC's? */
bool ept_is_hidden(uint64_t gpa);

/* Is it the guest's memory, cached as memory is? Without the lock, a hint. */
bool ept_is_memory(uint64_t gpa);

/* An MTRR may have changed: memory types follow. false: none has. */
bool ept_memory_types_update(void);

#endif
