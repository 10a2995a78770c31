/* Scans of whole address spaces that have been quiet for a while: space_scan.c. Private to vmx/code/. */
#ifndef VMX_CODE_SPACE_SCAN_H
#define VMX_CODE_SPACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

#define NR_SPACE_SCANS 256u

/* A space as it was scanned last. A space that has lost its slot counts as new. All zero at the start; the machine's
 * lock guards it. */
struct space_scan {
    uint64_t space;       /* its key (vmx/guest/walk.h) */
    uint64_t offset;      /* of that CPU's trace at the begin of the last complete scan */
    uint64_t since_tsc;   /* of its last fault or scan */
    uint64_t quiet_tsc;   /* ticks from then to the next scan */
    uint64_t cost_tsc;    /* ticks that the last scan took */
    uint32_t faults;      /* since the last scan */
    const struct cpu *by; /* the CPU that scanned it; NULL: none, or several */
    bool scanned;         /* completely, at least once */
    struct {
        uint64_t next;        /* the linear address at which it continues; 0: the next one begins */
        uint64_t offset;      /* at its begin */
        uint64_t cost_tsc;    /* so far */
        const struct cpu *by; /* NULL: several */
    } now;                    /* the scan that is not complete */
};

/* A page fault of the space that runs has exited. The machine's lock is held. */
void space_scan_faulted(struct cpu *cpu, uint64_t space);

/* Ticks within which root mode must run for a scan; UINT64_MAX: no space waits for one. */
uint64_t space_scan_wait_tsc(const struct cpu *cpu);

#endif
