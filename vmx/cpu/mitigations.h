/*
 * mitigations=on: root's data is kept from a guest that is not trusted (L1TF, MDS and its relatives, branch target
 * injection). vmx/cpu/measures.h says which measures a CPU needs, vmx/cpu/entry.S takes them. Private to vmx/.
 *
 * No measure here affects the other thread of the same core, which runs the guest meanwhile: docs/visible.md.
 */
#ifndef VMX_CPU_MITIGATIONS_H
#define VMX_CPU_MITIGATIONS_H

struct cpu;

/* This CPU's measures, from its first VM entry on; its VMCS is current. Logs what its microcode lacks. Nothing, unless
 * the option is on. */
void mitigations_setup(struct cpu *cpu);

#endif
