/* Kind: shell */
/*
 * pt.trigger=ADDRESS, pt.start=ADDRESS: notice that the guest is about to execute the instruction at this linear
 * address.
 *
 * Its page does not become executable (for pt.start=: until the address was reached). Each instruction fetched from it
 * exits, is compared, and is executed by a single step. The guest notices only the time that instructions on this page
 * take. Debug registers, which it could read, are not used.
 *
 * Not noticed: if the page is first executed at another linear address, it becomes executable there, and so here.
 */
#include "vmx/code/trigger.h"

#include "base/log.h"
#include "vmx/cpu.h"
#include "vmx/ept_maths.h"
#include "vmx/guest.h"

bool trigger_guards(uint64_t gpa, uint64_t linear)
{
    return machine.config.trigger && !machine.code.trigger.over &&
           (gpa == machine.code.trigger.gpa || (linear & EPT_PAGE_MASK) == (machine.config.trigger & EPT_PAGE_MASK));
}

bool trigger_fetched(struct cpu *cpu, uint64_t gpa)
{
    const bool known = machine.code.trigger.gpa == gpa && machine.code.trigger.sent;

    machine.code.trigger.gpa = gpa;
    machine.code.trigger.sent = true;
    if (guest_linear_rip() == machine.config.trigger) {
        log_line("trigger: CPU %u reaches %llx", cpu->number, (unsigned long long)machine.config.trigger);
        requests_trigger_all(cpu);
        machine.code.trigger.over = machine.config.trigger_once;
    }
    return known;
}

void trigger_written(uint64_t gpa)
{
    if (gpa == machine.code.trigger.gpa)
        machine.code.trigger.sent = false;
}
