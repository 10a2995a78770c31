/*
 * One CPU's view of the EPT: the machine's tree, except for a few pages that are mapped differently for this CPU only:
 * its local APIC's page, and pages that are open while one instruction is stepped. Shell, private to vmx/.
 *
 * The tables on the way to such a page are private copies; all others are the machine's. Changes of the machine's tree
 * are copied. The machine's lock is held for all functions that change a view's tables.
 */
#ifndef VMX_EPT_VIEW_H
#define VMX_EPT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Make the CPU's view equal to the machine's tree. */
void ept_view_init(struct cpu *cpu);

/* EPTP for the VMCS. */
uint64_t ept_view_pointer(const struct cpu *cpu);

/* For ept_open, when the machine's tree maps gpa by a 4-KByte page. */
uint64_t *ept_view_open(struct cpu *cpu, uint64_t gpa);

/* Are pages open that are not kept? */
bool ept_view_has_opened(const struct cpu *cpu);

/* Is gpa's page open, or kept? */
bool ept_view_has_open(const struct cpu *cpu, uint64_t gpa);

/* The pages that are open now remain open until the next ept_view_drop. */
void ept_view_keep(struct cpu *cpu);

/* Close all pages that are not kept: map them as the machine's tree does. The caller calls ept_invalidate. */
void ept_view_close(struct cpu *cpu);

/* Are all open pages that are not kept guarded in the machine's tree, and equal to it except that they are executable?
 */
bool ept_view_is_guarded(const struct cpu *cpu);

/* Close all pages, the kept ones as well. */
void ept_view_drop(struct cpu *cpu);

/* Invalidate what this CPU caches of the view (INVEPT, single-context). */
void ept_invalidate(const struct cpu *cpu);

/* For vmx/ept/ept.c: an entry of the machine's tree has changed; many have. */
void ept_views_follow(uint64_t gpa, unsigned level, uint64_t entry);
void ept_views_follow_all(void);

#endif
