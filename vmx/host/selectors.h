/* Root mode's selectors, for C and assembly. */
#ifndef VMX_HOST_SELECTORS_H
#define VMX_HOST_SELECTORS_H

#define GDT_CODE64 0x08
#define GDT_DATA 0x10
#define GDT_CODE32 0x18 /* for boot/guest/direct.S and boot/ap.S */
#define GDT_TSS 0x20    /* two entries */
#define GDT_NR_ENTRIES 6

#endif
