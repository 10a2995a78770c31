/*
 * Single steps: the guest executes one instruction with a page open to it, then the page is closed.
 *
 * Source: SDM "Monitor Trap Flag". An interrupt may be delivered instead of the instruction; the page is closed then as
 * well, and the instruction will be back.
 */
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"

void step_open_page(struct cpu *cpu, uint64_t gpa, enum step_kind kind, uint64_t access)
{
    if (cpu->nr_step_pages == STEP_MAX_PAGES)
        fail_stop(cpu, "one instruction touches more guarded pages than there can be");
    cpu->step_pages[cpu->nr_step_pages++] = (struct step_page){gpa, kind};
    /* Rights are only added: the violation has dropped what was cached for this access. */
    ept_set_access(gpa, access);
    cpu_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, true);
}

enum exit_action step_exit(struct cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->nr_step_pages; i++) {
        const struct step_page *page = &cpu->step_pages[i];

        switch (page->kind) {
        case STEP_LAPIC:
            ept_set_access(page->gpa, EPT_READ);
            lapic_step_done(cpu, page->gpa);
            break;
        case STEP_CODE_PAGE:
            code_page_step_done(page->gpa);
            break;
        case STEP_TRIGGER:
            ept_set_access(page->gpa, EPT_READ);
            break;
        case STEP_HIDDEN:
            ept_set_access(page->gpa, EPT_READ);
            ept_hidden_refill();
            break;
        }
    }
    cpu->nr_step_pages = 0;
    cpu_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, false);
    ept_invalidate();
    return EXIT_RETRY;
}
