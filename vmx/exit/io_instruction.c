/* Kind: shell */
/*
 * Accesses to the few ports that exit (vmx/policy/io_ports.c): power-off and reset, where the trace is handed over
 * before the access is performed; PCI configuration and a UART, which hide devices of ours.
 */
#include "vmx/exit/io_instruction.h"

#include "base/io.h"
#include "base/log.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/policy/io_ports.h"
#include "vmx/smp/power.h"

#define CONFIG_ENABLE (1u << 31)
#define CONFIG_BDF(address) (uint16_t)((address) >> 8)

static uint32_t config_address; /* what the guest wrote to 0CF8H. The machine's lock guards it */

static uint32_t port_in(struct io_access a)
{
    return a.size == 1 ? io_in8(a.port) : a.size == 2 ? io_in16(a.port) : io_in32(a.port);
}

static void port_out(struct io_access a, uint32_t value)
{
    if (a.size == 1)
        io_out8(a.port, (uint8_t)value);
    else if (a.size == 2)
        io_out16(a.port, (uint16_t)value);
    else
        io_out32(a.port, value);
}

static bool is_hidden(uint16_t bdf)
{
    for (unsigned i = 0; i < machine.config.ports.nr_hidden; i++)
        if (machine.config.ports.hidden_bdf[i] == bdf)
            return true;
    return false;
}

/* CONFIG_ADDRESS. The address of a hidden function is written without its enable bit. The access to 0CFCH that follows
 * then finds no function, and need not exit. */
static bool config_address_access(struct cpu *cpu, struct io_access a, uint32_t *value)
{
    if (a.port != PORT_CONFIG_ADDRESS || a.size != 4 || machine.config.ports.nr_hidden == 0)
        return false;
    machine_lock(cpu);
    if (a.in) {
        *value = config_address;
    } else {
        const bool hidden = (*value & CONFIG_ENABLE) && is_hidden(CONFIG_BDF(*value));
        config_address = *value;
        io_out32(PORT_CONFIG_ADDRESS, hidden ? *value & ~CONFIG_ENABLE : *value);
    }
    machine_unlock(cpu);
    return true;
}

uint32_t io_access_perform(struct cpu *cpu, struct io_access a, uint32_t value)
{
    if (io_port_is_hidden(&machine.config.ports, a.port))
        return a.in ? io_mask(a) : value;
    if (config_address_access(cpu, a, &value))
        return value;
    if (a.in)
        return port_in(a);
    const bool ends = io_write_ends(&machine.config.ports, a.port, a.size, value);
    if (ends && io_write_sleeps(&machine.config.ports, a.port, a.size, value))
        power_announce_sleep();
    if (ends)
        power_flush(cpu);
    port_out(a, value);
    if (ends)
        power_survived(cpu);
    return value;
}
