/* Kind: core, init */
#include "boot/selftest/findings.h"

#include <stddef.h>
#include <string.h>

#include "pt/rtit.h"

#define CPUID_1_ECX_VMX (1u << 5)

struct list {
    struct finding *findings;
    unsigned nr;
};

static void list_add(struct list *list, enum finding_weight weight, const char *what, const char *detail,
                     const char *remedy)
{
    if (list->nr < FINDINGS_MAX)
        list->findings[list->nr++] = (struct finding){weight, what, detail, remedy};
}

#define ON_BARE_METAL                                                                                                  \
    "start Undertrace on the machine itself, not in a virtual machine; docs/ci.md says what works in one"
#define OTHER_CPU "use another CPU: docs/hardware.md lists suitable ones"
#define SINGLE_STEPS "use another CPU, or pt=soft: single-stepping traces some million branches on this one, slowly"

static bool is_intel(const struct machine_facts *facts)
{
    return memcmp(facts->vendor, "GenuineIntel", sizeof facts->vendor) == 0;
}

static void find_vmx(struct list *list, const struct machine_facts *facts)
{
    struct vmx_controls controls;
    const char *missing = vmx_caps_check(&facts->vmx);
    const bool locked = missing && facts->vmx.cpuid_1_ecx & CPUID_1_ECX_VMX; /* the check's only other reason */
    if (!missing)
        missing = vmx_controls_resolve(&controls, &facts->vmx);
    if (!missing)
        return;
    if (locked)
        list_add(
            list, FINDING_STOPS_VMX, "the firmware has disabled VMX and locked the setting",
            "IA32_FEATURE_CONTROL: bit 0, lock, is 1 and bit 2 is 0",
            "in the firmware setup enable \"Intel Virtualization Technology\" (also called VMX or VT-x), save, and "
            "switch the power off and on: a restart may keep the lock");
    else if (facts->outer_hypervisor[0])
        list_add(list, FINDING_STOPS_VMX, "the outer hypervisor offers no VMX that we can use", missing, ON_BARE_METAL);
    else
        list_add(list, FINDING_STOPS_VMX,
                 is_intel(facts) ? "this CPU's VMX lacks a required feature" : "this is not an Intel CPU", missing,
                 OTHER_CPU);
}

/* Output schemes. Called only if the CPU has Intel PT. */
static void find_pt_schemes(struct list *list, const struct pt_cpuid *pt)
{
    const uint32_t ecx = pt->leaf14_0[2];
    if (!(ecx & (CPUID_14_ECX_TOPAOUT | CPUID_14_ECX_SNGLRNGOUT)))
        list_add(list, FINDING_STOPS_PT, "this CPU's Intel PT cannot write to memory",
                 "CPUID.14H:ECX[2] and ECX[0] are 0", SINGLE_STEPS);
    else if (!(ecx & CPUID_14_ECX_TOPAOUT))
        list_add(
            list, FINDING_NOTE, "this CPU's Intel PT does not support ToPA", "CPUID.14H:ECX[0] is 0",
            "none needed: pt.scheme=auto uses the single-range scheme, which is polled; a fast guest may lose parts "
            "of the trace, and a larger buffer (pt.regions=) helps");
    else if (!(ecx & CPUID_14_ECX_MENTRY))
        list_add(list, FINDING_NOTE, "this CPU's Intel PT supports ToPA tables with a single region only",
                 "CPUID.14H:ECX[1] is 0",
                 "none needed: pt.scheme=auto uses one region at a time; larger regions (pt.region=) cost less");
}

static void find_pt(struct list *list, const struct machine_facts *facts)
{
    const struct pt_cpuid *pt = &facts->pt;
    if (pt->leaf0_eax < 0x14 || !(pt->leaf7_ebx & CPUID_7_EBX_PT)) {
        list_add(list, FINDING_STOPS_PT,
                 facts->outer_hypervisor[0] ? "the outer hypervisor offers no Intel PT" : "this CPU has no Intel PT",
                 "CPUID.07H:EBX[25] is 0", facts->outer_hypervisor[0] ? ON_BARE_METAL : SINGLE_STEPS);
        return;
    }
    if (pt->rtit_ctl & RTIT_CTL_TRACE_EN)
        list_add(list, FINDING_STOPS_PT, "Intel PT is already in use by firmware or a debug probe",
                 "IA32_RTIT_CTL.TraceEn is 1",
                 "in the firmware setup disable \"Processor Trace\" (among the debug or CPU settings); disconnect any "
                 "probe");
    if (!(pt->vmx_misc & VMX_MISC_PT_IN_VMX))
        list_add(list, FINDING_STOPS_PT,
                 facts->outer_hypervisor[0] ? "the outer hypervisor does not allow Intel PT in VMX operation"
                                            : "this CPU does not allow Intel PT in VMX operation",
                 "IA32_VMX_MISC[14] is 0", facts->outer_hypervisor[0] ? ON_BARE_METAL : SINGLE_STEPS);
    find_pt_schemes(list, pt);
}

