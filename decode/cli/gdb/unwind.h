/*
 * Frames of functions for gdb, which has no stack pointer in a trace: a stack that the decoder's call stacks make.
 *
 * It is memory at addresses that no machine has, since they are not canonical. Each function that has not returned has
 * a stack pointer there of its own, which it keeps until it returns: those of callers are higher, those of other tasks
 * are elsewhere. gdb's side is unwind.py.
 *
 * At a stack pointer: 8 bytes, this stack pointer; 8 bytes, the caller's, or 0 if the caller is not known; 8 bytes, the
 * address at which the caller continues. At UNWIND_NOW: the same of the function that executes the present instruction;
 * zeros, if that is not known. All numbers are little-endian.
 *
 * A function that was left by a jump to another one (a tail call) is not there any more, as on a machine.
 */
#ifndef DECODE_CLI_GDB_UNWIND_H
#define DECODE_CLI_GDB_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/calls/stack_log.h"
#include "decode/cli/options/names_options.h"
#include "decode/replay/replay.h"

#define UNWIND_NOW 0x4000000000000000u
#define UNWIND_END 0x5000000000000000u /* no stack pointer is here or above */

struct unwind {
    const struct names_choice *names;
    unsigned threads;
    struct stack_log log;
    uint32_t first, end; /* numbers of the stretches that the log has; none: first == end */
};

/* A function that has not returned. */
struct unwind_function {
    uint64_t sp; /* its stack pointer; 0: it is not known what runs */
    uint64_t caller_sp, caller_pc;
    uint64_t entry_pc;     /* where it was entered */
    enum stack_entry kind; /* how */
};

/* The function that executes a CPU's present instruction. A message says why if it cannot be known. */
struct unwind_function unwind_innermost(struct unwind *unwind, const struct replay_cpu *cpu);

/* The number of bytes of this memory that are known, from the first on. */
size_t unwind_read(struct unwind *unwind, const struct replay_cpu *cpu, uint64_t address, uint8_t *bytes, size_t size);

void unwind_close(struct unwind *unwind);

#endif
