/* The privileged instructions that read and write processor state by number. */
#ifndef BASE_MSR_H
#define BASE_MSR_H

#include <stdint.h>

#include "base/msr_numbers.h"

/* RDMSR and RDTSC clear the upper halves of RAX and RDX in 64-bit mode (SDM Vol. 2B). */
static inline uint64_t msr_read(uint32_t msr)
{
    uint64_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
    return high << 32 | low;
}

static inline void msr_write(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid_regs cpuid_read(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(subleaf) : "memory");
    return r;
}

static inline uint64_t tsc_read(void)
{
    uint64_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
}

#endif
