/* Kind: shell, init */
#include "boot/selftest/selftest.h"

#include "base/log.h"
#include "boot/channel/tracing.h"
#include "boot/memory/plan.h"
#include "boot/selftest/findings.h"
#include "boot/selftest/selftest_facts.h"
#include "boot/selftest/selftest_wire.h"
#include "boot/vtd/protect.h"

/* By the same checks that a boot makes; of the CPU's own PT, where soft PT would stand in for it. */
static void say_machine(const struct boot_state *boot, const struct machine_facts *facts)
{
    struct pt_setup setup;
    const enum pt_refusal refusal = pt_options_resolve(&setup, &facts->pt, &boot->options.pt);
    log_line("selftest: VMX: %s", boot->no_vmx ? boot->no_vmx : "yes, with all that is needed");
    log_line("selftest: Intel PT: %s", refusal ? pt_refusal_text(refusal) : "yes, and in VMX operation");
    log_line("selftest: registers: IA32_FEATURE_CONTROL %lx VMX basic %lx pin %lx proc %lx %lx exit %lx entry %lx EPT "
             "%lx misc %lx "
             "IA32_RTIT_CTL %lx",
             facts->vmx.feature_control, facts->vmx.basic, facts->vmx.pin, facts->vmx.proc, facts->vmx.proc2,
             facts->vmx.exit, facts->vmx.entry, facts->vmx.ept_vpid, facts->vmx.misc, facts->pt.rtit_ctl);
    log_line("selftest: CPUs: %u", facts->nr_cpus ? facts->nr_cpus : 1);
}

static bool wire_works(struct boot_state *boot)
{
    if (boot->channel.kind == CHANNEL_NONE) {
        log_line("selftest: wire: none; the lines above say why");
        return false;
    }
    return selftest_wire(boot->channel.sink, plan_take(boot, SELFTEST_WIRE_BYTES));
}

static void say_finding(const struct finding *finding)
{
    static const char *const names[] = {[FINDING_NOTE] = "note",
                                        [FINDING_STOPS_WIRE] = "no trace leaves",
                                        [FINDING_STOPS_PT] = "no Intel PT",
                                        [FINDING_STOPS_VMX] = "no hypervisor"};
    log_line("selftest: finding: %s: %s%s%s%s", names[finding->weight], finding->what, finding->detail ? " (" : "",
             finding->detail ? finding->detail : "", finding->detail ? ")" : "");
    log_line("selftest: remedy: %s", finding->remedy);
}

static enum finding_weight say_findings(const struct machine_facts *facts)
{
    struct finding findings[FINDINGS_MAX];
    const unsigned nr = findings_of(findings, facts);
    for (unsigned i = 0; i < nr; i++)
        say_finding(&findings[i]);
    return findings_weight(findings, nr);
}

static const char *verdict(enum finding_weight weight)
{
    switch (weight) {
    case FINDING_NOTE:
        return "this machine can be traced, and its trace sent";
    case FINDING_STOPS_WIRE:
        return "this machine can be traced, but its trace cannot be sent";
    case FINDING_STOPS_PT:
        return "this machine cannot be traced by its CPU's own Intel PT; by single steps it can";
    default:
        return "this machine cannot be traced: no hypervisor of ours runs on it";
    }
}

_Noreturn void selftest_run(struct boot_state *boot)
{
    struct machine_facts facts;
    tracing_open_channel(boot); /* first: what follows is for the receiver, too */
    selftest_facts_read(&facts, boot);
    say_machine(boot, &facts);
    const bool wire = wire_works(boot);
    protect_try(boot);
    selftest_facts_read_vtd(&facts, boot);
    facts.wire_failed = facts.channel == CHANNEL_OPEN && !wire;
    log_line("selftest: %s", verdict(say_findings(&facts)));
    if (wire)
        selftest_wire_end(boot->channel.sink);
    log_line("selftest: done; turn the machine off or reset it");
    for (;;)
        __asm__ volatile("cli; hlt");
}
