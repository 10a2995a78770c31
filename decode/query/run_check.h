/* Is what a run seems to be one? Between two branches tracing may have been off. Pure. */
#ifndef DECODE_QUERY_RUN_CHECK_H
#define DECODE_QUERY_RUN_CHECK_H

#include <stdint.h>

#include "decode/code/code_pages.h"
#include "pt/instruction/instruction.h"

/* How many instructions of a space, as its code stood at trace offset at, lead from begin to end, where another one
 * begins, without a branch; at most 32767. 0: they do not. */
uint32_t run_check(const struct code_pages *pages, uint64_t space, uint64_t at, enum instruction_mode mode,
                   uint64_t begin, uint64_t end);

#endif
