/*
 * How long one CPU waits for another to leave the guest, and when it sends its INIT again: vmx/smp/kick_wait.c, core.
 * Private to vmx/smp/.
 */
#ifndef VMX_SMP_KICK_WAIT_H
#define VMX_SMP_KICK_WAIT_H

#include <stdint.h>

/* TSC ticks. A kicked CPU leaves the guest within some thousand; SMM may delay it by milliseconds. */
#define KICK_RESEND_TSC 100000u       /* send the INIT again after so long, then after twice as long, and so on */
#define KICK_GIVE_UP_TSC (1ull << 36) /* some 20 seconds */

/* Zeroed before the loop that waits. */
struct kick_wait {
    uint64_t start_tsc, resend_tsc; /* resend_tsc: after the start; 0: not started */
};

enum kick_step {
    KICK_STEP_WAIT,
    KICK_STEP_RESEND, /* the INIT is probably lost */
    KICK_STEP_GIVE_UP /* the CPU is not going to leave the guest; again at each further call */
};

/* What to do at this time by the waiting CPU's own TSC. The first call starts the wait. */
enum kick_step kick_wait_step(struct kick_wait *wait, uint64_t tsc);

#endif
