/* Kind: shell */
/*
 * W^X over guest memory: a page can be written or executed, and its bytes are sent before it is executed. The machine's
 * lock is held for all of it.
 *
 * At the start pages are RW-. A fetch makes the page R-X and sends it as RECORD_PAGE; a write makes it RW- again, so
 * that the next fetch sends its new bytes. An instruction that writes to the page it is on would fault for ever: at its
 * second fetch violation in a row the page gets all rights for this one instruction.
 *
 * With several CPUs, rights that are taken away are gone on all CPUs before anything else happens. Each CPU's own
 * stream says from where on it can execute a new version: by the RECORD_PAGE itself, or by a RECORD_SEEN (record.c).
 *
 * Pages that devices write by DMA are noticed when the guest maps them again (mappings.c), not before. Not noticed: a
 * page that is executed at a second linear address while it is R-X.
 */
#include "vmx/code/pages.h"

#include "base/io.h"
#include "base/log.h"
#include "base/trace_clock.h"
#include "vmx/code/code.h"
#include "vmx/code/memory.h"
#include "vmx/code/record.h"
#include "vmx/code/segments.h"
#include "vmx/code/trigger.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/step.h"
#include "vmx/ept/view.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/requests.h"
#include "vmx/soft/soft.h"

/* The machine's lock guards both. Some members are atomic. */
static struct arbitration arbitration;
static bool unmapped_reported; /* code outside of memory has been logged */

static uint16_t code_mode(void)
{
    if (guest_code64())
        return 64;
    return vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB ? 32 : 16;
}

/* Fetches always have a linear address; the page walk for one has it as well. */
static uint64_t linear_of(uint64_t gpa, uint64_t qualification)
{
    return qualification & EPT_VIOLATION_LINEAR_VALID ? vmreadn(VMCS_GUEST_LINEAR_ADDRESS) : gpa;
}

static void page_send(struct cpu *cpu, uint64_t gpa, const void *page, uint64_t linear, uint64_t cr3, uint16_t flags)
{
    const struct record_page head = {.gpa = gpa,
                                     .gva = linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
                                     .cr3 = cr3,
                                     .mode = code_mode(),
                                     .flags = flags,
                                     .size = RECORD_PAGE_SIZE,
                                     .number = record_newest(),
                                     .code_base = guest_code64() ? 0 : vmreadn(VMCS_GUEST_CS_BASE)};

    pt_record(cpu->pt, RECORD_PAGE, &head, sizeof head, page, RECORD_PAGE_SIZE);
    if (code_memory()) /* for mappings.c, which compares the page when it is mapped again */
        page_sums_note(&code_memory()->sent, gpa, page);
    record_is_current(cpu);
}

static bool is_writable(uint64_t gpa)
{
    return ept_lookup(gpa) & EPT_WRITE;
}

bool code_page_is_being_written(const struct cpu *cpu, uint64_t page)
{
    return code_of(cpu)->pages.written_gpa == page && code_of(cpu)->pages.written_rip == vmreadn(VMCS_GUEST_RIP);
}

bool code_page_watch_writes(struct cpu *cpu, uint64_t page)
{
    const uint64_t access = ept_lookup(page) & EPT_ACCESS_MASK;

    if (access == EPT_READ)
        return true;
    if (access != (EPT_READ | EPT_WRITE) || code_page_is_being_written(cpu, page))
        return false;
    ept_set_access(page, EPT_READ);
    kick_ept_changed(cpu);
    ept_invalidate(cpu);
    return true;
}

/* --- arbitration ----------------------------------------------------------------------------------------------------
 */

void code_entering(struct cpu *cpu)
{
    arbitration_begin(code_of(cpu)->pages.turn, cpu->number, trace_clock(cpu->number));
    code_of(cpu)->pages.turn = NULL;
}

/* This CPU needs to change the page's permission: wait for its turn, without the lock. Requests that other CPUs wait
 * for are served meanwhile. */
static struct arbitration_claim page_claim(struct cpu *cpu, uint64_t gpa)
{
    struct arbitration_claim claim = {0};

    if (!machine_has_others() || arbitration_request(&arbitration, cpu->number, gpa, trace_clock(cpu->number), &claim))
        return claim;
    if (code_of(cpu)->pages.turn) /* a turn must not be held while waiting for another one */
        code_entering(cpu);
    do {
        machine_unlock(cpu);
        while (!arbitration_is_ready(&claim, trace_clock(cpu->number)) && !kick_is_stopping()) {
            requests_serve_waiting(cpu);
            io_pause();
        }
        machine_lock(cpu);
    } while (!arbitration_is_ready(&claim, trace_clock(cpu->number)) && !kick_is_stopping());
    arbitration_admit(&claim);
    return claim;
}

static void page_is_taken(struct cpu *cpu, uint64_t gpa, const struct arbitration_claim *claim)
{
    if (!machine_has_others())
        return;
    if (code_of(cpu)->pages.turn)
        code_entering(cpu);
    code_of(cpu)->pages.turn = arbitration_grant(&arbitration, cpu->number, gpa, claim);
}

/* --- violations -----------------------------------------------------------------------------------------------------
 */

