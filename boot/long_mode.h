/* What the two ways into 64-bit mode share: boot/entry.S and boot/ap.S. SDM Vol. 3A, "Initializing IA-32e Mode". */
#ifndef BOOT_LONG_MODE_H
#define BOOT_LONG_MODE_H

#define CR0_PE (1 << 0)
#define CR0_MP (1 << 1)
#define CR0_NE (1 << 5)
#define CR0_WP (1 << 16)
#define CR0_PG (1 << 31)
#define CR4_PAE (1 << 5)
#define IA32_EFER_LME (1 << 8)
#define IA32_EFER_NXE (1 << 11)

#define CR0_LONG_MODE (CR0_PG | CR0_WP | CR0_NE | CR0_MP | CR0_PE)

#endif
