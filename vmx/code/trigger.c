/* Kind: shell */
/*
 * pt.trigger=ADDRESS, pt.start=ADDRESS, pt.start=exitbootservices: notice that the guest is about to execute the
 * instruction at this linear address.
 *
 * Its page does not become executable (for pt.start=: until the address was reached). Each instruction fetched from it
 * exits, is compared, and is executed by a single step. The guest notices only the time that instructions on this page
 * take. Debug registers, which it could read, are not used.
 *
 * pt.start=exitbootservices: firmware and boot loaders keep code and data on the same pages, which would be sent again
 * and again. Until the start no other page is restricted.
 *
 * Not noticed: if the page is first executed at another linear address, it becomes executable there, and so here.
 */
#include "vmx/code/trigger.h"

#include "base/log.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/view.h"
#include "vmx/guest/guest.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/requests.h"

/* The machine's lock guards it. */
static struct {
    uint64_t gpa; /* the page of pt.trigger= */
    bool sent;    /* its bytes have been sent and have not changed since */
    bool over;    /* pt.start=: it was reached, and does not trigger again */
} trigger;

bool trigger_guards(uint64_t gpa, uint64_t linear)
{
    return machine.config.trigger && !trigger.over &&
           (gpa == trigger.gpa || (linear & EPT_PAGE_MASK) == (machine.config.trigger & EPT_PAGE_MASK));
}

bool trigger_fetched(struct cpu *cpu, uint64_t gpa)
{
    const bool known = trigger.gpa == gpa && trigger.sent;

    trigger.gpa = gpa;
    trigger.sent = true;
    if (guest_linear_rip() == machine.config.trigger) {
        log_line("trigger: CPU %u reaches %llx", cpu->number, (unsigned long long)machine.config.trigger);
        if (machine.config.code_from_trigger && !trigger.over) {
            ept_withhold_from_now();
            kick_ept_changed(cpu);
            ept_invalidate(cpu);
        }
        requests_trigger_all(cpu);
        trigger.over = machine.config.trigger_once;
    }
    return known;
}

void trigger_written(uint64_t gpa)
{
    if (gpa == trigger.gpa)
        trigger.sent = false;
}
