/* Exits by RDMSR and WRMSR: vmx/msr.c. Private to vmx/. */
#ifndef VMX_MSR_H
#define VMX_MSR_H

#include "vmx/exit.h"

exit_handler rdmsr_exit, wrmsr_exit;

#endif
