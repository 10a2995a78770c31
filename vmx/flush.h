/* One CPU's last record: its totals, its VM exits. Shell, private to vmx/. */
#ifndef VMX_FLUSH_H
#define VMX_FLUSH_H

struct cpu;

/* Behind pt_flush_begin; also for a CPU that waits for SIPI, by another one. */
void flush_end(struct cpu *cpu);

#endif
