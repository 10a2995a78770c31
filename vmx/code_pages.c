/*
 * W^X over guest memory: a page is written or executed, and what is executed is sent first.
 *
 * RW- at the start. A fetch makes the page R-X and sends it as RECORD_PAGE; a write makes it RW- again, so that the
 * next fetch sends what it has become. An instruction that writes the page it stands on would go round for ever: its
 * second fetch violation in a row opens the page wholly for this one instruction.
 *
 * Not seen: a page that is executed at a second linear address while it is R-X, and what devices write by DMA.
 */
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

#define ACCESS_RIGHTS_DB (1u << 14)

static uint64_t pages_sent;

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

static void page_send(struct cpu *cpu, uint64_t gpa, uint64_t linear)
{
    const struct record_page head = {.gpa = gpa,
                                     .gva = linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
                                     .cr3 = vmreadn(VMCS_GUEST_CR3),
                                     .mode = code_mode(),
                                     .size = RECORD_PAGE_SIZE,
                                     .number = ++pages_sent};

    pt_record(cpu->pt, RECORD_PAGE, &head, sizeof head, phys_to_virt(gpa), RECORD_PAGE_SIZE);
}

void code_page_fetched(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t linear = linear_of(gpa, qualification);
    const bool guarded = trigger_guards(cpu, gpa, linear);

    if (!guarded || !trigger_fetched(cpu, gpa))
        page_send(cpu, gpa, linear);
    if (cpu->written_gpa == gpa && cpu->written_rip == vmreadn(VMCS_GUEST_RIP)) {
        trigger_written(cpu, gpa);
        step_open_page(cpu, gpa, STEP_CODE_PAGE, EPT_ACCESS_MASK);
        return;
    }
    if (guarded) {
        step_open_page(cpu, gpa, STEP_TRIGGER, EPT_READ | EPT_EXECUTE);
        ept_invalidate(); /* it may have been writable */
        return;
    }
    ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
    ept_invalidate();
}

void code_page_written(struct cpu *cpu, uint64_t gpa)
{
    ept_set_access(gpa, EPT_READ | EPT_WRITE);
    ept_invalidate();
    trigger_written(cpu, gpa);
    cpu->written_gpa = gpa;
    cpu->written_rip = vmreadn(VMCS_GUEST_RIP);
}

/* It may have been written: the next fetch sends it again. */
void code_page_step_done(uint64_t gpa)
{
    ept_set_access(gpa, EPT_READ | EPT_WRITE);
}
