/* NMIs: counted in root mode, attributed to the PMI or to the guest, injected. vmx/nmi/nmi.c. Private to vmx/. */
#ifndef VMX_NMI_NMI_H
#define VMX_NMI_NMI_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/cpu.h"
#include "vmx/cpu/exit_action.h"

/* vmx/nmi/nmi.c. Only its own CPU touches it. */
struct nmi_cpu {
    uint32_t pending;        /* the guest's, not injected yet; at most nmis_pending_max */
    bool awaits_iret;        /* NMIs are blocked by nmi_exit_after_iret, not by an NMI handler */
    uint64_t pmis_delivered; /* IA32_PERF_GLOBAL_STATUS bits whose PMI the guest has received: vmx/nmi/pmi.h */
};
CPU_STATE(nmi)

exit_handler nmi_exit;

/* The CPU enters VMX operation: NMIs that arrived before it had a struct cpu become the guest's. */
void nmi_init(struct cpu *cpu);

/* Ignore the PMIs that were pending when the CPU entered VMX operation. */
void nmi_forget_pmis(struct cpu *cpu);

/* The guest resets these bits of IA32_PERF_GLOBAL_STATUS: their next overflow is a new PMI. */
void nmi_pmis_reset(struct cpu *cpu, uint64_t bits);

/* Guest code has sent so many NMIs to this CPU, without an NMI of the processor. */
void nmis_sent(struct cpu *cpu, uint32_t count);

/* Is there anything for nmi_deliver to do? */
static inline bool nmi_is_due(const struct cpu *cpu)
{
    return cpu->nmis_in_root | nmi_of(cpu)->pending;
}

/* Handle the NMIs counted in root mode, then inject a pending one, or request an NMI-window exit for it. */
void nmi_deliver(struct cpu *cpu);

/* Cause an NMI-window exit after the guest's next IRET: virtual NMIs are blocked until then, as in an NMI handler. An
 * NMI of the guest's ends this without an exit. No effect while the guest handles an NMI. */
void nmi_exit_after_iret(struct cpu *cpu);

/* An NMI-window exit. Returns whether it is that of nmi_exit_after_iret. */
bool nmi_window_opened(struct cpu *cpu);

/* INIT: what was pending for the guest is lost, as on bare metal. */
void nmi_drop_pending(struct cpu *cpu);

/* A CPU in the wait-for-SIPI state blocks NMIs, and those that arrived in root mode stay pending until a SIPI. If PMIs
 * are NMIs they are forgotten: the guest's are recorded elsewhere (vmx/apic/guest_ipi.h). */
void nmi_keep_counted(struct cpu *cpu);

#endif
