/*
 * Requests between CPUs, other than to follow a changed EPT (vmx/smp/kick.h): to hand over their trace, to act on
 * pt.trigger=, to send a SIPI again, to take NMIs, to stop. vmx/smp/requests.c. Private to vmx/.
 */
#ifndef VMX_SMP_REQUESTS_H
#define VMX_SMP_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* After kick_serving: serve all requests but those to follow the EPT. TraceEn is 0. */
void requests_serve(struct cpu *cpu);

/* The part that can be served while pt/ makes the guest wait: a pt_stall_callback of pt/engine.h, its context a struct
 * cpu. */
void requests_serve_waiting(void *cpu);

/* The next flush is for a sleep state, S1 to S3: RECORD_END says so. Is it? */
void requests_will_sleep(bool sleeps);
bool requests_sleep(void);

/* Have all CPUs, this one too, hand over what they have traced, with their totals. Returns when they have. They stay in
 * root mode until requests_flush_over. */
void requests_flush_all(struct cpu *cpu);
void requests_flush_over(void);

/* This CPU has taken an INIT of the guest's and now waits for a SIPI. */
void requests_init_taken(struct cpu *cpu);

/* Guest code on this CPU has sent NMIs (vmx/apic/guest_ipi.h): all CPUs take theirs before they next enter the guest.
 * Those that have some are kicked. */
void requests_nmis_sent(struct cpu *cpu);

/* CPUs that wait for a SIPI have no time to send their last bytes, and no timer: this one does it for them. */
void requests_send_parked(struct cpu *cpu);

/* pt.trigger= was reached: all CPUs send their rings. */
void requests_trigger_all(struct cpu *cpu);

/* The machine stops: as requests_flush_all, but for good, and with a shorter wait for a CPU that does not answer. */
void requests_stop_all(struct cpu *cpu);

#endif
