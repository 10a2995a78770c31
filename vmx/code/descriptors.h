/* Code segments in a descriptor table of the guest. Core, private to vmx/code/. */
#ifndef VMX_CODE_DESCRIPTORS_H
#define VMX_CODE_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

/* Have all code segments of the table this base, except 32-bit ones with base 0? Source: SDM Vol. 3A, "Segment
 * Descriptors". */
bool descriptors_share_base(const uint8_t *table, uint32_t bytes, uint32_t base);

#endif
