/* Kind: shell */
/* The ways in which the machine goes down: the trace is handed over first. */
#include "vmx/smp/power.h"

#include "base/io.h"
#include "base/log.h"
#include "base/msr.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/smp/requests.h"

#define PORT_RESET_CONTROL 0xcf9
#define PORT_KEYBOARD_COMMAND 0x64
#define KEYBOARD_PULSE_RESET 0xfe
#define RESET_FULL 0x0e
#define RESET_WAIT_TSC 100000000u

void power_flush(struct cpu *cpu)
{
    requests_flush_all(cpu);
}

void power_announce_sleep(void)
{
    requests_will_sleep(true);
    log_line(
        "the guest puts the machine to sleep: the trace ends here; code that runs after the wake-up may not be traced");
}

/* The machine wakes from S1, or the chipset has ignored the write. */
void power_survived(struct cpu *cpu)
{
    pt_flush_over(cpu->pt);
    if (requests_sleep())
        log_line("the guest has woken up; tracing continues if the receiver is still there");
    requests_will_sleep(false);
    requests_flush_over();
}

void power_fail(struct cpu *cpu)
{
    requests_stop_all(cpu);
}

static void wait_for_reset(void)
{
    const uint64_t start = tsc_read();

    while (tsc_read() - start < RESET_WAIT_TSC)
        io_pause();
}

/* By the FADT's reset register, then the chipset's, then the keyboard controller. */
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
    log_panic("the machine does not reset; this CPU is parked");
    cpu_park();
}

/* On bare hardware the CPU would enter shutdown, and the chipset would reset the machine. */
enum exit_action triple_fault_exit(struct cpu *cpu)
{
    if (machine.config.stop_at_triple_fault)
        fail_stop(cpu, "guest triple fault");
    log_panic("guest triple fault on CPU %u at %lx: the machine is reset", cpu->number, vmreadn(VMCS_GUEST_RIP));
    power_reset(cpu);
}
