/*
 * Bits of the guest's paging-structure entries. Core. Private to walk.c and stretch.c.
 *
 * Source: SDM Vol. 3A "Hierarchical Paging Structures: an Overview", the tables of formats of each paging mode.
 */
#ifndef VMX_GUEST_ENTRY_BITS_H
#define VMX_GUEST_ENTRY_BITS_H

#include "vmx/guest/walk.h"

#define ENTRY_P (1ull << 0)
#define ENTRY_US (1ull << 2)
#define ENTRY_PS (1ull << 7)
#define ENTRY_G (1ull << 8)
#define ENTRY_NX (1ull << 63)
#define ENTRY_ADDRESS GUEST_ENTRY_ADDRESS
#define ENTRY_COUNTS (ENTRY_P | ENTRY_US | ENTRY_G | ENTRY_ADDRESS)

#define PAGE_SHIFT 12u

#endif
