/*
 * One CPU runs a page that another one writes: whoever was given the page keeps it for a while, so that each executes
 * at least the instruction that asked for it. A turn begins with the VM entry. Before that the CPU may wait for the
 * wire however long, and if others took the page meanwhile it would come back for it, and its contents be sent once
 * more, for ever. All that such a CPU waits for is the wire, and what CPUs serve that wait for a turn
 * (vmx/code_pages.c).
 *
 * Whoever takes nothing from others (it executes what is not writable, or writes what is) neither waits for a turn nor
 * is given one: a CPU that soft PT has come back to a page all the time would keep it from the others for ever.
 *
 * Private to vmx/.
 */
#ifndef VMX_TURNS_H
#define VMX_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* It begins with this CPU's next VM entry. The machine's lock is held. */
void turn_give(struct cpu *cpu, uint64_t gpa);

/* This CPU has a turn (cpu->turn), and is about to enter the guest, or to wait there for a SIPI. */
void turn_begin(struct cpu *cpu);

/* Has another CPU the page? Never, when the machine stops. Without the lock, a hint. */
bool turn_is_anothers(const struct cpu *cpu, uint64_t gpa);

#endif
