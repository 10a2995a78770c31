/* The screen, for what is logged: besides the console, and where a machine has no serial line the only one. Shell. */
#ifndef BOOT_SCREEN_SCREEN_H
#define BOOT_SCREEN_SCREEN_H

#include "boot/mb2.h"

/* From now on lines of the log appear on it, until the guest owns the console; behind that only those of log_panic. A
 * screen of a kind that is not drawn into is left alone. */
void screen_set(const struct mb2_framebuffer *framebuffer);

/* The page tables are new ones: the screen is mapped by them as well. Before the first line. */
void screen_map_again(void);

/* The text goes to the console and to the screen (log_panic); then the CPU parks. */
_Noreturn void boot_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
