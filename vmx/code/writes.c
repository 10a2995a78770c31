/* Kind: shell */
/* Writes to read-only pages: page tables that are being watched, and code. */
#include "vmx/code/code.h"
#include "vmx/code/deferred.h"
#include "vmx/code/memory.h"
#include "vmx/code/pages.h"
#include "vmx/ept_maths.h"

void code_written(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t page = gpa & EPT_PAGE_MASK;

    if (code_memory() && space_lifetime_written(cpu, gpa, qualification))
        return;
    deferred_written(cpu, page);
    code_page_written(cpu, page);
}
