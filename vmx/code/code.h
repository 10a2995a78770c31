/*
 * Which code the guest executes: the only header of vmx/code/ that other files include.
 *
 * The receiver must be able to resolve (CPU, CR3, linear address, trace offset) to bytes. Two kinds of records serve
 * that. RECORD_PAGE has the bytes of a physical page at its first execution and after each change (pages.c, by EPT
 * permissions). RECORD_MAP has the executable mappings of an address space (mappings.c, by reading the guest's page
 * tables after page faults and at quiet times).
 *
 *   pages.c           W^X by EPT: EPT violations by fetches and writes
 *   writes.c          writes to pages that are read-only for one of these reasons
 *   arbitration.c     core: in which order CPUs get a page that one executes and another writes
 *   page_sums.c       core: has a device written a page since it was sent?
 *   trigger.c         pt.trigger=, pt.start=
 *   page_fault.c      a page fault whose page the guest has not mapped yet
 *   faults.c          those that are checked again and again
 *   deferred.c        ... those whose programs wait for long, for a disk for instance
 *   mappings.c        what the page tables have executable
 *   space_lifetime.c  when an address space ends
 *   space_scan.c      whole address spaces, when they have been quiet for a while
 *   task.c            which task of a Linux guest runs in a space
 *   segments.c        code segments with a base
 *   record.c          numbers of records, and up to which one each CPU's trace is current
 *
 * Unless a comment says otherwise, call all functions between pt_exit and pt_enter, without the machine's lock.
 */
#ifndef VMX_CODE_CODE_H
#define VMX_CODE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/code/state.h"
#include "vmx/cpu/exit_action.h"

/* Let the current VMCS exit by the page faults that this room needs. */
void code_setup(void);

/* --- exits --- */

/* A page fault has exited at this linear address; the caller delivers it to the guest. */
void code_page_faulted(struct cpu *cpu, uint64_t linear, uint32_t error_code);

/* An exit by nmi_exit_after_iret: the handler of the last page fault may have returned. */
void code_handler_returned(struct cpu *cpu);

/* An EPT violation by a fetch, or by a write: to a page that holds code, or to a page table that is being watched. gpa:
 * the address; qualification: the exit's. The machine's lock is held. */
void code_fetched(struct cpu *cpu, uint64_t gpa, uint64_t qualification);
void code_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification);

/* Root mode is about to write to guest memory on the guest's behalf. The machine's lock is held. */
void code_written_by_root(struct cpu *cpu, uint64_t gpa);

/* --- at each exit and entry --- */

/* Call early in each VM exit, while code_has_faults: look for pages that the guest has mapped since its faults. */
void code_check_faults(struct cpu *cpu);

static inline bool code_has_faults(const struct cpu *cpu)
{
    return code_of(cpu)->faults.nr != 0;
}

/* Before the guest starts: the number before that of the first record of code. */
void code_number_first(uint64_t number);

/* If other CPUs have sent code since this CPU's last record, record the trace offset up to which it cannot have
 * executed that code. */
void code_publish_seen(struct cpu *cpu);

/* Call at the end of each VM exit, unless CS.L is set and code_segments_look is false: step 16-bit code and code in a
 * segment with a base, and record CS.base. PMIs are so frequent that they need not check CS.L. */
void code_segments_check(struct cpu *cpu);

static inline bool code_segments_look(const struct cpu *cpu)
{
    return code_of(cpu)->segments.look;
}

/* The guest is about to clear CR0.PE, which has exited: let it, and step what follows. */
void code_protected_mode_ends(struct cpu *cpu);

/* Root mode has loaded the guest's CS. */
void code_segment_loaded(struct cpu *cpu);

/* Call right before VM entry, when nothing can delay it any more: this CPU's turn on a page begins. */
void code_entering(struct cpu *cpu);

static inline bool code_has_turn(const struct cpu *cpu)
{
    return code_of(cpu)->pages.turn != NULL;
}

/* --- the preemption timer --- */

/* Must root mode run within fewer than tsc ticks, or earlier than chosen last? code_wait_tsc: within how many;
 * UINT64_MAX: any time will do. */
static inline bool code_is_waiting(const struct cpu *cpu, uint64_t tsc)
{
    const struct code_cpu *code = code_of(cpu);

    return code->faults.nr_fetches != 0 || (code->scan.quiet_tsc != 0 && code->scan.quiet_tsc < tsc);
}
uint64_t code_wait_tsc(const struct cpu *cpu);

/* The timer has expired: nothing has exited since the last VM entry. */
void code_timer_expired(struct cpu *cpu);

#endif
