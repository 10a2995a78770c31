/* Kind: shell, hot */
/*
 * Page faults by reads and instruction fetches: the guest is about to map pages, some of which it may execute. Reads
 * count because kernels also map the pages around the address, and program text among them is then executed without
 * another fault.
 *
 * The fault is injected into the guest at once. Its handler changes the page tables, then returns by IRET. For a fetch,
 * that IRET causes an exit, at which the tables are checked. But the IRET of an interrupt may come first, and a handler
 * that waits, for a disk perhaps, may return when others have. So the tables are also checked at an exit some time
 * later, and while the page is absent, whenever the time since the fault has grown by half. For a fetch, the preemption
 * timer causes that exit. A page that is absent after many checks will not be mapped: the program was stopped.
 *
 * The processor chooses by the error code which faults exit: SDM "Exception Bitmap", "Page-Fault Exceptions" of Vol.
 * 3A. Where neither NX nor SMEP is on, the error code's I/D is always 0; a fetch then is a fault at RIP.
 */
#include "vmx/code/faults.h"

#include "base/deadline.h"
#include "vmx/code/code.h"
#include "vmx/code/deferred.h"
#include "vmx/code/mappings.h"
#include "vmx/code/segments.h"
#include "vmx/code/space_lifetime.h"
#include "vmx/code/space_scan.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/timer.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/nmi/nmi.h"
#include "vmx/soft/soft.h"

/* Bits of the error code */
#define FAULT_PRESENT (1u << 0)
#define FAULT_WRITE (1u << 1)
#define FAULT_FETCH (1u << 4)

#define FIRST_WAIT_TSC 8192u          /* from a fault to its first check, unless IRET comes earlier */
#define LATEST_CHECK_TSC (1ull << 40) /* no check is due later, unless the guest has set its TSC back */
#define CHECKS_PENDING 5u /* then its program waits: the fault is deferred, if its page table can be watched */
#define MOST_CHECKS 37u   /* the last one is minutes after the fault */
#define MOST_IRETS 4u     /* of others, while a handler runs */

void code_setup(void)
{
    if (!machine.config.map_memory)
        return;
    vmwrite32(VMCS_EXCEPTION_BITMAP, 1u << VECTOR_PF);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MASK, FAULT_PRESENT | FAULT_WRITE);
    vmwrite32(VMCS_PAGE_FAULT_ERROR_CODE_MATCH, 0);
}

static void fault_remove(struct code_faults *faults, uint32_t i)
{
    faults->nr_fetches -= faults->pending[i].fetch;
    faults->pending[i] = faults->pending[--faults->nr];
}

/* If the page was mapped for a time, that was missed. It may have been executed, after a fault by a read as well. */
__attribute__((cold, noinline)) static void fault_give_up(struct cpu *cpu, uint32_t i)
{
    const struct page_fault *fault = &code_of(cpu)->faults.pending[i];

    if (!fault->mapped)
        mapping_missed(cpu, fault);
    fault_remove(&code_of(cpu)->faults, i);
}

/* Make room by deferring the fault that was checked in vain most often. */
__attribute__((cold, noinline)) static void faults_make_room(struct cpu *cpu)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    uint32_t worst = 0;

    for (uint32_t i = 1; i < faults->nr; i++) {
        const struct page_fault *fault = &faults->pending[i], *most = &faults->pending[worst];

        if (fault->checks > most->checks || (fault->checks == most->checks && fault->tsc < most->tsc))
            worst = i;
    }
    const struct page_fault *fault = &faults->pending[worst];
    if (mapping_send(cpu, fault, fault->absent_offset) == MAPPING_ABSENT && !fault->mapped)
        deferred_add(cpu, fault, deferred_watch(cpu, fault));
    fault_remove(faults, worst);
}

static bool is_in_stretch(const struct page_fault *fault, uint64_t space, uint64_t linear)
{
    return fault->space == space && guest_stretch_of(fault->linear) == guest_stretch_of(linear);
}

