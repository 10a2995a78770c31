/* CR0 for 64-bit mode, for boot/entry.S and boot/ap.S. SDM Vol. 3A, "Initializing IA-32e Mode". */
#ifndef BOOT_LONG_MODE_H
#define BOOT_LONG_MODE_H

#include "base/control.h"

#define CR0_LONG_MODE (CR0_PG | CR0_WP | CR0_NE | CR0_MP | CR0_PE)

#endif
