/* Kind: shell */
/*
 * pt.trigger=ADDRESS, pt.start=ADDRESS: notice that the guest is about to execute this linear address.
 *
 * The page that it lies on does not become executable, until pt.start's was: each instruction fetched from it exits, is
 * looked at, and is executed by a single step. The guest sees nothing of it but the time that instructions on this page
 * take; debug registers, which it could read, are not used.
 *
 * Not seen: a first execution of the page at another linear address makes it executable there, and so here.
 */
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

#include "base/log.h"

#define PAGE_MASK (~(EPT_PAGE_SIZE - 1))

/* SDM "Linear-Address Pre-Processing": outside of 64-bit mode a linear address is CS.base + EIP, 32 bits. */
static uint64_t guest_linear_rip(void)
{
    const uint64_t rip = vmreadn(VMCS_GUEST_RIP);

    return guest_code64() ? rip : (uint32_t)(vmreadn(VMCS_GUEST_CS_BASE) + rip);
}

bool trigger_guards(uint64_t gpa, uint64_t linear)
{
    return machine.config.trigger &&
           (gpa == machine.trigger_gpa || (linear & PAGE_MASK) == (machine.config.trigger & PAGE_MASK));
}

/* true: the page is as it was when it was last sent. */
bool trigger_fetched(struct cpu *cpu, uint64_t gpa)
{
    const bool known = machine.trigger_gpa == gpa && machine.trigger_sent;

    machine.trigger_gpa = gpa;
    machine.trigger_sent = true;
    if (guest_linear_rip() == machine.config.trigger) {
        log_line("trigger: CPU %u comes to %llx", cpu->number, (unsigned long long)machine.config.trigger);
        summons_trigger_all(cpu);
        if (machine.config.trigger_once)
            machine.config.trigger = 0;
    }
    return known;
}

void trigger_written(uint64_t gpa)
{
    if (gpa == machine.trigger_gpa)
        machine.trigger_sent = false;
}
