/* INT 15h of a guest that was started from a BIOS disk: bios_call.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_BIOS_CALL_H
#define VMX_EXIT_BIOS_CALL_H

struct cpu;

/* Call at the end of each exit from code other than 64-bit code: if the next instruction is the first of the BIOS's
 * INT 15h handler, and the function reports memory, answer in its place. The machine's lock is not held. */
void bios_call_check(struct cpu *cpu);

#endif
