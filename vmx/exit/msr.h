/* What RDMSR and WRMSR exits check: vmx/exit/msr.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_MSR_H
#define VMX_EXIT_MSR_H

struct cpu;

/* Which bits this CPU's registers have. */
void msr_setup(struct cpu *cpu);

#endif
