/* Kind: shell */
/* EPT violations: which of our reasons to withhold a page it was. */
#include <string.h>

#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/mtrr.h"
#include "vmx/sleepers.h"
#include "vmx/space_life.h"
#include "vmx/vmcs.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))

/* SDM "Information About NMI Unblocking Due to IRET": the IRET that faulted here had unblocked NMIs; block them again,
 * or its second run would find them unblocked too early. */
static void block_nmis_again(uint64_t qualification)
{
    if ((qualification & EPT_VIOLATION_NMI_UNBLOCKING) && !(vmread32(VMCS_IDT_VECTORING_INFORMATION) & EVENT_VALID))
        vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE,
                  vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) | INTERRUPTIBILITY_NMI);
}

/* The instruction writes to a page of this CPU's that nobody reads. */
static void hidden_written(struct cpu *cpu, uint64_t page)
{
    memset(cpu->hidden_stage, 0xff, sizeof cpu->hidden_stage);
    step_open_page(cpu, page, ept_leaf_entry(virt_to_phys(cpu->hidden_stage), 1, MEMORY_TYPE_WB, EPT_READ | EPT_WRITE));
    step_begin(cpu, NULL);
}

/* Code, or a page table that is watched. */
static void page_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t page = gpa & PAGE_MASK;

    if (machine.config.map_memory && space_life_written(cpu, gpa, qualification))
        return;
    sleepers_written(cpu, page);
    code_page_written(cpu, page);
}

/* The machine's lock is held: what the tree says holds. */
static void violation_handle(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t page = gpa & PAGE_MASK, entry = ept_lookup(gpa);
    const bool write = qualification & EPT_VIOLATION_WRITE, fetch = qualification & EPT_VIOLATION_FETCH;

    if (!ept_entry_present(entry))
        ept_map_missing(gpa);
    else if (write && ept_is_hidden(gpa))
        hidden_written(cpu, page);
    else if (fetch && machine.config.code_pages && page != cpu->lapic_pa && !ept_is_hidden(gpa))
        code_page_fetched(cpu, page, qualification);
    else if (write && machine.config.code_pages)
        page_written(cpu, gpa, qualification);
    else
        fail_stop(cpu, "an EPT violation that nobody handles");
}

enum exit_action ept_violation_exit(struct cpu *cpu)
{
    const uint64_t qualification = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint64_t gpa = vmread64(VMCS_GUEST_PHYSICAL_ADDRESS);

    block_nmis_again(qualification);
    if (!(qualification & EPT_VIOLATION_FETCH) && cpu->lapic_pa && (gpa & PAGE_MASK) == cpu->lapic_pa) {
        lapic_accessed(cpu, gpa, qualification & EPT_VIOLATION_WRITE);
        return EXIT_RETRY;
    }
    machine_lock(cpu);
    violation_handle(cpu, gpa, qualification);
    machine_unlock(cpu);
    return EXIT_RETRY;
}
