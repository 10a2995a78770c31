/* Ending a boot that cannot continue. */
#ifndef BOOT_FAIL_H
#define BOOT_FAIL_H

/* How boot_fail ends, in place of parking the CPU; NULL: it parks. */
typedef void boot_fail_end(void); /* must not return */
void boot_fail_set_end(boot_fail_end *function);

/* Write a message to the console and the screen (log_panic), then park the CPU, unless another end is set. */
_Noreturn void boot_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
