/*
 * The results of a machine's self-test as one file: a first line, the lines of RECORD_HELLO, the log with "log" before
 * each line, a last line. Reads the file, and compares it with the known capabilities of the processor's family. Pure,
 * except for writing files.
 */
#ifndef DECODE_REPORT_HARDWARE_H
#define DECODE_REPORT_HARDWARE_H

#include <stdbool.h>
#include <stdio.h>

#include "decode/capture/capture.h"

#define HARDWARE_FIRST_LINE "undertrace hardware 1\n"
#define HARDWARE_LAST_LINE "\nend\n" /* with the preceding newline */

/* Names of the lines about the self-test's own guest: results, and wrong results. */
#define HARDWARE_GUEST "selftest_guest"
#define HARDWARE_GUEST_WRONG "selftest_guest_wrong"

/* A kind of Intel PT: CPUID leaf 14H as reported by the processors that share it (docs/hardware.md). */
struct hardware_kind {
    const char *name;
    uint32_t ebx, ecx;     /* of sub-leaf 0 */
    uint32_t eax1, ebx1;   /* of sub-leaf 1 */
    bool in_vmx_operation; /* IA32_VMX_MISC[14] */
};

/* Find the kind by the model of DisplayFamily 6. NULL: unknown. */
const struct hardware_kind *hardware_kind_of(uint32_t model);

/* Write that file from a capture. */
void hardware_write(FILE *file, const struct capture *capture);

/* Does the text begin like such a file? */
bool hardware_is(struct record_text text);

/* Is the file complete, to its last line? Missing lines would look like missing capabilities. */
bool hardware_is_whole(struct record_text text);

/* Print the capabilities, and where they differ from those of the family. Returns the number of differences and of
 * wrong results of the guest. */
unsigned hardware_print(FILE *file, struct record_text text);

#endif
