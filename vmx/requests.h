/*
 * Requests between CPUs, other than to follow a changed EPT (vmx/kick.h): to hand over their trace, to act on
 * pt.trigger=, to send a SIPI again, to stop. vmx/requests.c. Private to vmx/.
 */
#ifndef VMX_REQUESTS_H
#define VMX_REQUESTS_H

#include <stdint.h>

struct cpu;

/* Owned by vmx/requests.c: the counts of struct requests_machine that this CPU has served. Only its own CPU writes
 * them, or the one that acts for it while it waits for SIPI; flushes is atomic, as others wait for it. */
struct requests_cpu {
    uint64_t flushes, triggers, inits;
};

/* Owned by vmx/requests.c. Atomic: counted up by any CPU, read without the lock. */
struct requests_machine {
    uint64_t flushes;    /* the machine may go down: each CPU hands over all that it has traced */
    uint64_t triggers;   /* pt.trigger= was reached */
    uint64_t inits;      /* a CPU waits for a SIPI that may have been sent before it did */
    uint32_t going_down; /* CPUs that wait for all flushes; all others wait with them */
};

/* Serve all requests. TraceEn is 0. */
void requests_serve(struct cpu *cpu);

/* The part that can be served while pt/ makes the guest wait: a pt_stall_callback of pt/engine.h, its context a struct
 * cpu. */
void requests_serve_waiting(void *cpu);

/* Have all CPUs, this one too, hand over what they have traced, with their totals. Returns when they have. They stay in
 * root mode until requests_flush_over. */
void requests_flush_all(struct cpu *cpu);
void requests_flush_over(void);

/* This CPU has taken an INIT of the guest's and now waits for a SIPI. */
void requests_init_taken(struct cpu *cpu);

/* pt.trigger= was reached: all CPUs send their rings. */
void requests_trigger_all(struct cpu *cpu);

/* The machine stops: as requests_flush_all, but for good, and with a shorter wait for a CPU that does not answer. */
void requests_stop_all(struct cpu *cpu);

#endif
