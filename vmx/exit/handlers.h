/* The handlers of VM exits in vmx/exit/, by file. Others are where their exits' state is. Private to vmx/exit/. */
#ifndef VMX_EXIT_HANDLERS_H
#define VMX_EXIT_HANDLERS_H

#include "vmx/cpu/exit_action.h"

exit_handler cpuid_exit;                  /* cpuid.c */
exit_handler cr_access_exit, xsetbv_exit; /* cr.c */
exit_handler exception_exit;              /* exception.c */
exit_handler nmi_window_exit;             /* exception.c */
exit_handler io_exit;                     /* io_exit.c */
exit_handler rdmsr_exit, wrmsr_exit;      /* msr.c */
exit_handler timer_exit;                  /* poll.c */
exit_handler init_exit, sipi_exit;        /* startup.c */
exit_handler task_switch_exit;            /* task_switch.c */
exit_handler ept_violation_exit;          /* violation.c */
exit_handler vmcall_exit;                 /* vmcall.c */

#endif
