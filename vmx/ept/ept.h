/*
 * The machine's EPT tree: it maps guest-physical memory to the same host-physical memory, except root's own. No CPU
 * uses it directly: each has a view of it (vmx/ept/view.h). Shell, private to vmx/.
 *
 * Hold the machine's lock for all functions. Without it, ept_lookup and ept_is_hidden return hints.
 */
#ifndef VMX_EPT_EPT_H
#define VMX_EPT_EPT_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/config.h"

struct cpu;

/* Build the tables for the machine. NULL: done; else what failed. */
const char *ept_build(const struct vmx_machine *machine);

/* Allocate nr zeroed contiguous pages of the pool. NULL: too few are left. */
void *ept_pool_take(uint32_t nr);

/* The leaf entry that maps gpa, 0 where none does. */
uint64_t ept_lookup(uint64_t gpa);

/* Change the access rights of gpa's 4-KByte page, EPT_GUARDED and EPT_SENT among them, splitting larger pages. If this
 * takes rights away, call kick_ept_changed. */
void ept_set_access(uint64_t gpa, uint64_t access);

/* Make all pages not executable and not guarded. Call kick_ept_changed. */
void ept_withhold_execution(void);

/* With code_from_trigger: the trigger was reached, so from now on the tree is as it would be without that. Call
 * kick_ept_changed. */
void ept_withhold_from_now(void);

/* The entry that maps gpa's 4-KByte page in this CPU's view. From now on it does not follow the machine's. The caller
 * writes it, and calls ept_invalidate if that takes rights away. NULL: too many pages are open. */
uint64_t *ept_open(struct cpu *cpu, uint64_t gpa);

/* Nothing maps gpa: map it as device memory above what was mapped at the start, or as a hidden page. There is room. */
void ept_map_missing(uint64_t gpa);

/* A guest can access more places above memory than there are tables. Then all that ept_map_missing has mapped there is
 * forgotten, and mapped again when it is accessed. The caller has all CPUs invalidate their translations
 * (kick_ept_changed, ept_invalidate) before the tables are used again. */
bool ept_missing_has_room(void);
void ept_missing_forget(void);

/* Does the page read as ones and ignore writes? Root's own memory and the hidden NIC's registers do. */
bool ept_is_hidden(uint64_t gpa);

/* Is it the guest's memory, of memory type write-back? Without the lock, a hint. */
bool ept_is_memory(uint64_t gpa);

/* An MTRR may have changed: change the memory types of the tree. false: none has changed. Else call kick_ept_changed.
 */
bool ept_memory_types_update(void);

#endif
