/* Exits by MOV to control registers and by XSETBV: vmx/cr.c. Private to vmx/. */
#ifndef VMX_CR_H
#define VMX_CR_H

#include "vmx/exit.h"

exit_handler cr_access_exit, xsetbv_exit;

/* Let the guest's loads of CR3 exit if pt/ must see them (pt_cr3), else not. */
void cr3_watch(struct cpu *cpu);

#endif
