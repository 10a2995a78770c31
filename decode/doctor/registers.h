/*
 * CPUID and MSRs of a CPU, through Linux's devices or, for CPUID of this machine, the instruction; or from text files
 * of another machine. If DIR/dev/cpu/N/cpuid is a regular file, it has the output of `cpuid -r` or a dump of
 * InstLatx64; if DIR/dev/cpu/N/msr is one, it has lines such as "0x3a 0x5".
 */
#ifndef DECODE_DOCTOR_REGISTERS_H
#define DECODE_DOCTOR_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { REGISTER_EAX, REGISTER_EBX, REGISTER_ECX, REGISTER_EDX, NR_REGISTERS };

/* Whether this program runs on an x86 processor, which has CPUID and MSRs. */
bool registers_here(void);

/* Parse a line with a CPUID leaf. false: it is not such a line. */
struct cpuid_line {
    uint32_t leaf, sub_leaf;
    uint32_t registers[NR_REGISTERS];
};
bool cpuid_line_parse(struct cpuid_line *line, const char *text);

/* false: not available; the registers are 0. A leaf without a line in a text file is 0 too. */
bool registers_cpuid(uint32_t *registers, const char *root, unsigned cpu, uint32_t leaf, uint32_t sub_leaf);

/* false: not available (not root, no driver, no such MSR); *value is 0. */
bool registers_msr(uint64_t *value, const char *root, unsigned cpu, uint32_t msr);

#endif
