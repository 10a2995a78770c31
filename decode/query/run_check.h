/* Does code lead straight from one address to another? Tracing may have been off between two branches. Pure. */
#ifndef DECODE_QUERY_RUN_CHECK_H
#define DECODE_QUERY_RUN_CHECK_H

#include <stdint.h>

#include "decode/code/code_pages.h"
#include "pt/instruction/instruction.h"

/* The number of instructions from begin to the instruction that begins at end, at most 32767, according to the space's
 * code at trace offset at. 0: there is a branch in between, or no instruction begins at end. */
uint32_t run_check(const struct code_pages *pages, uint64_t space, uint64_t at, enum instruction_mode mode,
                   uint64_t begin, uint64_t end);

#endif
