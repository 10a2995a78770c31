/* Exits by hardware task switches: vmx/task_switch.c. Private to vmx/. */
#ifndef VMX_TASK_SWITCH_H
#define VMX_TASK_SWITCH_H

#include "vmx/exit.h"

exit_handler task_switch_exit;

#endif
