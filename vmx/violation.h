/* Exits by EPT violations: vmx/violation.c. Private to vmx/. */
#ifndef VMX_VIOLATION_H
#define VMX_VIOLATION_H

#include "vmx/exit.h"

exit_handler ept_violation_exit;

#endif