static void find_vtd(struct list *list, const struct machine_facts *facts)
{
    static const struct finding found[] = {
        [VTD_NOT_TRIED] =
            {FINDING_NOTE,
             "the machine has DMA remapping (VT-d), which is hidden from the guest if the channel is a "
             "network card",
             NULL, "none needed; a guest that needs VT-d keeps it if the channel is a serial line: channel=uart"},
        [VTD_FAILED] =
            {FINDING_NOTE, "VT-d cannot protect our memory from devices on this machine", NULL,
             "none needed, as tracing works without VT-d; but a faulty driver of the guest can overwrite our memory"},
        [VTD_WORKS] = {FINDING_NOTE, "VT-d can protect our memory from devices, but a boot leaves it off", NULL,
                       "add vtd=on; remove it again if the guest then has no disk or no screen"},
        [VTD_PROTECTS] = {FINDING_NOTE, "VT-d protects our memory from devices", NULL,
                          "none needed; add vtd=off if the guest has no disk or no screen"},
    };
    list_add(list, FINDING_NOTE, found[facts->vtd].what, facts->vtd_why_off, found[facts->vtd].remedy);
}

static void find_x2apic(struct list *list, const struct machine_facts *facts)
{
    if (facts->x2apic_refused)
        list_add(list, FINDING_STOPS_VMX, X2APIC_REFUSED, x2apic_hold_text(facts->x2apic_hold),
                 x2apic_hold_remedy(facts->x2apic_hold));
    else if (facts->x2apic_hold != X2APIC_FREE)
        list_add(list, FINDING_NOTE,
                 "the guest has to stay in x2APIC mode, in which it needs VT-d; if the channel is a network card, it "
                 "can remap interrupts but not DMA",
                 x2apic_hold_text(facts->x2apic_hold), "none needed; but VT-d cannot protect our memory from devices");
}

static void find_machine(struct list *list, const struct machine_facts *facts)
{
    const bool wire = facts->channel == CHANNEL_OPEN && !facts->wire_failed;
    if (facts->nr_cpus > facts->max_cpus)
        list_add(list, FINDING_STOPS_VMX, "the machine has more CPUs than are supported",
                 "the others could access our memory", "in the firmware setup disable cores, or Hyper-Threading");
    if (facts->outer_hypervisor[0])
        list_add(list, FINDING_NOTE, "this is a virtual machine, run by another hypervisor", facts->outer_hypervisor,
                 ON_BARE_METAL);
    if (facts->nr_remapping_stuck > 0)
        list_add(list, wire ? FINDING_NOTE : FINDING_STOPS_WIRE, "a DMA remapping unit (VT-d) cannot be switched off",
                 "GSTS or PMEN still reads as on: the card's DMA may be blocked",
                 "in the firmware setup disable \"VT-d\" and \"DMA protection\", or only the setting called pre-boot");
    else if (facts->nr_remapping > 0 && facts->x2apic_hold == X2APIC_FREE)
        find_vtd(list, facts);
    if (facts->efi)
        list_add(
            list, FINDING_NOTE, "UEFI firmware has started this image: Secure Boot is off, or trusts it", NULL,
            "none needed; if GRUB refuses the image on another machine, disable Secure Boot in its firmware setup");
}

static void find_channel(struct list *list, const struct machine_facts *facts)
{
    static const struct finding by_stage[] = {
        [CHANNEL_DISABLED] = {FINDING_STOPS_WIRE, "the channel is switched off", "channel=none",
                              "remove channel=none from the options"},
        [CHANNEL_NO_CARD] = {FINDING_STOPS_WIRE, "no supported network card", NULL,
                             "install a card that docs/hardware.md lists, or use a serial line: channel=uart"},
        [CHANNEL_NO_START] = {FINDING_STOPS_WIRE, "the channel's device does not start",
                              "for the reason in a line above",
                              "correct the option named in that line, or try another card (net.card=)"},
        [CHANNEL_NO_LINK] = {FINDING_STOPS_WIRE, "the card has no link", NULL,
                             "connect this card by a cable to a switch or to the receiver, which must be on; net.card= "
                             "selects another card"},
        [CHANNEL_NO_PEER] =
            {FINDING_STOPS_WIRE, "the receiver's address does not answer", "ARP",
             "give the receiver the address of net.peer=, in the network of net.ip=, on the same cable"},
        [CHANNEL_NO_ACK] =
            {FINDING_STOPS_WIRE, "no receiver answers", NULL,
             "start \"undertrace receive\" first, with the same port, and allow that UDP port in its firewall"},
    };
    if (facts->channel < CHANNEL_OPEN) {
        const struct finding *f = &by_stage[facts->channel];
        list_add(list, f->weight, f->what, f->detail, f->remedy);
    } else if (facts->wire_failed) {
        list_add(list, FINDING_STOPS_WIRE, "the receiver does not acknowledge everything that is sent", NULL,
                 "check the receiver's messages, its disk and its cable; use net.mtu=1500 if a switch carries no more");
    }
}

unsigned findings_of(struct finding findings[FINDINGS_MAX], const struct machine_facts *facts)
{
    struct list list = {findings, 0};
    find_vmx(&list, facts);
    find_pt(&list, facts);
    find_x2apic(&list, facts);
    find_machine(&list, facts);
    find_channel(&list, facts);
    return list.nr;
}

enum finding_weight findings_weight(const struct finding *findings, unsigned nr)
{
    enum finding_weight heaviest = FINDING_NOTE;
    for (unsigned i = 0; i < nr; i++)
        if (findings[i].weight > heaviest)
            heaviest = findings[i].weight;
    return heaviest;
}
