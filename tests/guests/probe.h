/*
 * What the parts of the probe guest share: how they print what they see, and how they try what may fault.
 */
#ifndef PROBE_H
#define PROBE_H

#include "machine.h"

#define NO_FAULT 0u

#define ICR_SELF 0x40000u
#define ICR_NMI 0x400u /* to a physical destination; the shorthand "self" is for fixed interrupts only */

/* The last attempt: the vector of its fault, with an error code above the lowest byte; where the handler continues;
 * RAX and RDX after it. operand is for attempts that need one. */
extern volatile uint64_t fault, fault_rf, resume;
extern uint64_t result_a, result_d, operand[2];

/* Tries code with A in EAX, C in ECX, D in EDX; OPERAND is %[operand]. The handler resumes after the instruction. */
#define ATTEMPT(code, A, C, D, OPERAND)                                                                                \
    do {                                                                                                               \
        uint64_t a_ = (A), c_ = (C), d_ = (D);                                                                         \
        fault = NO_FAULT;                                                                                              \
        __asm__ volatile("leaq 9f(%%rip), %%r11\n\tmovq %%r11, %[resume]\n\t" code "\n9:"                              \
                         : "+a"(a_), "+c"(c_), "+d"(d_), [resume] "=m"(resume), [operand] "+m"(OPERAND)                \
                         :                                                                                             \
                         : "rbx", "r11", "memory", "cc");                                                              \
        result_a = a_;                                                                                                 \
        result_d = d_;                                                                                                 \
    } while (0)

/* Print "probe: name value" and "probe: name_which value", the figures in hexadecimal. */
void say(const char *name, uint64_t value);
void say2(const char *name, uint64_t which, uint64_t value);

struct regs {
    uint64_t rax, rbx, rcx, rdx;
};

/* CPUID with all ones above leaf and subleaf: it must clear them. */
struct regs cpuid(uint32_t leaf, uint32_t subleaf);

/* WRMSR that may fault: says so under name. */
void wrmsr(const char *name, uint32_t msr, uint64_t value);

/* The parts, in this order. */
void probe_cpu(void);                           /* CPUID, MSRs, control registers, XCR0, instructions that exit */
void probe_events(void);                        /* traps, debug registers, interrupt shadows, NMIs */
void probe_devices(const uint8_t *boot_params); /* local APIC, ports, memory; ends in x2APIC mode */

extern volatile uint64_t nmis; /* that have come, from probe_events on */

#endif
