/*
 * Moving RIP past an emulated instruction, and events to be injected at VM entry. Core.
 *
 * Source: SDM "VM-Entry Control Fields for Event Injection", "Information for VM Exits That Occur During Event
 * Delivery", "Checks on VM-Entry Control Fields", Table "Format of Interruptibility State", "... Pending-Debug-
 * Exceptions".
 */
#ifndef VMX_GUEST_INJECT_H
#define VMX_GUEST_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/control.h"

#define DEBUGCTL_BTF (1ull << 1)

#define INTERRUPTIBILITY_STI (1u << 0)
#define INTERRUPTIBILITY_MOV_SS (1u << 1)
#define INTERRUPTIBILITY_NMI (1u << 3)

#define PENDING_DEBUG_BS (1ull << 14)

/* The part of the guest's state that changes when an instruction ends. */
struct guest_step {
    uint64_t rip;
    uint32_t interruptibility;
    bool set_bs; /* out: a single-step trap is pending: set PENDING_DEBUG_BS */
};

/* The instruction of length bytes at step.rip has been emulated. Blocking by STI and MOV SS ends with it; with TF set
 * and BTF clear a single-step trap follows; outside 64-bit mode RIP wraps at 32 bits. */
struct guest_step guest_advance(struct guest_step step, uint32_t length, bool code64, uint64_t rflags,
                                uint64_t debugctl);

/* VM-entry and IDT-vectoring information fields share their layout. */
#define EVENT_VECTOR_MASK 0xffu
#define EVENT_TYPE_SHIFT 8
#define EVENT_TYPE_MASK (7u << EVENT_TYPE_SHIFT)
#define EVENT_HAS_ERROR_CODE (1u << 11)
#define EVENT_VALID (1u << 31)
#define EVENT_INJECTED (EVENT_VECTOR_MASK | EVENT_TYPE_MASK | EVENT_HAS_ERROR_CODE | EVENT_VALID)

enum event_type {
    EVENT_EXTERNAL_INTERRUPT = 0,
    EVENT_NMI = 2,
    EVENT_HARDWARE_EXCEPTION = 3,
    EVENT_SOFTWARE_INTERRUPT = 4,
    EVENT_PRIVILEGED_SOFTWARE_EXCEPTION = 5,
    EVENT_SOFTWARE_EXCEPTION = 6
};

#define VECTOR_NMI 2u
#define VECTOR_DB 1u
#define VECTOR_UD 6u
#define VECTOR_DF 8u
#define VECTOR_TS 10u
#define VECTOR_NP 11u
#define VECTOR_SS 12u
#define VECTOR_GP 13u
#define VECTOR_PF 14u

/* The VM-entry fields for event injection; information 0: inject nothing. */
struct event {
    uint32_t information;
    uint32_t error_code;
    uint32_t instruction_length;
};

/* A fault for the instruction at RIP. protected_mode: CR0.PE; without it no error code is pushed (nor allowed). */
struct event event_exception(uint32_t vector, bool protected_mode);

struct event event_nmi(void);

static inline enum event_type event_type_of(uint32_t information)
{
    return (enum event_type)((information & EVENT_TYPE_MASK) >> EVENT_TYPE_SHIFT);
}

/* The event whose delivery a VM exit has interrupted, from the IDT-vectoring information, for delivery again.
 * exit_length: VM-exit instruction length, which software events need. information 0: none was being delivered. */
struct event event_again(uint32_t idt_vectoring, uint32_t error_code, uint32_t exit_length);

/* An exception has occurred during delivery of an event: which exception is delivered, by Table "Conditions for
 * Generating a Double Fault"? VECTOR_DF, the vector itself, or 0: a triple fault. idt_vectoring: the event, as above;
 * vector: #TS, #NP, #SS, #GP or #PF. */
uint32_t event_nested(uint32_t idt_vectoring, uint32_t vector);

/* How many NMIs can be pending for the guest: one that is delivered now, if NMIs are not blocked, and one that is
 * latched until IRET. More are lost, as on bare hardware. entry_information: the event to be injected already. */
uint32_t nmis_pending_max(uint32_t entry_information, uint32_t interruptibility);

/* Can an NMI be injected at this VM entry? If not, wait for an NMI-window exit. entry_information: as above. */
bool nmi_can_inject(uint32_t entry_information, uint32_t interruptibility);

#endif
