/* Kind: shell */
/* Writes to read-only pages: page tables that are being watched, and code. */
#include "vmx/code/code.h"
#include "vmx/code/deferred.h"
#include "vmx/code/faults.h"
#include "vmx/code/memory.h"
#include "vmx/code/pages.h"
#include "vmx/ept/maths.h"

/* Whichever CPU a fault was on, its kernel works on it here now. */
static void faults_wake(struct cpu *cpu, uint64_t page)
{
    struct deferred_position at = {0};
    const struct page_fault *fault;

    while ((fault = deferred_take(page, &at)) != NULL)
        fault_wake(cpu, fault->space, fault->linear);
}

void code_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t page = gpa & EPT_PAGE_MASK;

    if (code_memory() && space_lifetime_written(cpu, gpa, qualification))
        return;
    faults_wake(cpu, page);
    code_page_written(cpu, page);
}
