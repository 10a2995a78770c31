/* Kind: core */
#include "vmx/policy/io_ports.h"

#define PM1_CNT_SIZE 2u
#define PM1_CNT_SLP_EN_BYTE 1u
#define SLP_EN (1u << 5) /* of PM1 control: bit 13. SLP_TYP is in the bits below */
#define RESET_CONTROL_RST_CPU (1u << 2)
#define KEYBOARD_PULSE_RESET 0xfeu
#define UART_NR_PORTS 8u
#define CONFIG_ADDRESS_SIZE 4u

static void guard(uint8_t *bitmaps, uint32_t first, uint32_t nr)
{
    for (uint32_t port = first; port < first + nr && port < 0x10000; port++)
        bitmaps[port / 8] |= (uint8_t)(1u << port % 8);
}

static void guard_power(uint8_t *bitmaps, const struct vmx_ports *ports)
{
    if (ports->pm1a_cnt)
        guard(bitmaps, ports->pm1a_cnt, PM1_CNT_SIZE);
    if (ports->pm1b_cnt)
        guard(bitmaps, ports->pm1b_cnt, PM1_CNT_SIZE);
    if (ports->sleep_control)
        guard(bitmaps, ports->sleep_control, 1);
    if (ports->reset_port)
        guard(bitmaps, ports->reset_port, 1);
    guard(bitmaps, PORT_KEYBOARD_COMMAND, 1);
    guard(bitmaps, PORT_RESET_CONTROL, 1); /* makes all dword accesses to CONFIG_ADDRESS exit too */
}

void io_ports_bitmap(uint8_t bitmaps[IO_BITMAPS_SIZE], const struct vmx_ports *ports)
{
    for (uint32_t i = 0; i < IO_BITMAPS_SIZE; i++)
        bitmaps[i] = 0;
    if (ports->watch_power)
        guard_power(bitmaps, ports);
    if (ports->nr_hidden)
        guard(bitmaps, PORT_CONFIG_ADDRESS, CONFIG_ADDRESS_SIZE);
    if (ports->hidden_uart)
        guard(bitmaps, ports->hidden_uart, UART_NR_PORTS);
}

bool io_port_is_hidden(const struct vmx_ports *ports, uint16_t port)
{
    return ports->hidden_uart && port >= ports->hidden_uart && port - ports->hidden_uart < (int)UART_NR_PORTS;
}

static bool is_pm1_byte(uint16_t pm1_cnt, uint32_t port)
{
    return pm1_cnt && port == pm1_cnt + PM1_CNT_SLP_EN_BYTE;
}

/* SLP_EN and SLP_TYP have the same bit positions in PM1 control's upper byte and in SLEEP_CONTROL_REG. */
static bool byte_sleeps(const struct vmx_ports *ports, uint32_t port, uint8_t byte)
{
    return (byte & SLP_EN) && (is_pm1_byte(ports->pm1a_cnt, port) || is_pm1_byte(ports->pm1b_cnt, port) ||
                               (ports->sleep_control && port == ports->sleep_control));
}

bool io_write_sleeps(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value)
{
    for (unsigned i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(value >> 8 * i);

        if (byte_sleeps(ports, port + i, byte) && (ports->sleep_types >> (byte >> 2 & 7) & 1))
            return true;
    }
    return false;
}

bool io_write_ends(const struct vmx_ports *ports, uint16_t port, unsigned size, uint32_t value)
{
    /* A dword write to CONFIG_ADDRESS does not write the reset control register. */
    if (port == PORT_CONFIG_ADDRESS && size == 4)
        return false;
    for (unsigned i = 0; i < size; i++) {
        const uint32_t at = port + i;
        const uint8_t byte = (uint8_t)(value >> 8 * i);

        if (byte_sleeps(ports, at, byte))
            return true;
        if (ports->reset_port && at == ports->reset_port && byte == ports->reset_value)
            return true;
        if (at == PORT_RESET_CONTROL && (byte & RESET_CONTROL_RST_CPU))
            return true;
        if (at == PORT_KEYBOARD_COMMAND && byte == KEYBOARD_PULSE_RESET)
            return true;
    }
    return false;
}
