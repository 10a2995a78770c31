/* Kind: shell */
/* The ways in which the machine goes down: the trace leaves first. */
#include "base/io.h"
#include "base/log.h"
#include "base/msr.h"
#include "vmx/cpu.h"
#include "vmx/summons.h"
#include "vmx/vmcs.h"

#define PORT_RESET_CONTROL 0xcf9
#define PORT_KEYBOARD_COMMAND 0x64
#define KEYBOARD_PULSE_RESET 0xfe
#define RESET_FULL 0x0e
#define RESET_WAIT_TSC 100000000u

void power_flush(struct cpu *cpu)
{
    summons_flush_all(cpu);
}

void power_say_sleep(void)
{
    machine.sleeps = true;
    log_line("the guest puts the machine to sleep: the trace ends here, what runs when it wakes may not be traced");
}

/* Where S1 ends, or a chipset does not do what it was told to. */
void power_survived(struct cpu *cpu)
{
    pt_flush_over(cpu->pt);
    if (machine.sleeps)
        log_line("the guest is awake again, and is traced on if the receiver is still there");
    machine.sleeps = false;
    summons_flush_over();
}

void power_fail(struct cpu *cpu)
{
    summons_stop_all(cpu);
}

static void wait_for_reset(void)
{
    const uint64_t start = tsc_read();

    while (tsc_read() - start < RESET_WAIT_TSC)
        io_pause();
}

/* As firmware would: the port that the FADT names, the chipset's, the keyboard controller's. */
_Noreturn void power_reset(struct cpu *cpu)
{
    const struct vmx_ports *ports = &machine.config.ports;

    power_flush(cpu);
    if (ports->reset_port) {
        io_out8(ports->reset_port, ports->reset_value);
        wait_for_reset();
    }
    io_out8(PORT_RESET_CONTROL, RESET_FULL);
    wait_for_reset();
    io_out8(PORT_KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
    wait_for_reset();
    log_panic("the machine does not reset; the CPU is parked");
    cpu_park();
}

/* As without us the CPU would enter shutdown, and the chipset reset the machine. */
enum exit_action triple_fault_exit(struct cpu *cpu)
{
    if (machine.config.stop_at_triple_fault)
        fail_stop(cpu, "guest triple fault");
    log_panic("guest triple fault on CPU %u at %lx: the machine is reset", cpu->number, vmreadn(VMCS_GUEST_RIP));
    power_reset(cpu);
}
