/*
 * What tests/model/fixes/ mends of Bochs (apic-disabled.patch, apic-init.patch: smp.c): each check fails without its
 * patch. The patches' first lines cite the manual.
 */
#include "regs.h"

#define MSR_IA32_APIC_BASE 0x1bu
#define APIC_BASE_EN 0x800u
#define APIC_BASE_EXTD 0x400u
#define PORT_A20 0x92
#define A20_ENABLED 2
#define LOW 0x200000ull
#define HIGH 0x300000ull /* the same but for address bit 20 */
#define TIMER_VECTOR 0x41u
#define TIMER_COUNT 100000u

void row_vmx_start(uint64_t guest_rip, uint64_t host_rip, uint64_t host_rsp);

/* --- apic-enable.patch --- */

static void apic_enable(void)
{
    const uint64_t base = rdmsr(MSR_IA32_APIC_BASE);

    *apic(0xf0) = 0x1ff;
    *apic(0x350) = 0x45; /* LVT LINT0 */
    *apic(0x80) = 0x20;  /* TPR */
    wrmsr(MSR_IA32_APIC_BASE, base & ~(uint64_t)APIC_BASE_EN);
    check_equal("IA32_APIC_BASE.EN is clear", rdmsr(MSR_IA32_APIC_BASE) & APIC_BASE_EN, 0);
    check("disabled to x2APIC mode: #GP", wrmsr_faults(MSR_IA32_APIC_BASE, base | APIC_BASE_EXTD));
    wrmsr(MSR_IA32_APIC_BASE, base);
    check_equal("IA32_APIC_BASE.EN is set again", rdmsr(MSR_IA32_APIC_BASE), base);
    check_equal("SVR is as after reset", *apic(0xf0), 0xff);
    check_equal("LVT LINT0 is as after reset", *apic(0x350), 0x10000);
    check_equal("TPR is as after reset", *apic(0x80), 0);
    *apic(0xf0) = 0x1ff;
    *apic(0x350) = 0x45;
    check_equal("and can be written", *apic(0x350), 0x45);
    *apic(0x350) = 0x10000;
}

/* --- halt-debug.patch --- */

static volatile uint64_t traps, trap_rip, count_at_trap, interrupts;
extern char halt_next[], halt_trap[], halt_interrupt[];

/* A trap clears TF. */
__asm__("halt_trap: incq traps\n\t"
        "pushq %rax\n\t"
        "movq 8(%rsp), %rax\n\t"
        "movq %rax, trap_rip\n\t"
        "movl $0xfee00390, %eax\n\t"
        "movl (%rax), %eax\n\t"
        "movq %rax, count_at_trap\n\t"
        "andq $~0x100, 24(%rsp)\n\t"
        "popq %rax\n\t"
        "iretq\n"
        "halt_interrupt: incq interrupts\n\t"
        "pushq %rax\n\t"
        "movl $0xfee000b0, %eax\n\t"
        "movl $0, (%rax)\n\t"
        "popq %rax\n\t"
        "iretq");

/* The timer is for a CPU that sleeps in spite of the trap. */
static void halt_debug(void)
{
    gate(1, halt_trap);
    gate(TIMER_VECTOR, halt_interrupt);
    *apic(0xf0) = 0x1ff;
    *apic(0x3e0) = 0xb;
    *apic(0x320) = TIMER_VECTOR;
    *apic(0x380) = TIMER_COUNT;
    __asm__ volatile("sti\n\t"
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "hlt\n"
                     "halt_next: nop\n\t"
                     "cli"
                     :
                     :
                     : "memory", "cc");
    *apic(0x320) = 0x10000;
    *apic(0x380) = 0;
    check_equal("HLT with TF: traps", traps, 1);
    check_equal("the trap is after HLT", trap_rip, (uint64_t)halt_next);
    check_equal("nothing else has ended HLT: interrupts", interrupts, 0);
    check("nor was the time over", count_at_trap > TIMER_COUNT / 2);
}

/* --- vmx-a20.patch --- */

static void vmx_a20(void)
{
    qwords(LOW)[0] = 1;
    qwords(HIGH)[0] = 2;
    row_vmx_start(0, 0, 0);
    out8(PORT_A20, in8(PORT_A20) & (uint8_t)~A20_ENABLED);
    const uint64_t in_vmx = qwords(HIGH)[0];
    __asm__ volatile("vmxoff" : : : "cc", "memory");
    const uint64_t outside = qwords(HIGH)[0];
    out8(PORT_A20, in8(PORT_A20) | A20_ENABLED);
    check_equal("A20 is not masked in VMX operation", in_vmx, 2);
    check_equal("and is outside", outside, 1);
    check_equal("until it is enabled", qwords(HIGH)[0], 2);
}

void tests(void)
{
    halt_debug();
    vmx_a20();
    apic_enable(); /* last: without its patch there is no local APIC any more */
}