/* A record of a stretch holds from the offset at which the first of its pending faults was last seen absent. */
static uint64_t first_absent(const struct code_faults *faults, const struct page_fault *fault)
{
    uint64_t offset = fault->absent_offset;

    for (uint32_t i = 0; i < faults->nr; i++) {
        const struct page_fault *other = &faults->pending[i];

        if (!other->mapped && is_in_stretch(other, fault->space, fault->linear) && other->absent_offset < offset)
            offset = other->absent_offset;
    }
    return offset;
}

/* The space, or another program in its tables, runs again. Pages that are present by now may have been executed since
 * their faults; absent ones will be mapped for this program. */
static void faults_of_space_check(struct cpu *cpu, uint64_t space)
{
    struct code_faults *faults = &code_of(cpu)->faults;

    for (uint32_t i = faults->nr; i-- > 0;) {
        struct page_fault *fault = &faults->pending[i];

        if (fault->space != space)
            continue;
        if (mapping_send(cpu, fault, first_absent(faults, fault)) != MAPPING_ABSENT || fault->mapped)
            fault_remove(faults, i);
        else
            fault->absent_offset = pt_offset(cpu->pt);
    }
}

/* linear: where this CPU has faulted. A pending fault of that stretch whose page was found is dropped: its second check
 * would attribute to it what is mapped for this one. */
__attribute__((cold, noinline)) static void others_faults_check(struct cpu *cpu, uint64_t space, uint64_t linear)
{
    for (uint32_t n = 0; n < machine.config.nr_cpus; n++) {
        struct cpu *other = machine.cpus[n];

        if (!other || other == cpu)
            continue;
        for (uint32_t i = code_of(other)->faults.nr; i-- > 0;) {
            struct page_fault *fault = &code_of(other)->faults.pending[i];

            page_fault_check_for_other(cpu, fault, space);
            if (fault->mapped && is_in_stretch(fault, space, linear))
                fault_remove(&code_of(other)->faults, i);
        }
        deferred_check_for_other(cpu, other, space);
    }
}

static void fault_add(struct cpu *cpu, uint64_t space, uint64_t linear, bool fetch)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    const uint64_t offset = pt_offset(cpu->pt);

    faults->pending[faults->nr++] = (struct page_fault){.space = space,
                                                        .linear = linear,
                                                        .offset = offset,
                                                        .absent_offset = offset,
                                                        .tsc = tsc_read(),
                                                        .wait_tsc = FIRST_WAIT_TSC,
                                                        .fetch = fetch};
    faults->nr_fetches += fetch;
    faults->due_tsc = 0;
    timer_recheck(cpu);
}

void fault_wake(struct cpu *cpu, uint64_t space, uint64_t linear)
{
    if (code_of(cpu)->faults.nr == NR_PAGE_FAULTS)
        faults_make_room(cpu);
    fault_add(cpu, space, linear, true);
}

/* An older fault at the same page is given up: what the page was mapped to in between is unknown. So is one in the same
 * stretch whose page was found: a second check would attribute to it what is mapped for the new fault. */
static void fault_remember(struct cpu *cpu, uint64_t linear, bool fetch)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    const uint64_t space = guest_space_now();

    faults_of_space_check(cpu, space);
    deferred_check(cpu, space, linear);
    if (machine_has_others()) {
        others_faults_check(cpu, space, linear);
        mapping_fault_begins(cpu, space, linear);
    }
    for (uint32_t i = faults->nr; i-- > 0;)
        if ((faults->pending[i].mapped && is_in_stretch(&faults->pending[i], space, linear)) ||
            page_fault_is_at(&faults->pending[i], space, linear))
            fault_give_up(cpu, i);
    if (faults->nr == NR_PAGE_FAULTS)
        faults_make_room(cpu);
    fault_add(cpu, space, linear, fetch);
    space_scan_faulted(cpu, space);
    task_check(cpu, guest_key_space(space), linear);
}

static bool is_fetch(uint32_t error_code, uint64_t linear)
{
    return (error_code & FAULT_FETCH) || linear - guest_linear_rip() < INSTRUCTION_MAX_BYTES;
}

