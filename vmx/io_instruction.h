/* Exits by IN and OUT: vmx/io_instruction.c. Private to vmx/. */
#ifndef VMX_IO_INSTRUCTION_H
#define VMX_IO_INSTRUCTION_H

#include "vmx/exit.h"

exit_handler io_exit;

#endif
