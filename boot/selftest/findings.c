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
    "start Undertrace on the machine itself, without the hypervisor beneath; docs/ci.md says how far nesting goes"
#define OTHER_CPU "another CPU: docs/hardware.md lists those that have all that is needed"
#define SINGLE_STEPS "another CPU; or pt=soft: single steps trace some million branches on this one, slowly"

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
            list, FINDING_STOPS_VMX, "the firmware has locked VMX off", "IA32_FEATURE_CONTROL: lock bit 1, bit 2 is 0",
            "in the firmware's setup enable \"Intel Virtualization Technology\" (also: VMX, VT-x), save, and turn the "
            "power off and on: a restart may keep the lock");
    else if (facts->beneath[0])
        list_add(list, FINDING_STOPS_VMX, "the hypervisor beneath gives no VMX that we can use", missing,
                 ON_BARE_METAL);
    else
        list_add(list, FINDING_STOPS_VMX, is_intel(facts) ? "this CPU's VMX is not enough" : "this CPU is not Intel's",
                 missing, OTHER_CPU);
}

/* What the CPU's PT cannot write to is seen only where it may be used at all. */
static void find_pt_output(struct list *list, const struct pt_cpuid *pt)
{
    const uint32_t ecx = pt->leaf14_0[2];
    if (!(ecx & (CPUID_14_ECX_TOPAOUT | CPUID_14_ECX_SNGLRNGOUT)))
        list_add(list, FINDING_STOPS_PT, "this CPU's Intel PT writes to no memory", "CPUID.14H:ECX[2] and ECX[0] are 0",
                 SINGLE_STEPS);
    else if (!(ecx & CPUID_14_ECX_TOPAOUT))
        list_add(list, FINDING_NOTE, "this CPU's Intel PT has no tables of regions (ToPA)", "CPUID.14H:ECX[0] is 0",
                 "nothing: pt.scheme=auto takes the single range, which has to be watched; fast guests may lose parts "
                 "of the "
                 "trace, more memory (pt.regions=) helps");
    else if (!(ecx & CPUID_14_ECX_MENTRY))
        list_add(list, FINDING_NOTE, "this CPU's Intel PT has tables of one region only", "CPUID.14H:ECX[1] is 0",
                 "nothing: pt.scheme=auto does with one region after the other; larger ones (pt.region=) cost less");
}

static void find_pt(struct list *list, const struct machine_facts *facts)
{
    const struct pt_cpuid *pt = &facts->pt;
    if (pt->leaf0_eax < 0x14 || !(pt->leaf7_ebx & CPUID_7_EBX_PT)) {
        list_add(list, FINDING_STOPS_PT,
                 facts->beneath[0] ? "the hypervisor beneath shows no Intel PT" : "this CPU has no Intel PT",
                 "CPUID.07H:EBX[25] is 0", facts->beneath[0] ? ON_BARE_METAL : SINGLE_STEPS);
        return;
    }
    if (pt->rtit_ctl & RTIT_CTL_TRACE_EN)
        list_add(
            list, FINDING_STOPS_PT, "somebody else uses Intel PT: firmware or a debug probe",
            "IA32_RTIT_CTL.TraceEn is 1",
            "in the firmware's setup disable \"Processor Trace\" (among the debug or CPU settings); take a probe off");
    if (!(pt->vmx_misc & VMX_MISC_PT_IN_VMX))
        list_add(list, FINDING_STOPS_PT,
                 facts->beneath[0] ? "the hypervisor beneath allows no Intel PT in VMX operation"
                                   : "this CPU allows no Intel PT in VMX operation",
                 "IA32_VMX_MISC[14] is 0", facts->beneath[0] ? ON_BARE_METAL : SINGLE_STEPS);
    find_pt_output(list, pt);
}

