/* Starting the guest without the hypervisor, on a machine that cannot run it. Shell. */
#ifndef BOOT_GUEST_DIRECT_H
#define BOOT_GUEST_DIRECT_H

#include <stdint.h>

/* Leave 64-bit mode and enter the kernel at eip with boot_params at esi, by the 32-bit boot protocol. page_pa: a page
 * of the guest's memory below 4 GiB, from which the last instructions run. The identity map must still exist. */
_Noreturn void direct_enter(uint32_t page_pa, uint32_t eip, uint32_t esi);

#endif
