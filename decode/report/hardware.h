/*
 * What a machine's self-test has found, as one file: a first line, the lines of RECORD_HELLO, the log behind "log", a
 * last line. Read, and compared with what processors of that family are known to have. Pure, but for what is written to
 * files.
 */
#ifndef DECODE_REPORT_HARDWARE_H
#define DECODE_REPORT_HARDWARE_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/capture/capture.h"

#define HARDWARE_FIRST_LINE "undertrace hardware 1\n"
#define HARDWARE_LAST_LINE "\nend\n" /* with the end of the line before */

/* Names of lines on the self-test's own guest: what was found; and what was found wrong. */
#define HARDWARE_GUEST "selftest_guest"
#define HARDWARE_GUEST_WRONG "selftest_guest_wrong"

/* A kind of Intel PT: CPUID leaf 14H as the processors that share it report it (docs/hardware.md). */
struct hardware_kind {
    const char *name;
    uint32_t ebx, ecx;     /* of sub-leaf 0 */
    uint32_t eax1, ebx1;   /* of sub-leaf 1 */
    bool in_vmx_operation; /* IA32_VMX_MISC[14] */
};

/* By DisplayFamily 6's model. NULL: there is nothing to compare with. */
const struct hardware_kind *hardware_kind_of(uint32_t model);

/* The capture as that one file. */
void hardware_write(FILE *file, const struct capture *capture);

/* Is it such a file? */
bool hardware_is(struct record_text text);

/* Is all of such a file there, to its last line? What is cut off would be taken for what the machine has not. */
bool hardware_is_whole(struct record_text text);

/* In words, beside what its family is known to have. Returns in how many places the two differ, or
 * the guest has not done what it must. */
unsigned hardware_print(FILE *file, struct record_text text);

#endif
