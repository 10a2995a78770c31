/*
 * The page below 1 MiB in which another CPU starts: the code of boot/ap.S, followed by parameters that boot/aps.c fills
 * in. For C and assembly; offsets are from the page's start.
 */
#ifndef BOOT_AP_PAGE_H
#define BOOT_AP_PAGE_H

#define AP_GDT 0x80 /* GDT_NR_ENTRIES entries; the code ends before it */
#define AP_FAR_32 0xb0
#define AP_FAR_64 0xb8
#define AP_GDTR 0xc2
#define AP_CR3 0xc8
#define AP_STACK 0xd0
#define AP_CPU 0xd8
#define AP_PAGE_BYTES 0xe0

#endif
