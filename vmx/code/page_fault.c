/* Kind: shell */
#include "vmx/code/page_fault.h"

#include "vmx/code/mappings.h"
#include "vmx/cpu/cpu.h"

/* The program that faulted on another CPU, or another one in its tables, may run here now. Since when its page has been
 * present is unknown here, and what that CPU will find is not what its own program executed. */
void page_fault_check_for_other(struct cpu *cpu, struct page_fault *fault, uint64_t space)
{
    if (fault->space != space || !fault->tsc)
        return;
    mapping_send(cpu, fault, pt_offset(cpu->pt));
    fault->absent_offset = ABSENT_UNKNOWN;
}
