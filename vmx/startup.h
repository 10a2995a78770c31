/* CPUs that start and wait as the guest's INIT and SIPI ask: vmx/startup.c. Private to vmx/. */
#ifndef VMX_STARTUP_H
#define VMX_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/exit.h"

/* Owned by vmx/startup.c. Only its own CPU touches it. */
struct startup_cpu {
    bool just_started;   /* by a SIPI, with nothing executed since */
    uint32_t steps_left; /* instructions that may still be stepped before it leaves real mode */
    uint64_t cs_base;    /* CS.base when the last one was stepped */
};

exit_handler init_exit, sipi_exit;

/* Enter the wait-for-SIPI activity state with the next VM entry. */
void startup_wait(struct cpu *cpu);

#endif
