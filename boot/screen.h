/* The VGA text screen, for the messages after which nothing comes. Shell. */
#ifndef BOOT_SCREEN_H
#define BOOT_SCREEN_H

#include "boot/mb2.h"

/* Remember the screen if it is one of text. */
void screen_set(const struct mb2_framebuffer *framebuffer);

/* The text goes to the console (log_panic), and to the text screen's first line if there is one; then the CPU parks. */
_Noreturn void boot_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
