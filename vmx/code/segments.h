/* Code segments with a base: segments.c. Private to vmx/code/. */
#ifndef VMX_CODE_SEGMENTS_H
#define VMX_CODE_SEGMENTS_H

#include <stdint.h>

struct cpu;

/* The page at gpa becomes executable. The machine's lock is held. */
void segments_fetched(struct cpu *cpu, uint64_t gpa);

#endif
