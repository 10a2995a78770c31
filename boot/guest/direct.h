/* Start the guest without being a hypervisor: on a CPU that has no VMX. Shell. */
#ifndef BOOT_GUEST_DIRECT_H
#define BOOT_GUEST_DIRECT_H

#include <stdint.h>

/* Leave 64-bit mode and enter the kernel at eip with boot_params at esi, by the 32-bit boot protocol. page_pa: a page
 * below 4 GiB that is the guest's; the last instructions run there. The identity map must still be there. */
_Noreturn void direct_enter(uint32_t page_pa, uint32_t eip, uint32_t esi);

#endif
