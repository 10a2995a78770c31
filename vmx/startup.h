/* CPUs that start and wait as the guest's INIT and SIPI ask: vmx/startup.c. Private to vmx/. */
#ifndef VMX_STARTUP_H
#define VMX_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/exit.h"

exit_handler init_exit, sipi_exit;

/* Enter the wait-for-SIPI activity state with the next VM entry. */
void startup_wait(struct cpu *cpu);

#endif
