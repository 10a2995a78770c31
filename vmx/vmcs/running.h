/* A guest that runs already: its state becomes the VMCS's. Private to vmx/. */
#ifndef VMX_VMCS_RUNNING_H
#define VMX_VMCS_RUNNING_H

struct cpu;
struct vmx_state;

/* Call it after vmcs_setup has written the controls. */
void vmcs_setup_guest_running(const struct cpu *cpu, const struct vmx_state *state);

#endif
