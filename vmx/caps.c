/* Kind: core, init */
#include "vmx/caps.h"

#include <stddef.h>

#define CPUID_1_ECX_VMX (1u << 5)
#define CPUID_7_EBX_SGX (1u << 2)
#define CPUID_7_ECX_SGX_LC (1u << 30)

const char *vmx_caps_check(const struct vmx_caps *caps)
{
    if (!(caps->cpuid_1_ecx & CPUID_1_ECX_VMX))
        return "this CPU has no VMX (CPUID.1:ECX[5] is 0)";
    if ((caps->feature_control & FEATURE_CONTROL_LOCK) && !(caps->feature_control & FEATURE_CONTROL_VMX))
        return "the firmware has locked VMX off (IA32_FEATURE_CONTROL: lock bit 1, bit 2 is 0); enable it in the "
               "firmware's setup";
    return NULL;
}

uint64_t vmx_feature_control(uint64_t value, uint32_t cpuid_7_ebx, uint32_t cpuid_7_ecx)
{
    if (value & FEATURE_CONTROL_LOCK)
        return value;
    if (cpuid_7_ebx & CPUID_7_EBX_SGX)
        value |= FEATURE_CONTROL_SGX | (cpuid_7_ecx & CPUID_7_ECX_SGX_LC ? FEATURE_CONTROL_SGX_LAUNCH : 0);
    return value | FEATURE_CONTROL_LOCK | FEATURE_CONTROL_VMX;
}

/* A control to be set: its word and bit, and what to say if the CPU lacks it. */
struct control {
    uint8_t word;
    uint32_t bits;
    const char *missing; /* NULL: it is optional */
    const char *differs; /* ... and what to say if only one of two CPUs has it */
};

enum { WORD_PIN, WORD_PROC, WORD_PROC2, WORD_EXIT, WORD_ENTRY, NR_WORDS };

#define MISSING(kind, name) "this CPU's VMX lacks the " kind " control \"" name "\""
#define OPTIONAL(kind, name) NULL, "only one of it and the first CPU has the " kind " control \"" name "\""

static const struct control used_controls[] = {
    {WORD_PIN, PIN_NMI_EXITING, MISSING("pin-based", "NMI exiting"), NULL},
    {WORD_PIN, PIN_VIRTUAL_NMIS, MISSING("pin-based", "virtual NMIs"), NULL},
    {WORD_PIN, PIN_PREEMPTION_TIMER, OPTIONAL("pin-based", "activate VMX-preemption timer")},
    {WORD_PROC, PROC_USE_IO_BITMAPS, MISSING("processor-based", "use I/O bitmaps"), NULL},
    {WORD_PROC, PROC_USE_MSR_BITMAPS, MISSING("processor-based", "use MSR bitmaps"), NULL},
    {WORD_PROC, PROC_SECONDARY_CONTROLS, MISSING("processor-based", "activate secondary controls"), NULL},
    {WORD_PROC2, PROC2_ENABLE_EPT, MISSING("secondary processor-based", "enable EPT"), NULL},
    {WORD_PROC2, PROC2_UNRESTRICTED_GUEST, MISSING("secondary processor-based", "unrestricted guest"), NULL},
    {WORD_PROC2, PROC2_ENABLE_VPID, OPTIONAL("secondary processor-based", "enable VPID")},
    {WORD_PROC2, PROC2_ENABLE_RDTSCP, OPTIONAL("secondary processor-based", "enable RDTSCP")},
    {WORD_PROC2, PROC2_ENABLE_INVPCID, OPTIONAL("secondary processor-based", "enable INVPCID")},
    {WORD_PROC2, PROC2_ENABLE_XSAVES, OPTIONAL("secondary processor-based", "enable XSAVES/XRSTORS")},
    {WORD_PROC2, PROC2_ENABLE_USER_WAIT_AND_PAUSE, OPTIONAL("secondary processor-based", "enable user wait and pause")},
    {WORD_PROC2, PROC2_ENABLE_PCONFIG, OPTIONAL("secondary processor-based", "enable PCONFIG")},
    {WORD_EXIT, EXIT_HOST_ADDRESS_SPACE_SIZE, MISSING("VM-exit", "host address-space size"), NULL},
    {WORD_EXIT, EXIT_SAVE_DEBUG_CONTROLS, MISSING("VM-exit", "save debug controls"), NULL},
    {WORD_EXIT, EXIT_SAVE_IA32_PAT, MISSING("VM-exit", "save IA32_PAT"), NULL},
    {WORD_EXIT, EXIT_LOAD_IA32_PAT, MISSING("VM-exit", "load IA32_PAT"), NULL},
    {WORD_EXIT, EXIT_SAVE_IA32_EFER, MISSING("VM-exit", "save IA32_EFER"), NULL},
    {WORD_EXIT, EXIT_LOAD_IA32_EFER, MISSING("VM-exit", "load IA32_EFER"), NULL},
    {WORD_ENTRY, ENTRY_LOAD_DEBUG_CONTROLS, MISSING("VM-entry", "load debug controls"), NULL},
    {WORD_ENTRY, ENTRY_LOAD_IA32_PAT, MISSING("VM-entry", "load IA32_PAT"), NULL},
    {WORD_ENTRY, ENTRY_LOAD_IA32_EFER, MISSING("VM-entry", "load IA32_EFER"), NULL},
};

