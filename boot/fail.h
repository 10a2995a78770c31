/* Ending a boot that cannot continue. */
#ifndef BOOT_FAIL_H
#define BOOT_FAIL_H

/* Write a message to the console and the screen (log_panic), then park the CPU. */
_Noreturn void boot_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
