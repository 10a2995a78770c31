/*
 * The local APIC's registers that vmx/ uses, and how to reach them in xAPIC mode. Private to vmx/lapic*.c and
 * vmx/exit/msr.c.
 *
 * Source: SDM Table "Local APIC Register Address Map".
 */
#ifndef VMX_APIC_REGISTERS_H
#define VMX_APIC_REGISTERS_H

#include <stdint.h>

#include "base/phys.h"
#include "pt/lvtpc.h"

#define APIC_TPR 0x080u
#define APIC_EOI 0x0b0u
#define APIC_LDR 0x0d0u
#define APIC_DFR 0x0e0u
#define APIC_SVR 0x0f0u
#define APIC_ESR 0x280u
#define APIC_ICR_LOW 0x300u
#define APIC_ICR_HIGH 0x310u
#define APIC_LVT_TIMER 0x320u
#define APIC_LVT_THERMAL 0x330u
#define APIC_LVT_PMI 0x340u
#define APIC_LVT_LINT0 0x350u
#define APIC_LVT_LINT1 0x360u
#define APIC_LVT_ERROR 0x370u
#define APIC_TIMER_INITIAL_COUNT 0x380u
#define APIC_TIMER_DIVIDE 0x3e0u

#define ICR_TO_SELF (1u << 18)
#define X2APIC_ICR_RESERVED 0xfff32000u

/* base: IA32_APIC_BASE, which vmx/exit/msr.c has checked by lapic_base_is_usable. */
static inline volatile uint32_t *xapic_register(uint64_t base, uint32_t offset)
{
    return (volatile uint32_t *)phys_to_virt((base & APIC_BASE_ADDRESS) + offset);
}

#endif
