/* Kind: shell */
/* EPT violations: for which of root's reasons a page lacks the permission. */
#include "vmx/exit/handlers.h"

#include <string.h>

#include "base/phys.h"
#include "vmx/apic/lapic.h"
#include "vmx/code/code.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/mtrr.h"
#include "vmx/ept/step.h"
#include "vmx/ept/view.h"
#include "vmx/exit/filter.h"
#include "vmx/guest/inject.h"
#include "vmx/smp/kick.h"

/* SDM "Information About NMI Unblocking Due to IRET": the IRET that faulted has unblocked NMIs already. Block them
 * again, so that none is delivered before it is executed again. */
static void block_nmis_again(uint64_t qualification)
{
    if ((qualification & EPT_VIOLATION_NMI_UNBLOCKING) && !(vmread32(VMCS_IDT_VECTORING_INFORMATION) & EVENT_VALID))
        vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE,
                  vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) | INTERRUPTIBILITY_NMI);
}

/* Step the instruction with a scratch page of this CPU in place of the hidden one. */
static void hidden_written(struct cpu *cpu, uint64_t page)
{
    memset(cpu->hidden_stage, 0xff, sizeof cpu->hidden_stage);
    step_open_page(cpu, page, ept_leaf_entry(virt_to_phys(cpu->hidden_stage), 1, MEMORY_TYPE_WB, EPT_READ | EPT_WRITE));
    step_begin(cpu, NULL);
}

static void map_missing(struct cpu *cpu, uint64_t gpa)
{
    if (!ept_missing_has_room()) {
        ept_missing_forget();
        kick_ept_changed(cpu);
        ept_invalidate(cpu);
    }
    ept_map_missing(gpa);
}

/* The page of vmx/exit/bios_call.c, of which no bytes are sent: step each instruction, so that the next one exits. */
static void bios_fetched(struct cpu *cpu, uint64_t page, uint64_t entry)
{
    step_open_page(cpu, page, entry | EPT_EXECUTE);
    step_begin(cpu, NULL);
}

/* The machine's lock is held, so that the tree does not change meanwhile. */
static void violation_handle(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t page = gpa & EPT_PAGE_MASK, entry = ept_lookup(gpa);
    const bool write = qualification & EPT_VIOLATION_WRITE, fetch = qualification & EPT_VIOLATION_FETCH;

    if (!ept_entry_present(entry) && filter_has(gpa))
        filter_accessed(cpu, gpa, qualification);
    else if (!ept_entry_present(entry))
        map_missing(cpu, gpa);
    else if (write && ept_is_hidden(gpa))
        hidden_written(cpu, page);
    else if (fetch && ept_is_hidden(gpa))
        ept_set_access(gpa, EPT_READ | EPT_EXECUTE); /* FFH FFH is #UD, as where there is no memory */
    else if (fetch && machine.config.code_pages)
        code_fetched(cpu, gpa, qualification);
    else if (fetch && machine_is_bios_page(page))
        bios_fetched(cpu, page, entry);
    else if (write && machine.config.code_pages)
        code_written(cpu, gpa, qualification);
    else
        fail_stop(cpu, "no handler for an EPT violation");
}

enum exit_action ept_violation_exit(struct cpu *cpu)
{
    const uint64_t qualification = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint64_t gpa = vmread64(VMCS_GUEST_PHYSICAL_ADDRESS);

    block_nmis_again(qualification);
    if (lapic_is_guarded(cpu, gpa)) {
        if (qualification & EPT_VIOLATION_FETCH)
            lapic_fetched(cpu);
        else
            lapic_accessed(cpu, gpa, qualification & EPT_VIOLATION_WRITE);
        return EXIT_RETRY;
    }
    machine_lock(cpu);
    violation_handle(cpu, gpa, qualification);
    machine_unlock(cpu);
    return EXIT_RETRY;
}