void code_page_faulted(struct cpu *cpu, uint64_t linear, uint32_t error_code)
{
    if (space_lifetime_is_open(cpu))
        space_lifetime_rewatch(cpu);
    segments_faulted(cpu);
    machine_lock(cpu);
    const bool fetch = is_fetch(error_code, linear);
    fault_remember(cpu, linear, fetch);
    if (fetch && !soft_is_stepping(cpu)) {
        code_of(cpu)->faults.irets = 0;
        nmi_exit_after_iret(cpu);
    }
    machine_unlock(cpu);
}

/* Is the instruction executed next that has faulted? */
static bool is_retried(const struct code_faults *faults, uint64_t space)
{
    const uint64_t rip = guest_linear_rip();

    for (uint32_t i = 0; i < faults->nr; i++) {
        const struct page_fault *fault = &faults->pending[i];

        if (fault->fetch && fault->space == space && fault->linear - rip < INSTRUCTION_MAX_BYTES)
            return true;
    }
    return false;
}

/* If neither user mode nor the instruction that has faulted continues, then the kernel does, after an interrupt or
 * another fault. */
void code_handler_returned(struct cpu *cpu)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    const uint64_t space = guest_space_now();

    machine_lock(cpu);
    if (guest_in_user_mode() || is_retried(faults, space))
        faults_of_space_check(cpu, space);
    else if (faults->nr_fetches && faults->irets++ < MOST_IRETS)
        nmi_exit_after_iret(cpu);
    machine_unlock(cpu);
}

static void fault_check(struct cpu *cpu, uint32_t i, uint64_t now)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    struct page_fault *fault = &faults->pending[i];
    uint64_t table;

    if (now - fault->tsc + TIMER_SLACK_TSC < fault->wait_tsc)
        return;
    const enum mapping mapping = mapping_send(cpu, fault, first_absent(faults, fault));
    const bool present = mapping != MAPPING_ABSENT;
    if (mapping == MAPPING_DATA || (present && (fault->mapped || guest_in_user_mode()))) {
        fault_remove(faults, i);
    } else if (present) { /* the handler may not have finished, and map what is around: check at one more exit */
        fault->mapped = true;
        fault->wait_tsc = now - fault->tsc + FIRST_WAIT_TSC;
        faults->nr_fetches -= fault->fetch;
        fault->fetch = false;
    } else if (++fault->checks == MOST_CHECKS) {
        fault_give_up(cpu, i);
    } else if (fault->checks >= CHECKS_PENDING && (table = deferred_watch(cpu, fault)) != 0) {
        deferred_add(cpu, fault, table);
        fault_remove(faults, i);
    } else {
        fault->wait_tsc += fault->wait_tsc / 2;
        fault->absent_offset = pt_offset(cpu->pt);
    }
}

/* TSC of the next check: of any fault, or only of fetches. UINT64_MAX: there is none. */
static uint64_t next_due_tsc(const struct code_faults *faults, bool fetches)
{
    uint64_t due = UINT64_MAX;

    for (uint32_t i = 0; i < faults->nr; i++) {
        const struct page_fault *fault = &faults->pending[i];

        if ((fault->fetch || !fetches) && fault->tsc + fault->wait_tsc < due)
            due = fault->tsc + fault->wait_tsc;
    }
    return due;
}

__attribute__((noinline)) void code_check_faults(struct cpu *cpu)
{
    struct code_faults *faults = &code_of(cpu)->faults;
    const uint64_t now = tsc_read();

    if (!deadline_is_over(faults->due_tsc - TIMER_SLACK_TSC, now, LATEST_CHECK_TSC))
        return;
    machine_lock(cpu);
    for (uint32_t i = faults->nr; i-- > 0;)
        fault_check(cpu, i, now);
    machine_unlock(cpu);
    faults->due_tsc = next_due_tsc(faults, false);
}

uint64_t code_wait_tsc(const struct cpu *cpu)
{
    if (code_of(cpu)->faults.nr_fetches == 0)
        return space_scan_wait_tsc(cpu);
    const uint64_t due = next_due_tsc(&code_of(cpu)->faults, true), now = tsc_read();

    return due < now ? 0 : due - now;
}
