/* Kind: shell, init */
#include "boot/selftest/selftest.h"

#include "base/log.h"
#include "boot/selftest/findings.h"
#include "boot/selftest/selftest_facts.h"
#include "boot/selftest/selftest_wire.h"

/* The same checks as in a boot, but of the CPU's own PT even if soft PT would replace it. */
static void log_machine(const struct selftest *selftest, const struct machine_facts *facts)
{
    struct pt_setup setup;
    const enum pt_refusal refusal = pt_options_resolve(&setup, &facts->pt, selftest->options);
    log_line("selftest: VMX: %s", selftest->no_vmx ? selftest->no_vmx : "yes, with all required features");
    log_line("selftest: Intel PT: %s", refusal ? pt_refusal_text(refusal) : "yes, also in VMX operation");
    log_line("selftest: registers: IA32_FEATURE_CONTROL %lx VMX basic %lx pin %lx proc %lx %lx exit %lx entry %lx EPT "
             "%lx misc %lx IA32_RTIT_CTL %lx",
             facts->vmx.feature_control, facts->vmx.basic, facts->vmx.pin, facts->vmx.proc, facts->vmx.proc2,
             facts->vmx.exit, facts->vmx.entry, facts->vmx.ept_vpid, facts->vmx.misc, facts->pt.rtit_ctl);
    log_line("selftest: CPUs: %u", facts->nr_cpus ? facts->nr_cpus : 1);
}

static bool wire_works(const struct selftest *selftest)
{
    if (selftest->channel->kind == CHANNEL_NONE) {
        log_line("selftest: wire: none; see the lines above");
        return false;
    }
    return selftest_wire(selftest->channel->sink, selftest->memory);
}

static void log_finding(const struct finding *finding)
{
    static const char *const names[] = {[FINDING_NOTE] = "note",
                                        [FINDING_STOPS_WIRE] = "no channel",
                                        [FINDING_STOPS_PT] = "no Intel PT",
                                        [FINDING_STOPS_VMX] = "no hypervisor"};
    log_line("selftest: finding: %s: %s%s%s%s", names[finding->weight], finding->what, finding->detail ? " (" : "",
             finding->detail ? finding->detail : "", finding->detail ? ")" : "");
    log_line("selftest: remedy: %s", finding->remedy);
}

static enum finding_weight log_findings(const struct machine_facts *facts)
{
    struct finding findings[FINDINGS_MAX];
    const unsigned nr = findings_of(findings, facts);
    for (unsigned i = 0; i < nr; i++)
        log_finding(&findings[i]);
    return findings_weight(findings, nr);
}

static const char *verdict(enum finding_weight weight)
{
    switch (weight) {
    case FINDING_NOTE:
        return "this machine can be traced, and its trace can be sent";
    case FINDING_STOPS_WIRE:
        return "this machine can be traced, but its trace cannot be sent";
    case FINDING_STOPS_PT:
        return "this machine cannot be traced by Intel PT, but by single-stepping";
    default:
        return "this machine cannot be traced: our hypervisor cannot run on it";
    }
}

_Noreturn void selftest_run(const struct selftest *selftest)
{
    struct machine_facts facts;
    selftest_facts_read(&facts, selftest);
    log_machine(selftest, &facts);
    const bool wire = wire_works(selftest);
    protect_try(selftest->vtd, selftest->vtd_request);
    selftest_facts_read_vtd(&facts, selftest);
    facts.wire_failed = facts.channel == CHANNEL_OPEN && !wire;
    log_line("selftest: %s", verdict(log_findings(&facts)));
    if (wire)
        selftest_wire_end(selftest->channel->sink);
    log_line("selftest: done; turn the machine off or reset it");
    for (;;)
        __asm__ volatile("cli; hlt");
}
