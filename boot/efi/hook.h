/*
 * pt.start=exitbootservices: each call of ExitBootServices leads to a page of ours, whose only instruction jumps to
 * the firmware's function. The trace starts there (vmx/code/trigger.c).
 *
 * The firmware's function cannot be watched itself: other functions on its page are called all the time.
 */
#ifndef BOOT_EFI_HOOK_H
#define BOOT_EFI_HOOK_H

#include <stdint.h>

/* The address of the instruction. */
uint64_t hook_pa(void);

/* VISIBLE: put it into the firmware's table in place of the function. */
void hook_exit_boot_services(void);

#endif
