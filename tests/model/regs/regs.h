/*
 * What the register tests share: a ROM of its own for each (msrs.c, output.c, ...), which checks the model from inside
 * and says TAP lines on COM1. The ROM's start is selftest/rom.S, its fault handlers are rows/faults.S.
 */
#ifndef REGS_H
#define REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../pt_msrs.h"
#include "../selftest/rom.h"

enum {
    MSR_IA32_PERF_GLOBAL_STATUS = 0x38e,
    MSR_IA32_PERF_GLOBAL_STATUS_RESET = 0x390,
    MSR_RTIT_OUTPUT_BASE = 0x560,
    MSR_RTIT_OUTPUT_MASK_PTRS = 0x561,
    MSR_RTIT_CTL = 0x570,
    MSR_RTIT_STATUS = 0x571,
    MSR_RTIT_CR3_MATCH = 0x572,
    MSR_RTIT_ADDR0_A = 0x580
};

#define CTL_TRACE (RTIT_CTL_TRACE_EN | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_BRANCH_EN)
#define CTL_TOPA (CTL_TRACE | RTIT_CTL_TOPA)
#define NO_FAULT 0xffull

/* Memory that no test has a use for: tables, and regions up to 12 MiB. */
#define TABLE 0x200000ull
#define TABLE_2 0x201000ull
#define REGION 0x400000ull

/* row_fault: the vector, written by the fault handlers; row_fixup: where to continue, set before a fault is tried. */
extern volatile uint64_t row_fault, row_fixup;

/* What a test file defines. */
void tests(void);

/* regs.c */
void check(const char *name, bool good);
void check_equal(const char *name, uint64_t is, uint64_t should);
/* The same with a number in the name. */
void check_n(const char *name, uint64_t n, bool good);
void gate(unsigned vector, const void *handler);
void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);
/* All IA32_RTIT_* as after a reset, LVTPC masked, no PMI seen. */
void pt_reset(void);
/* Branches that make nr_bytes of trace, not counting PSB+. At least 4. */
void trace_bytes(uint32_t nr_bytes);

/* Whether the instruction is #GP. */
static inline bool wrmsr_faults(uint32_t msr, uint64_t value)
{
    row_fault = NO_FAULT;
    __asm__ volatile("movq $1f, row_fixup\n\t"
                     "wrmsr\n"
                     "1:\tmovq $0, row_fixup"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
    return row_fault == 13;
}

static inline bool rdmsr_faults(uint32_t msr)
{
    row_fault = NO_FAULT;
    __asm__ volatile("movq $1f, row_fixup\n\t"
                     "rdmsr\n"
                     "1:\tmovq $0, row_fixup"
                     :
                     : "c"(msr)
                     : "rax", "rdx", "memory");
    return row_fault == 13;
}

static inline volatile uint64_t *qwords(uint64_t pa)
{
    return (volatile uint64_t *)pa;
}

#endif
