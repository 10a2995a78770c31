/* Exits by CPUID: vmx/cpuid.c. Private to vmx/. */
#ifndef VMX_CPUID_H
#define VMX_CPUID_H

#include "vmx/exit.h"

exit_handler cpuid_exit;

#endif
