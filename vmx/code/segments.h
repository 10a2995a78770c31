/* Code segments with a base: segments.c. Private to vmx/code/. */
#ifndef VMX_CODE_SEGMENTS_H
#define VMX_CODE_SEGMENTS_H

#include <stdint.h>

struct cpu;

/* The page at gpa becomes executable. The machine's lock is held. */
void segments_fetched(struct cpu *cpu, uint64_t gpa);

/* A page fault has exited, perhaps the first fetch in a new segment. The end of such an exit checks the segment only if
 * this has been called: it may be a PMI's as well. */
void segments_faulted(struct cpu *cpu);

#endif
