/* One CPU hands over all that it has traced, with its totals. Shell, private to vmx/. */
#ifndef VMX_FLUSH_H
#define VMX_FLUSH_H

struct cpu;

/* TraceEn is clear. What is handed over is on its way; pt_flush_wait tells when it has arrived. */
void flush_this_cpu(struct cpu *cpu);

#endif
