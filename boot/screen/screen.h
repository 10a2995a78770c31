/* The screen as a second output of the log, and the only one on a machine without a serial port. */
#ifndef BOOT_SCREEN_SCREEN_H
#define BOOT_SCREEN_SCREEN_H

#include "boot/info.h"

/* Show log lines on the screen: all of them until the guest owns the console, afterwards only those of log_panic. A
 * framebuffer of an unsupported format is left unused. */
void screen_set(const struct boot_framebuffer *framebuffer);

/* Map the screen in new page tables, which have just been loaded. Call it before the next log line. */
void screen_remap(void);

#endif
