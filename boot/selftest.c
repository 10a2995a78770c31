#include "boot/selftest.h"

#include "boot/plan.h"
#include "boot/selftest_wire.h"
#include "boot/tracing.h"
#include "serial/log.h"

/* What was found before, by the same checks that a boot makes. */
static bool say_machine(const struct boot_state *boot)
{
    const char *refused = boot->refusal ? pt_refusal_text(boot->refusal) : NULL;
    log_line("selftest: VMX: %s", boot->no_vmx ? boot->no_vmx : "yes, with all that is needed");
    log_line("selftest: Intel PT: %s", refused ? refused : "yes, and in VMX operation");
    log_line("selftest: CPUs: %u", boot->acpi.cpus.nr ? boot->acpi.cpus.nr : 1);
    return !boot->no_vmx && !refused;
}

static bool say_wire(struct boot_state *boot)
{
    if (boot->channel.kind == CHANNEL_NONE) {
        log_line("selftest: wire: none; the lines above say why");
        return false;
    }
    return selftest_wire(boot->channel.sink, plan_take(boot, SELFTEST_WIRE_BYTES));
}

_Noreturn void selftest_run(struct boot_state *boot)
{
    tracing_open_channel(boot); /* first: what follows is for the receiver, too */
    const bool machine = say_machine(boot);
    const bool wire = say_wire(boot);
    log_line("selftest: %s", !machine ? "this machine cannot be traced by its CPU's own Intel PT"
                             : !wire  ? "this machine can be traced, but its trace cannot be sent"
                                      : "this machine can be traced, and its trace sent");
    if (wire)
        selftest_wire_end(boot->channel.sink);
    log_line("selftest: done; turn the machine off or reset it");
    for (;;)
        __asm__ volatile("cli; hlt");
}
