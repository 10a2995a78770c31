/* Loads of CR3: vmx/exit/cr.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_CR_H
#define VMX_EXIT_CR_H

struct cpu;

/* Let the guest's loads of CR3 exit if pt/ must see them (pt_cr3), else not. */
void cr3_watch(struct cpu *cpu);

#endif
