/* VM entry and VM exit in assembly: vmx/cpu/entry.S, and what it calls. Private to vmx/. */
#ifndef VMX_CPU_ENTRY_H
#define VMX_CPU_ENTRY_H

struct guest_registers;

/* Called by vmx/cpu/entry.S: after a VM exit, and when the NMI count was found not to be 0 right before VMRESUME
 * (vmx/exit/dispatch.c). Both return when the CPU may enter the guest. Where VMLAUNCH or VMRESUME fails without a VM
 * exit (vmx/cpu/fail_stop.c). */
void vmx_exit_dispatch(struct guest_registers *registers);
void vmx_nmi_before_entry(struct guest_registers *registers);
_Noreturn void vmx_entry_failed(struct guest_registers *registers);

/* vmx/cpu/entry.S. Hidden, so that their addresses are formed relative to RIP and not through a GOT. */
#pragma GCC visibility push(hidden)
void vmx_exit_entry(void), vmx_exit_entry_mitigated(void);
_Noreturn void vmx_launch(struct guest_registers *registers);
extern const char vmx_entry_window_start[], vmx_entry_window_end[];
#pragma GCC visibility pop

#endif
