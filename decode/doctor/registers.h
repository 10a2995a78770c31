/*
 * CPUID and MSRs: of a CPU through Linux's devices or, of this machine, by the instruction; or out of a text that was
 * made of another machine. Where DIR/dev/cpu/N/cpuid is no device, it is what `cpuid -r` prints or a dump of
 * InstLatx64; where DIR/dev/cpu/N/msr is none, it has lines of the form "0x3a 0x5".
 */
#ifndef DECODE_DOCTOR_REGISTERS_H
#define DECODE_DOCTOR_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { REGISTER_EAX, REGISTER_EBX, REGISTER_ECX, REGISTER_EDX, NR_REGISTERS };

/* One line of a text of CPUID leaves. false: it is none. */
struct cpuid_line {
    uint32_t leaf, sub_leaf;
    uint32_t registers[NR_REGISTERS];
};
bool cpuid_line_parse(struct cpuid_line *line, const char *text);

/* false: not to be had; registers are 0. A leaf beyond the highest is 0 too, where a text has no line of it. */
bool registers_cpuid(uint32_t *registers, const char *root, unsigned cpu, uint32_t leaf, uint32_t sub_leaf);

/* false: not to be had: no root's rights, no driver, no such MSR. *value is 0. */
bool registers_msr(uint64_t *value, const char *root, unsigned cpu, uint32_t msr);

#endif
