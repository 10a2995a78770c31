/*
 * The EPT tables: guest-physical memory is host-physical memory, less what is ours. Shell, private to vmx/.
 */
#ifndef VMX_EPT_H
#define VMX_EPT_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/vmx.h"

/* Build the tables for the machine. NULL: done; else what failed. */
const char *ept_build(const struct vmx_machine *machine);

/* EPTP for the VMCS. */
uint64_t ept_root_pointer(void);

/* nr zeroed pages of the pool, one behind the other; NULL: so many are not left. */
void *ept_pool_take(uint32_t nr);

/* The leaf entry that maps gpa, 0 where none does. */
uint64_t ept_lookup(uint64_t gpa);

/* Change the access rights of gpa's 4-KByte page, splitting what is larger. The caller calls ept_invalidate where
 * rights were taken away. */
void ept_set_access(uint64_t gpa, uint64_t access);

/* Let gpa's 4-KByte page be another host-physical one. The caller calls ept_invalidate. */
void ept_redirect(uint64_t gpa, uint64_t pa);

/* Nothing maps gpa: map it as device memory above what was mapped at the start, or as a hidden page. */
void ept_map_missing(uint64_t gpa);

/* Does the page read as ones, writes being forgotten: ours, or the hidden NIC's? */
bool ept_is_hidden(uint64_t gpa);
void ept_hidden_refill(void);

/* Drop what the CPU caches of these tables (INVEPT, single-context). */
void ept_invalidate(void);

/* An MTRR may have changed: memory types follow. */
void ept_memory_types_update(void);

#endif
