/* Address spaces looked at whole, when they have been quiet for a while: vmx/space_look.c. Private to vmx/. */
#ifndef VMX_SPACE_LOOK_H
#define VMX_SPACE_LOOK_H

#include <stdint.h>

struct cpu;

#define NR_SPACE_LOOKS 256u

/* Spaces as they were looked at last. One for which there is no place any more is as new. All zero at the start; the
 * machine's lock guards it. */
struct space_look {
    uint64_t space;       /* as guest_space_cr3 names it */
    uint64_t offset;      /* of the trace of that CPU, when it was looked at */
    uint64_t since_tsc;   /* of its last fault or look */
    uint64_t quiet_tsc;   /* from then to the next look */
    uint64_t cost_tsc;    /* of the last look */
    uint32_t faults;      /* since then */
    const struct cpu *by; /* NULL: nobody */
};

/* A page fault of the space that runs has exited. The machine's lock is held. */
void space_faulted(struct cpu *cpu, uint64_t space);

/* The preemption timer has run out: is it time to look? */
void space_look_if_quiet(struct cpu *cpu);

#endif
