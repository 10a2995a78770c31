/*
 * How long system calls took, by process and by call. Of Linux, a call is its function __x64_sys_NAME or
 * __ia32_sys_NAME; without such a function it is what SYSCALL, SYSENTER or INT n enters, until that returns. The trace
 * has neither arguments nor results. Pure.
 */
#ifndef DECODE_MEASURE_SYSCALLS_H
#define DECODE_MEASURE_SYSCALLS_H

#include "decode/measure/name_classes.h"
#include "decode/measure/rows.h"

struct syscalls {
    struct measure measure;
    struct name_classes classes;
    struct measure_rows pairs;     /* text: the process; name: of the function */
    struct measure_rows calls;     /* only name */
    struct measure_rows processes; /* only text; all: measured[0] */
};

/* measure is set. false: error says why. The caller calls syscalls_free in both cases. */
bool syscalls_collect(struct syscalls *syscalls, struct calls_run *run, struct error *error);
void syscalls_free(struct syscalls *syscalls);

#endif
