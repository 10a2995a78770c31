/*
 * pt.trigger=ADDRESS: notice that the guest is about to execute this linear address.
 *
 * The page that it lies on never becomes executable: each instruction fetched from it exits, is looked at, and is
 * executed by a single step. The guest sees nothing of it but the time that instructions on this page take; debug
 * registers, which it could read, are not used.
 *
 * Not seen: a first execution of the page at another linear address makes it executable there, and so here.
 */
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/vmcs.h"

#include "serial/log.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))

/* SDM "Linear-Address Pre-Processing": outside of 64-bit mode a linear address is CS.base + EIP, 32 bits. */
static uint64_t guest_linear_rip(void)
{
    const uint64_t rip = vmreadn(VMCS_GUEST_RIP);

    return guest_code64() ? rip : (uint32_t)(vmreadn(VMCS_GUEST_CS_BASE) + rip);
}

bool trigger_guards(const struct cpu *cpu, uint64_t gpa, uint64_t linear)
{
    return vmx_machine.trigger &&
           (gpa == cpu->trigger_gpa || (linear & PAGE_MASK) == (vmx_machine.trigger & PAGE_MASK));
}

/* true: the page is as it was when it was last sent. */
bool trigger_fetched(struct cpu *cpu, uint64_t gpa)
{
    const bool known = cpu->trigger_gpa == gpa && cpu->trigger_sent;

    if (cpu->trigger_gpa != gpa)
        cpu->trigger_gpa = gpa;
    cpu->trigger_sent = true;
    if (guest_linear_rip() == vmx_machine.trigger) {
        log_line("trigger: CPU %u comes to %llx", cpu->number, (unsigned long long)vmx_machine.trigger);
        pt_trigger(cpu->pt);
    }
    return known;
}

void trigger_written(struct cpu *cpu, uint64_t gpa)
{
    if (gpa == cpu->trigger_gpa)
        cpu->trigger_sent = false;
}
