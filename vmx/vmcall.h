/* Exits by VMCALL: vmx/vmcall.c. Private to vmx/. */
#ifndef VMX_VMCALL_H
#define VMX_VMCALL_H

#include "vmx/exit.h"

exit_handler vmcall_exit;

#endif
