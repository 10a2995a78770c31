/* The channel's network card while the firmware may use it. */
#ifndef BOOT_EFI_CARD_H
#define BOOT_EFI_CARD_H

#include <stdint.h>

/* Disconnect the firmware's drivers from the PCI function (segment << 16 | bus << 8 | device << 3 | function). They
 * leave it as they have found it. */
void card_claim(uint32_t sbdf);

#endif