/* From here on no CPU can write the page. */
static void page_freeze_and_send(struct cpu *cpu, uint64_t gpa, const void *page, uint64_t linear)
{
    record_advance(cpu);
    if (machine_has_others()) {
        ept_set_access(gpa, EPT_READ);
        kick_ept_changed(cpu);
    }
    page_send(cpu, gpa, page, linear, vmreadn(VMCS_GUEST_CR3), 0);
}

/* The page was sent and has not been written since; it is not executable only because of soft PT or its segment. */
static bool is_withheld(uint64_t gpa)
{
    return !is_writable(gpa) && (machine.config.way == PT_SWITCH_SOFT || (ept_lookup(gpa) & EPT_SENT));
}

/* An instruction that writes to its own page has caused two violations in a row. If the page was not writable, another
 * CPU has fetched from it in between, and soft PT may have left it open there. */
static void page_open_fully(struct cpu *cpu, uint64_t gpa, bool was_writable)
{
    trigger_written(gpa);
    ept_set_access(gpa, EPT_READ | EPT_WRITE); /* the step may write it: the next fetch sends it again */
    if (!was_writable)
        kick_ept_changed(cpu);
    step_open_page(cpu, gpa, ept_lookup(gpa) | EPT_ACCESS_MASK);
    step_begin(cpu, NULL);
}

/* Root mode maps no addresses above the end of RAM (a device's registers, for instance). The guest may execute there,
 * but the trace has no code for it. */
__attribute__((cold, noinline)) static void unmapped_fetched(struct cpu *cpu, uint64_t gpa)
{
    if (!unmapped_reported)
        log_line(
            "CPU %u executes at guest-physical address %llx, outside of memory: the trace has no code for it there",
            cpu->number, (unsigned long long)gpa);
    unmapped_reported = true;
    ept_set_access(gpa, EPT_ACCESS_MASK);
}

void code_fetched(struct cpu *cpu, uint64_t address, uint64_t qualification)
{
    const uint64_t gpa = address & EPT_PAGE_MASK, linear = linear_of(gpa, qualification);
    const bool triggers = trigger_guards(gpa, linear), withheld = machine_is_bios_page(gpa);
    const void *page = guest_page(gpa);
    struct arbitration_claim claim = {0};

    if (!page) {
        unmapped_fetched(cpu, gpa);
        return;
    }
    if (is_writable(gpa))
        claim = page_claim(cpu, gpa);
    const bool was_writable = is_writable(gpa);
    if (ept_lookup(gpa) & EPT_EXECUTE) /* another CPU was faster */
        return;
    const bool stepped = soft_guards(cpu, linear, ept_lookup(gpa) & EPT_GUARDED);
    if ((!triggers || !trigger_fetched(cpu, gpa)) && !is_withheld(gpa))
        page_freeze_and_send(cpu, gpa, page, linear);
    if (was_writable)
        page_is_taken(cpu, gpa, &claim);
    if (code_page_is_being_written(cpu, gpa)) {
        page_open_fully(cpu, gpa, was_writable);
    } else if (triggers || stepped || withheld) {
        ept_set_access(gpa, EPT_READ | (stepped ? EPT_GUARDED : 0) | (withheld ? EPT_SENT : 0));
        step_open_page(cpu, gpa, ept_lookup(gpa) | EPT_EXECUTE);
        if (triggers || withheld)
            step_begin(cpu, NULL);
    } else {
        ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
        segments_fetched(cpu, gpa);
    }
    if (stepped)
        soft_page_opened(cpu, linear);
    ept_invalidate(cpu); /* the page may have been writable */
}

void code_page_written(struct cpu *cpu, uint64_t gpa)
{
    struct arbitration_claim claim = {0};

    if (!is_writable(gpa))
        claim = page_claim(cpu, gpa);
    if (ept_view_has_open(cpu, gpa)) {
        step_close_pages(cpu);
        ept_invalidate(cpu);
    }
    code_of(cpu)->pages.written_gpa = gpa;
    code_of(cpu)->pages.written_rip = vmreadn(VMCS_GUEST_RIP);
    if (is_writable(gpa))
        return;
    ept_set_access(gpa, EPT_READ | EPT_WRITE);
    kick_ept_changed(cpu);
    ept_invalidate(cpu);
    trigger_written(gpa);
    page_is_taken(cpu, gpa, &claim);
}

void code_written_by_root(struct cpu *cpu, uint64_t gpa)
{
    if (machine.config.code_pages && !is_writable(gpa))
        code_page_written(cpu, gpa & EPT_PAGE_MASK);
}

/* When a device wrote it is unknown, only that it was before the guest mapped the page. All CPUs must have noticed
 * before they execute it. */
__attribute__((noinline)) bool code_page_refilled(struct cpu *cpu, uint64_t gpa, uint64_t linear, uint64_t cr3)
{
    const void *page = guest_page(gpa);

    if (!page)
        return false;
    if (is_withheld(gpa) && !(ept_lookup(gpa) & EPT_EXECUTE))
        ept_set_access(gpa, EPT_READ | EPT_WRITE);
    if (!(ept_lookup(gpa) & EPT_EXECUTE))
        return false;
    record_advance(cpu);
    kick_ept_changed(cpu);
    page_send(cpu, gpa, page, linear, cr3, RECORD_PAGE_REFILLED);
    return true;
}
