/* Kind: core, init */
#include "boot/acpi/spcr.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "boot/acpi/gas.h"

enum { SPCR_INTERFACE = 36, SPCR_ADDRESS = 40, SPCR_BAUD = 58 };
enum { INTERFACE_16550 = 0, INTERFACE_16450 = 1, INTERFACE_16550_GAS = 0x12 };

struct uart_place spcr_read(const uint8_t *table, uint32_t size)
{
    const struct uart_place none = {UART_NONE, 0};

    if (size <= SPCR_BAUD)
        return none;
    const uint8_t interface = table[SPCR_INTERFACE], *address = table + SPCR_ADDRESS;
    const uint64_t at = read64(address + GAS_ADDRESS);
    if (at == 0 || (interface != INTERFACE_16550 && interface != INTERFACE_16450 && interface != INTERFACE_16550_GAS))
        return none;
    if (address[GAS_SPACE] == GAS_SPACE_IO)
        return at <= 0xfff8 ? (struct uart_place){UART_AT_PORT, at} : none;
    if (address[GAS_SPACE] != GAS_SPACE_MEMORY)
        return none;
    const bool wide = address[GAS_WIDTH] == 32 || address[GAS_ACCESS] == GAS_ACCESS_DWORD;
    return (struct uart_place){wide ? UART_IN_MEMORY32 : UART_IN_MEMORY, at};
}