/* The default1 class, controls that are or may be 1 on every processor: Appendix A.2, "Reserved Controls and Default
 * Settings". The two of MOV CR3 are checked separately. */
static const uint32_t default_ones[NR_WORDS] = {
    [WORD_PIN] = 0x00000016, [WORD_PROC] = 0x0401e172, [WORD_EXIT] = 0x00036dff, [WORD_ENTRY] = 0x000011ff};

static const char *const forced[NR_WORDS] = {
    [WORD_PIN] = "this CPU's VMX forces a pin-based control that is not handled here",
    [WORD_PROC] = "this CPU's VMX forces a processor-based control that is not handled here",
    [WORD_PROC2] = "this CPU's VMX forces a secondary processor-based control that is not handled here",
    [WORD_EXIT] = "this CPU's VMX forces a VM-exit control that is not handled here",
    [WORD_ENTRY] = "this CPU's VMX forces a VM-entry control that is not handled here"};

static uint32_t must_be_one(uint64_t capability)
{
    return (uint32_t)capability;
}

static bool may_be_one(uint64_t capability, uint32_t bits)
{
    return ((uint32_t)(capability >> 32) & bits) == bits;
}

static const char *ept_missing(uint64_t ept_vpid)
{
    if (!(ept_vpid & EPT_CAP_PAGE_WALK_4))
        return "this CPU's EPT has no page walks of length 4";
    if (!(ept_vpid & EPT_CAP_WRITE_BACK))
        return "this CPU's EPT structures cannot be write-back";
    if (!(ept_vpid & EPT_CAP_2M))
        return "this CPU's EPT has no 2-MByte pages";
    if (!(ept_vpid & EPT_CAP_INVEPT) || !(ept_vpid & EPT_CAP_INVEPT_SINGLE))
        return "this CPU has no single-context INVEPT";
    return NULL;
}

/* Stop the performance counters in root mode, if both controls exist, so that the guest's do not count root's
 * instructions. */
static void resolve_perf(struct vmx_controls *controls, const struct vmx_caps *caps)
{
    if (caps->perfmon_version < 2 || !may_be_one(caps->exit, EXIT_LOAD_IA32_PERF_GLOBAL_CTRL) ||
        !may_be_one(caps->entry, ENTRY_LOAD_IA32_PERF_GLOBAL_CTRL))
        return;
    controls->perf_global_ctrl = true;
    controls->exit |= EXIT_LOAD_IA32_PERF_GLOBAL_CTRL;
    controls->entry |= ENTRY_LOAD_IA32_PERF_GLOBAL_CTRL;
    if (may_be_one(caps->exit, EXIT_SAVE_IA32_PERF_GLOBAL_CTRL)) {
        controls->perf_global_ctrl_saved = true;
        controls->exit |= EXIT_SAVE_IA32_PERF_GLOBAL_CTRL;
    }
}

/* Architectural LBRs are not stopped by the VM exit's clearing of IA32_DEBUGCTL. Stop them in root mode, if both
 * controls exist, so that the guest's LBRs have none of root's branches. A VM exit saves IA32_LBR_CTL if VM entry can
 * load it (SDM "Saving MSRs" of VM exits). */
static void resolve_lbr(struct vmx_controls *controls, const struct vmx_caps *caps)
{
    if (!may_be_one(caps->exit, EXIT_CLEAR_IA32_LBR_CTL) || !may_be_one(caps->entry, ENTRY_LOAD_IA32_LBR_CTL))
        return;
    controls->exit |= EXIT_CLEAR_IA32_LBR_CTL;
    controls->entry |= ENTRY_LOAD_IA32_LBR_CTL;
}

/* A control that must be 1 although we do not set it has effects that are not handled here, unexpected VM exits for
 * instance. used: the bits that we set. */
static const char *forced_control(const uint64_t capabilities[NR_WORDS], const uint32_t used[NR_WORDS])
{
    for (unsigned i = 0; i < NR_WORDS; i++)
        if (must_be_one(capabilities[i]) & ~(default_ones[i] | used[i]))
            return forced[i];
    return NULL;
}

