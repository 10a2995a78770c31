/*
 * One CPU calls the others out of the guest: because EPT permissions have changed, because all that was traced must be
 * handed over, because the machine stops. Private to vmx/.
 *
 * Each CPU says in cpu->place where it is. What the others must know is counted in struct machine; each CPU looks at
 * machine.summons between its last act in root and VM entry, and does what it has not done yet. So a CPU in root needs
 * no call, and nobody waits for it. One in the guest is kicked by an INIT: in VMX non-root operation it exits, in root
 * it stays pending until the next VM entry (SDM "Other Causes of VM Exits"; "VMX Support for Processor Operating Modes,
 * INIT"). NMIs are not used: they merge, and the guest's must not be lost.
 *
 * INITs merge as well. Which are ours cpu->place tells; while there is tracing, the guest's are noted as it sends them
 * (lapic_guest_sends), and the exit that follows is theirs, whatever they merged with. Without tracing, when calls are
 * rare, one that merges with ours is sent again by the CPU that has sent it (lapic_init_again), since every CPU that
 * may have done so comes here for the same summons; a SIPI right behind it would hide it there.
 *
 * A guest's INIT waits as long as its CPU is in root, and that is long where the wire is slow: the SIPI that the guest
 * sends behind it finds no CPU that waits for it and is dropped. So a CPU that takes a guest's INIT calls the others,
 * and whoever has sent it a SIPI last sends it again (lapic_sipi_again).
 */
#ifndef VMX_SUMMONS_H
#define VMX_SUMMONS_H

#include <stdbool.h>

struct cpu;

/* First thing behind a VM exit: this CPU is in root. */
void summons_leave_guest(struct cpu *cpu);

/* Last thing before VM entry: others may kick this CPU from here on. false: it was called meanwhile, stays in root, and
 * must serve. */
bool summons_enter_guest(struct cpu *cpu);

/* Do what this CPU was called for. TraceEn is clear. */
void summons_serve(struct cpu *cpu);

/* Tell where this CPU's trace is, if anything was told since by others: a program that they told of may run here next.
 * TraceEn is clear. */
void summons_pages_seen(struct cpu *cpu);

/* The part of it that can be done while pt/ lets the guest wait: pt_waiting of pt/engine.h, with a struct cpu. */
void summons_serve_waiting(void *cpu);

/* The machine's EPT tree has changed: returns when no CPU runs with what it was before. The machine's lock is held. The
 * caller drops its own translations. */
void summons_ept_changed(struct cpu *cpu);

/* Have all CPUs hand over what they have traced, with their totals, this one too. It returns when they have. They stay
 * in root until summons_flush_over. */
void summons_flush_all(struct cpu *cpu);
void summons_flush_over(void);

/* This CPU has taken an INIT of the guest's, and is about to wait for a SIPI. */
void summons_init_taken(struct cpu *cpu);

/* pt.trigger= was reached: all CPUs' rings are sent. */
void summons_trigger_all(struct cpu *cpu);

/* The machine stops: as summons_flush_all, for ever, and without patience for a CPU that does not answer. */
void summons_stop_all(struct cpu *cpu);

#endif