static void find_vtd(struct list *list, const struct machine_facts *facts)
{
    static const struct finding found[] = {
        [VTD_NOT_TRIED] = {FINDING_NOTE,
                           "the machine can remap DMA (VT-d), which is hidden from the guest where a card is ours",
                           NULL,
                           "nothing; a guest that needs VT-d keeps it where the trace leaves by a serial line: "
                           "channel=uart"},
        [VTD_FAILS] = {FINDING_NOTE, "VT-d cannot keep devices from our memory here", NULL,
                       "nothing, the trace needs no VT-d; but a driver of the guest's that goes astray can damage us"},
        [VTD_WORKS] = {FINDING_NOTE, "VT-d can keep devices from our memory here, and a boot leaves it off", NULL,
                       "add vtd=on; if the guest then misses its disk or its screen, leave it away again"},
        [VTD_PROTECTS] = {FINDING_NOTE, "VT-d keeps devices from our memory here", NULL,
                          "nothing; add vtd=off if the guest misses its disk or its screen"},
    };
    list_add(list, FINDING_NOTE, found[facts->vtd].what, facts->no_vtd, found[facts->vtd].remedy);
}

static void find_machine(struct list *list, const struct machine_facts *facts)
{
    const bool wire = facts->channel == CHANNEL_OPEN && !facts->wire_failed;
    if (facts->nr_cpus > facts->most_cpus)
        list_add(list, FINDING_STOPS_VMX, "the machine has more CPUs than can be ours",
                 "the others would see our memory", "in the firmware's setup disable cores, or Hyper-Threading");
    if (facts->beneath[0])
        list_add(list, FINDING_NOTE, "a hypervisor runs beneath us", facts->beneath, ON_BARE_METAL);
    if (facts->nr_remapping_stuck > 0)
        list_add(list, wire ? FINDING_NOTE : FINDING_STOPS_WIRE, "a unit of DMA remapping (VT-d) does not go off",
                 "GSTS or PMEN still says that it is on: the card's DMA may be turned away",
                 "in the firmware's setup disable \"VT-d\" and \"DMA protection\", or only what is called pre-boot");
    else if (facts->nr_remapping > 0)
        find_vtd(list, facts);
    if (facts->efi)
        list_add(list, FINDING_NOTE, "UEFI firmware has started us: Secure Boot is off, or trusts this image", NULL,
                 "nothing; where GRUB refuses the image elsewhere, disable Secure Boot in the firmware's setup");
}

static void find_channel(struct list *list, const struct machine_facts *facts)
{
    static const struct finding by_stage[] = {
        [CHANNEL_NOT_WANTED] = {FINDING_STOPS_WIRE, "no channel is wanted", "channel=none",
                                "leave channel=none away from the options"},
        [CHANNEL_NO_CARD] = {FINDING_STOPS_WIRE, "no network card that we drive", NULL,
                             "put in a card that docs/hardware.md lists, or use a serial line: channel=uart"},
        [CHANNEL_NO_START] = {FINDING_STOPS_WIRE, "the channel's device does not start", "a line above says why",
                              "mend the option that the line names; else try another card (net.card=)"},
        [CHANNEL_NO_LINK] =
            {FINDING_STOPS_WIRE, "the card has no link", NULL,
             "plug a cable into this very card and into a switch or the receiver, which must be on; net.card= "
             "takes another card"},
        [CHANNEL_NO_PEER] = {FINDING_STOPS_WIRE, "nobody answers at the receiver's address", "ARP",
                             "give the receiver the address of net.peer=, in the network of net.ip=, on that cable"},
        [CHANNEL_UNHEARD] =
            {FINDING_STOPS_WIRE, "no receiver acknowledges", NULL,
             "start \"undertrace receive\" first, with the same port, and let UDP of that port through its "
             "firewall"},
    };
    if (facts->channel < CHANNEL_OPEN) {
        const struct finding *f = &by_stage[facts->channel];
        list_add(list, f->weight, f->what, f->detail, f->remedy);
    } else if (facts->wire_failed) {
        list_add(
            list, FINDING_STOPS_WIRE, "the receiver does not take all that is sent", NULL,
            "look at the receiver's messages, its disk and its cable; net.mtu=1500 where a switch carries no more");
    }
}

unsigned findings_of(struct finding findings[FINDINGS_MAX], const struct machine_facts *facts)
{
    struct list list = {findings, 0};
    find_vmx(&list, facts);
    find_pt(&list, facts);
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
