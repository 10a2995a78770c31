/*
 * Kicks: one CPU makes the others leave the guest. Here is where each CPU is, and how one waits until no other runs
 * with stale EPT translations; what else CPUs ask of each other is in vmx/smp/requests.h. Private to vmx/.
 *
 * Requests are counted in struct machine. Each CPU compares that count with what it has served, between its last action
 * in root mode and VM entry. So a CPU in root mode needs no kick, and no CPU waits for it. A CPU in the guest is kicked
 * by an INIT: in VMX non-root operation it causes a VM exit, in root operation it stays pending until the next VM entry
 * (SDM "Other Causes of VM Exits"; "VMX Support for Processor Operating Modes, INIT"). NMIs are not used: they merge,
 * and a guest's NMI must not be lost. While PMIs are NMIs, those that guest code sends to CPUs are kicks themselves.
 *
 * INITs merge as well. The position says which are root's. While tracing is on, the guest's INITs are recorded as it
 * sends them (guest_ipi_sends), and the exit that follows counts as the guest's, whatever merged into it. Without
 * tracing, when kicks are rare, a guest's INIT that may have merged is sent again by the CPU that sent it
 * (lapic_resend_init): every CPU that may have done so serves the same request. There, a SIPI right after the INIT
 * would hide it.
 *
 * An INIT may be lost: the target's local APIC may change its mode while the INIT is on its way. So a CPU that waits
 * for another one sends its INIT again at growing intervals (kick_again). As an INIT exit is the guest's only if the
 * guest has sent one, an INIT that comes once more than needed does no harm. A CPU that stays in the guest all the same
 * stops the machine: it would execute what the EPT no longer allows.
 *
 * A CPU whose local APIC is disabled (IA32_APIC_BASE.EN is 0) can neither send nor receive an INIT. As long as there is
 * one, each CPU leaves the guest by its preemption timer at least every KICK_TIMER_TSC (kick_set_unreachable).
 *
 * A guest's INIT stays pending as long as its target is in root mode, which is long when the wire is slow. The SIPI
 * that the guest sends next is then dropped, since the target does not wait for it yet. So a CPU that takes a guest's
 * INIT requests that the CPU that sent it a SIPI last sends it again (lapic_resend_sipi). While tracing is on, SIPIs
 * are recorded at their targets (guest_ipi_sends); else the last command in the ICR must be the SIPI. It kicks one CPU,
 * which kicks the others: a SIPI that is sent after its sender has served must find the CPU waiting (requests.c).
 */
#ifndef VMX_SMP_KICK_H
#define VMX_SMP_KICK_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/smp/kick_wait.h"

struct cpu;

/* TSC ticks, some 0.1 ms: the preemption timer's period where a CPU may not be reached by a kick. */
#define KICK_TIMER_TSC 200000u

/* First thing after a VM exit: this CPU is in root mode. by_init: the exit reason is an INIT. */
void kick_exited(struct cpu *cpu, bool by_init);

/* The same without a VM exit, as VM entry is not tried. */
void kick_leave_guest(struct cpu *cpu);

/* Last thing before VM entry: from here on others may kick this CPU. false: a request came meanwhile; the CPU stays in
 * root mode and must serve it. */
bool kick_enter_guest(struct cpu *cpu);

/* After kick_enter_guest: will the guest execute something? An INIT of root's that is pending exits right after VM
 * entry. */
bool kick_guest_executes(const struct cpu *cpu);

/* An INIT has caused a VM exit. May a kick be among those that merged into it? */
bool kick_take_init(struct cpu *cpu);

/* Enter the wait-for-SIPI state with the next VM entry. */
void kick_wait_for_sipi(struct cpu *cpu);
bool kick_waits_for_sipi(const struct cpu *cpu);

/* Act for a CPU that waits for SIPI and so cannot serve: call serve with it. false: it does not wait. */
bool kick_serve_for(struct cpu *cpu, void (*serve)(struct cpu *cpu));

/* This CPU stops for good. */
void kick_park(struct cpu *cpu);
bool kick_is_parked(const struct cpu *cpu);

/* Something is requested of other CPUs: count it, so that each CPU serves before it enters the guest; then kick those
 * that are there. wanted: only CPUs of which it is true; NULL: all. */
void kick_request(void);
void kick_those(struct cpu *self, bool (*wanted)(const struct cpu *cpu));

/* Kick one CPU that is in the guest, if any is: it has to kick the others (requests_init_taken). */
void kick_one(struct cpu *self);

/* Call it in a loop that waits for a CPU to leave the guest: it sends its kick again at growing intervals. wait: zeroed
 * before the loop. false: the CPU does not leave it within some 20 seconds. */
bool kick_again(struct cpu *self, struct cpu *cpu, struct kick_wait *wait);

/* Is there a request that this CPU has not served? kick_serving: it serves all up to now. */
bool kick_is_requested(const struct cpu *cpu);
void kick_serving(struct cpu *cpu);

/* Has the EPT changed since this CPU last asked? Then it must follow and invalidate. */
bool kick_ept_follow(struct cpu *cpu);

/* The machine's EPT tree has changed: returns when no other CPU runs with translations of the tree before. The
 * machine's lock is held. The caller invalidates its own translations. If a CPU does not leave the guest within some 20
 * seconds, the machine stops. */
void kick_ept_changed(struct cpu *cpu);

/* The guest is about to disable this CPU's local APIC, or has enabled it. Returns when all CPUs have their timers as
 * this needs it. The machine's lock is not held. */
void kick_set_unreachable(struct cpu *cpu, bool unreachable);

/* Must CPUs leave the guest by their timers, at least every KICK_TIMER_TSC? */
bool kick_by_timer(void);

/* A CPU fails: all others stop as soon as they serve. */
void kick_stop(void);
bool kick_is_stopping(void);

#endif
