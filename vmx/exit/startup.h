/* CPUs that start and wait as the guest's INIT and SIPI ask: vmx/exit/startup.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_STARTUP_H
#define VMX_EXIT_STARTUP_H

struct cpu;

/* Enter the wait-for-SIPI activity state with the next VM entry. */
void startup_wait(struct cpu *cpu);

#endif
