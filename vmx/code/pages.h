/* Code pages: who may write or execute them, and their bytes as RECORD_PAGE. pages.c. Private to vmx/code/. */
#ifndef VMX_CODE_PAGES_H
#define VMX_CODE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* A mapped page may have other contents than were sent. If it is executable, send it again; the caller then sends the
 * RECORD_MAP. false: it is not executable, and its next fetch will send it. The machine's lock is held. */
bool code_page_refilled(struct cpu *cpu, uint64_t gpa, uint64_t linear, uint64_t cr3);

/* From now on a write to the page exits, on all CPUs. false: the page is in use otherwise, or the instruction that was
 * allowed to write it has not done so yet. (Where exits are slow, as under another hypervisor, the next check can be
 * due before that instruction is executed. With the page read-only again it would never be.) The machine's lock is
 * held. */
bool code_page_watch_writes(struct cpu *cpu, uint64_t page);

/* Is the guest about to execute the instruction that was allowed to write this page? */
bool code_page_is_being_written(const struct cpu *cpu, uint64_t page);

/* A write to the page has exited: allow it. The machine's lock is held. */
void code_page_written(struct cpu *cpu, uint64_t gpa);

#endif
