/* The ways in which the machine goes down: the trace leaves first. */
#include "vmx/power.h"

#include "pt/msr.h"
#include "serial/io.h"
#include "serial/log.h"
#include "vmx/cpu.h"

#define PORT_RESET_CONTROL 0xcf9
#define PORT_KEYBOARD_COMMAND 0x64
#define KEYBOARD_PULSE_RESET 0xfe
#define RESET_FULL 0x0e
#define RESET_WAIT_TSC 100000000u

void power_flush(struct cpu *cpu)
{
    size_t length = 0;
    uint64_t total = 0;

    for (unsigned i = 0; i < NR_EXIT_REASONS; i++) {
        total += cpu->exits[i];
        if (cpu->exits[i] == 0)
            continue;
        length += format_text(cpu->text + length, sizeof cpu->text - length, "exit.%s %llu\n", exit_reason_name(i),
                              (unsigned long long)cpu->exits[i]);
    }
    length += format_text(cpu->text + length, sizeof cpu->text - length, "exits %llu\n", (unsigned long long)total);
    pt_flush_begin(cpu->pt);
    pt_flush_wait(cpu->pt);
    pt_flush_end(cpu->pt, cpu->text, (uint32_t)length);
    pt_flush_wait(cpu->pt);
}

_Noreturn void power_park(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

static void wait_for_reset(void)
{
    const uint64_t start = tsc_read();

    while (tsc_read() - start < RESET_WAIT_TSC)
        io_pause();
}

/* As firmware would: the port that the FADT names, the chipset's, the keyboard controller's. */
static _Noreturn void machine_reset(void)
{
    if (vmx_machine.ports.reset_port) {
        io_out8(vmx_machine.ports.reset_port, vmx_machine.ports.reset_value);
        wait_for_reset();
    }
    io_out8(PORT_RESET_CONTROL, RESET_FULL);
    wait_for_reset();
    io_out8(PORT_KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
    wait_for_reset();
    log_panic("the machine does not reset; the CPU is parked");
    power_park();
}

/* Bare metal enters shutdown, and the chipset resets the machine. Who traces wants to see it: park instead. */
enum exit_action triple_fault_exit(struct cpu *cpu)
{
    fail_stop(cpu, "guest triple fault"); /* VISIBLE: parked, not reset */
}

enum exit_action init_exit(struct cpu *cpu)
{
    log_line("INIT on CPU %u: the machine is reset", cpu->number);
    power_flush(cpu);
    machine_reset();
}
