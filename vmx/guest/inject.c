/* Kind: core, hot */
#include "vmx/guest/inject.h"

struct guest_step guest_advance(struct guest_step step, uint32_t length, bool code64, uint64_t rflags,
                                uint64_t debugctl)
{
    step.rip += length;
    if (!code64)
        step.rip = (uint32_t)step.rip;
    step.interruptibility &= ~(INTERRUPTIBILITY_STI | INTERRUPTIBILITY_MOV_SS);
    step.set_bs = (rflags & RFLAGS_TF) && !(debugctl & DEBUGCTL_BTF);
    return step;
}

static bool exception_has_error_code(uint32_t vector)
{
    /* #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP */
    return vector < 32 && (0x00227d00u >> vector & 1);
}

struct event event_exception(uint32_t vector, bool protected_mode)
{
    struct event event = {.information = EVENT_VALID | (uint32_t)EVENT_HARDWARE_EXCEPTION << EVENT_TYPE_SHIFT | vector};

    if (protected_mode && exception_has_error_code(vector))
        event.information |= EVENT_HAS_ERROR_CODE;
    return event;
}

struct event event_nmi(void)
{
    return (struct event){.information = EVENT_VALID | (uint32_t)EVENT_NMI << EVENT_TYPE_SHIFT | VECTOR_NMI};
}

struct event event_again(uint32_t idt_vectoring, uint32_t error_code, uint32_t exit_length)
{
    struct event event = {0};

    if (!(idt_vectoring & EVENT_VALID))
        return event;
    event.information = idt_vectoring & (EVENT_VALID | EVENT_HAS_ERROR_CODE | EVENT_TYPE_MASK | EVENT_VECTOR_MASK);
    if (idt_vectoring & EVENT_HAS_ERROR_CODE)
        event.error_code = error_code;
    if (event_type_of(idt_vectoring) >= EVENT_SOFTWARE_INTERRUPT)
        event.instruction_length = exit_length;
    return event;
}

uint32_t event_nested(uint32_t idt_vectoring, uint32_t vector)
{
    const uint32_t first = idt_vectoring & EVENT_VECTOR_MASK;

    if (!(idt_vectoring & EVENT_VALID) || event_type_of(idt_vectoring) != EVENT_HARDWARE_EXCEPTION)
        return vector;
    if (first == VECTOR_DF)
        return 0;
    /* contributory: #DE, #TS, #NP, #SS, #GP, #CP */
    return first == VECTOR_PF || ((0x00203c01u >> first & 1) && vector != VECTOR_PF) ? VECTOR_DF : vector;
}

uint32_t nmis_pending_max(uint32_t entry_information, uint32_t interruptibility)
{
    const bool delivering = (entry_information & EVENT_VALID) && event_type_of(entry_information) == EVENT_NMI;

    return delivering || (interruptibility & INTERRUPTIBILITY_NMI) ? 1 : 2;
}

bool nmi_can_inject(uint32_t entry_information, uint32_t interruptibility)
{
    /* SDM "Checks on Guest Non-Register State": blocking by MOV SS forbids an NMI, blocking by STI forbids it on some
     * processors. Both last for one instruction, so the NMI window comes at once. */
    return !(entry_information & EVENT_VALID) &&
           !(interruptibility & (INTERRUPTIBILITY_NMI | INTERRUPTIBILITY_MOV_SS | INTERRUPTIBILITY_STI));
}
