/* EPT violations: which of our reasons to withhold a page it was. */
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
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

enum exit_action ept_violation_exit(struct cpu *cpu)
{
    const uint64_t qualification = vmreadn(VMCS_EXIT_QUALIFICATION);
    const uint64_t gpa = vmread64(VMCS_GUEST_PHYSICAL_ADDRESS);
    const uint64_t page = gpa & PAGE_MASK;
    const uint64_t entry = ept_lookup(gpa);
    const bool write = qualification & EPT_VIOLATION_WRITE, fetch = qualification & EPT_VIOLATION_FETCH;

    block_nmis_again(qualification);
    if (!ept_entry_present(entry))
        ept_map_missing(gpa);
    else if (write && page == cpu->lapic_pa)
        lapic_step_open(cpu, gpa);
    else if (write && ept_is_hidden(gpa))
        step_open_page(cpu, page, STEP_HIDDEN, EPT_READ | EPT_WRITE);
    else if (fetch && vmx_machine.code_pages && page != cpu->lapic_pa && !ept_is_hidden(gpa))
        code_page_fetched(cpu, page, qualification);
    else if (write && vmx_machine.code_pages)
        code_page_written(cpu, page);
    else
        fail_stop(cpu, "an EPT violation that nobody handles");
    return EXIT_RETRY;
}
