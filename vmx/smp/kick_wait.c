/* Kind: core */
#include "vmx/smp/kick_wait.h"

enum kick_step kick_wait_step(struct kick_wait *wait, uint64_t tsc)
{
    if (wait->resend_tsc == 0)
        *wait = (struct kick_wait){.start_tsc = tsc, .resend_tsc = KICK_RESEND_TSC};
    const uint64_t waited = tsc - wait->start_tsc;

    if (waited > KICK_GIVE_UP_TSC)
        return KICK_STEP_GIVE_UP;
    if (waited < wait->resend_tsc)
        return KICK_STEP_WAIT;
    wait->resend_tsc *= 2;
    return KICK_STEP_RESEND;
}