const char *vmx_controls_resolve(struct vmx_controls *controls, const struct vmx_caps *caps)
{
    const uint64_t capabilities[NR_WORDS] = {caps->pin, caps->proc, caps->proc2, caps->exit, caps->entry};
    uint32_t words[NR_WORDS], used[NR_WORDS] = {0};

    for (unsigned i = 0; i < NR_WORDS; i++)
        words[i] = must_be_one(capabilities[i]);
    for (size_t i = 0; i < sizeof(used_controls) / sizeof(used_controls[0]); i++) {
        used[used_controls[i].word] |= used_controls[i].bits;
        if (may_be_one(capabilities[used_controls[i].word], used_controls[i].bits))
            words[used_controls[i].word] |= used_controls[i].bits;
        else if (used_controls[i].missing)
            return used_controls[i].missing;
    }
    /* Without the TRUE MSRs these two are always 1: each load of CR3 exits, and the guest's PIPs are missing (SDM
     * "Emulation of Intel PT Traced State"). */
    if (words[WORD_PROC] & (PROC_CR3_LOAD_EXITING | PROC_CR3_STORE_EXITING))
        return "this CPU's VMX cannot leave MOV CR3 to the guest (no IA32_VMX_TRUE_PROCBASED_CTLS)";
    if (!may_be_one(caps->proc, PROC_MONITOR_TRAP_FLAG))
        return MISSING("processor-based", "monitor trap flag");
    const char *missing = forced_control(capabilities, used);
    if (!missing)
        missing = ept_missing(caps->ept_vpid);
    if (missing)
        return missing;

    /* Use a VPID only if translations that an earlier user of it left can be invalidated. */
    if ((~caps->ept_vpid & (VPID_CAP_INVVPID | VPID_CAP_INVVPID_SINGLE)) != 0)
        words[WORD_PROC2] &= ~PROC2_ENABLE_VPID;
    *controls = (struct vmx_controls){.pin = words[WORD_PIN],
                                      .proc = words[WORD_PROC],
                                      .proc2 = words[WORD_PROC2],
                                      .exit = words[WORD_EXIT],
                                      .entry = words[WORD_ENTRY]};
    resolve_perf(controls, caps);
    resolve_lbr(controls, caps);
    return NULL;
}

static uint32_t word_of(const struct vmx_controls *controls, unsigned word)
{
    const uint32_t words[NR_WORDS] = {[WORD_PIN] = controls->pin,
                                      [WORD_PROC] = controls->proc,
                                      [WORD_PROC2] = controls->proc2,
                                      [WORD_EXIT] = controls->exit,
                                      [WORD_ENTRY] = controls->entry};

    return words[word];
}

/* NULL: none of the controls that have a name here. */
static const char *control_that_differs(const struct vmx_controls *ours, const struct vmx_controls *theirs)
{
    for (size_t i = 0; i < sizeof(used_controls) / sizeof(used_controls[0]); i++) {
        const struct control *control = &used_controls[i];

        if ((word_of(ours, control->word) ^ word_of(theirs, control->word)) & control->bits)
            return control->differs;
    }
    return NULL;
}

const char *vmx_caps_differ(const struct vmx_caps *first, const struct vmx_controls *used, const struct vmx_caps *caps)
{
    struct vmx_controls ours = {0}, theirs = {0};
    const char *missing = vmx_controls_resolve(&ours, caps);

    if (missing)
        return missing;
    missing = vmx_controls_resolve(&theirs, first);
    if (!missing)
        missing = control_that_differs(&ours, &theirs);
    if (missing)
        return missing;
    if (ours.pin != theirs.pin || ours.proc != theirs.proc || ours.proc2 != theirs.proc2)
        return "it would use other VM-execution controls than the first CPU";
    if (ours.exit != theirs.exit || ours.entry != theirs.entry)
        return "it would use other VM-exit or VM-entry controls than the first CPU";
    if (!may_be_one(caps->exit, used->exit) || !may_be_one(caps->entry, used->entry))
        return "it lacks the controls of pt.switch=vmcs, which the first CPU has";
    if (first->ept_vpid & ~caps->ept_vpid & EPT_CAP_1G)
        return "its EPT has no 1-GByte pages, but the first CPU's has";
    return NULL;
}

const char *vmx_controls_switch_rtit(struct vmx_controls *controls, const struct vmx_caps *caps)
{
    if (!may_be_one(caps->entry, ENTRY_LOAD_IA32_RTIT_CTL))
        return MISSING("VM-entry", "load IA32_RTIT_CTL");
    if (!may_be_one(caps->exit, EXIT_CLEAR_IA32_RTIT_CTL))
        return MISSING("VM-exit", "clear IA32_RTIT_CTL");
    controls->entry |= ENTRY_LOAD_IA32_RTIT_CTL;
    controls->exit |= EXIT_CLEAR_IA32_RTIT_CTL;
    return NULL;
}
