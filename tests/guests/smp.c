/*
 * smp: all CPUs at once. The first starts the others by INIT-SIPI-SIPI; all run branches of their own, send each other
 * interrupts and NMIs, each of which must arrive exactly once, run code that the first patches, with and without a
 * handshake, are taken offline (CLI, HLT), or stopped where they are, and started again; the last one makes the end.
 *
 * Command line: cpus=N (1), x2apic, rounds=N of the first work (20000), small (less of all else, and only lines about
 * what is wrong, for a CPU that takes a thousand times as long for each instruction), stops=N (300; small: 0), restarts
 * (smp_storm.c), logical: INITs go to logical IDs, modes: the starts, and smp_modes.c instead of all else; nmis=N: the
 * starts, and smp_nmis.c instead of all else; sipis=N: the same with smp_starts.c, pauses: and a pause after each INIT;
 * patches: the same with the code that changes only; and an end: cf9, keyboard, triple; else power-off.
 */
#include "smp.h"

struct cpu cpus[MAX_CPUS];
struct options options = {1, 20000, 300, 0, 0, false, false, false, false, false, false, false, 'o'};
uint64_t failures;

static NOINIT __attribute__((aligned(16))) uint8_t stacks[MAX_CPUS][16384];

/* This CPU's local APIC. */
static bool in_x2apic(void)
{
    return options.modes ? msr_get(0x1b) & 0x400 : options.x2apic;
}

uint32_t self(void)
{
    return in_x2apic() ? (uint32_t)msr_get(0x802) : *(volatile uint32_t *)(uintptr_t)0xfee00020u >> 24;
}

uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void ipi(uint32_t cpu, uint32_t command)
{
    (in_x2apic() ? ipi_x2apic : ipi_xapic)(cpu, command);
}

/* To a physical ID, or to a logical one: APIC IDs are those of one cluster. */
void ipi_init(uint32_t cpu)
{
    if (options.logical)
        ipi(1u << cpu, IPI_LOGICAL | IPI_INIT);
    else
        ipi(cpu, IPI_INIT);
}

void expect(const char *what, uint64_t is, uint64_t should)
{
    if (options.small && is == should)
        return;
    console_text("smp: ");
    console_line(what, is);
    if (is != should) {
        __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
        console_line("smp: WRONG, should be", should);
    }
}

/* --- interrupts --- */

static __attribute__((interrupt)) void on_interrupt(struct interrupt_frame *frame)
{
    (void)frame;
    cpus[self()].interrupts++;
    if (in_x2apic())
        msr_set(0x80b, 0);
    else
        interrupt_end();
}

static __attribute__((interrupt)) void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    cpus[self()].nmis++;
}

/* --- starting --- */

void apic_on(void)
{
    if (options.x2apic)
        msr_set(0x1b, msr_get(0x1b) | 0xc00);
    if (in_x2apic()) {
        msr_set(0x80f, 0x1ff);
        return;
    }
    *(volatile uint32_t *)(uintptr_t)0xfee000f0u = 0x1ff;
    if (options.logical || options.nmis)
        *(volatile uint32_t *)(uintptr_t)0xfee000d0u = 1u << (24 + self()); /* LDR, in the flat model */
}

/* Whatever the first CPU asks for, until there is nothing more. */
static void ap_main(uint64_t number)
{
    struct cpu *cpu = &cpus[number];
    uint32_t seen = cpu->done;
    apic_on();
    cpu->starts++;
    for (;;) {
        while (cpu->asked == seen)
            __asm__ volatile("pause");
        seen = cpu->asked;
        __asm__ volatile("sti");
        cpu->task((uint32_t)number);
        __asm__ volatile("cli");
        cpu->done = seen;
    }
}

static void prepare(uint32_t number)
{
    cpus[number].done = cpus[number].asked;
    ap_prepare(AP_PAGE, ap_main, number, (uint64_t)(uintptr_t)&stacks[number][sizeof(stacks[0])]);
}

bool cpu_restart(uint32_t number, uint64_t patience_tsc)
{
    uint32_t starts = cpus[number].starts;
    uint64_t begun = tsc();
    prepare(number);
    ipi_init(number);
    ipi(number, IPI_SIPI | AP_PAGE >> 12);
    ap_pause(100);
    if (cpus[number].starts == starts)
        ipi(number, IPI_SIPI | AP_PAGE >> 12);
    while (cpus[number].starts == starts && tsc() - begun < patience_tsc)
        __asm__ volatile("pause");
    return cpus[number].starts != starts;
}

void cpu_start(uint32_t number)
{
    uint32_t starts = cpus[number].starts;
    prepare(number);
    ipi_init(number);
    ap_pause(300);
    ipi(number, IPI_SIPI | AP_PAGE >> 12);
    ap_pause(100);
    if (cpus[number].starts == starts)
        ipi(number, IPI_SIPI | AP_PAGE >> 12);
    while (cpus[number].starts == starts)
        __asm__ volatile("pause");
}

void cpu_ask(uint32_t number, void (*task)(uint32_t cpu))
{
    cpus[number].task = task;
    __atomic_fetch_add(&cpus[number].asked, 1, __ATOMIC_SEQ_CST);
}

void cpu_wait(uint32_t number)
{
    while (cpus[number].done != cpus[number].asked)
        __asm__ volatile("pause");
}

/* The task on all CPUs, the first among them, at once. */
void cpus_run(void (*task)(uint32_t cpu))
{
    for (uint32_t n = 1; n < options.cpus; n++)
        cpu_ask(n, task);
    __asm__ volatile("sti");
    task(0);
    for (uint32_t n = 1; n < options.cpus; n++)
        cpu_wait(n);
    __asm__ volatile("cli");
}

/* --- the story --- */

static void work(uint32_t cpu)
{
    uint32_t state = 7 + cpu, sum = 0;
    for (uint32_t i = 0; i < options.rounds; i++) {
        uint32_t random = random_next(&state);
        if (random & 4)
            sum += random;
        if (random & 8)
            sum ^= 5 + cpu;
    }
    cpus[cpu].sum = sum;
}

static void work_all(void)
{
    cpus_run(work);
    for (uint32_t n = 0; n < options.cpus; n++) {
        uint32_t sum = cpus[n].sum;
        if (n == 0)
            continue;
        work(n); /* once more, here */
        expect("work, as on the first CPU", sum, cpus[n].sum);
    }
}

static void options_read(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    command_line_has(line, "cpus=", &options.cpus);
    command_line_has(line, "rounds=", &options.rounds);
    command_line_has(line, "nmis=", &options.nmis);
    command_line_has(line, "sipis=", &options.sipis);
    options.x2apic = command_line_has(line, "x2apic", NULL);
    options.small = command_line_has(line, "small", NULL);
    if (!command_line_has(line, "stops=", &options.stops) && options.small)
        options.stops = 0;
    options.restarts = command_line_has(line, "restarts", NULL);
    options.modes = command_line_has(line, "modes", NULL);
    options.logical = command_line_has(line, "logical", NULL);
    options.patches = command_line_has(line, "patches", NULL);
    options.pauses = command_line_has(line, "pauses", NULL);
    options.end = command_line_has(line, "cf9", NULL)        ? 'c'
                  : command_line_has(line, "keyboard", NULL) ? 'k'
                  : command_line_has(line, "triple", NULL)   ? 't'
                                                             : 'o';
}

static void end(uint32_t cpu)
{
    expect("the end, on the last CPU", cpu, options.cpus - 1);
    console_text(failures ? "smp: FAILED\r\n" : "smp: ok\r\n");
    switch (options.end) {
    case 'c':
        machine_reset_cf9();
        break;
    case 'k':
        machine_reset_keyboard();
        break;
    case 't':
        machine_triple_fault();
        break;
    default:
        machine_power_off();
    }
}

void guest_main(const uint8_t *boot_params)
{
    options_read(boot_params);
    machine_start(boot_params);
    console_line("smp: CPUs", options.cpus);
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    apic_on();
    interrupt_set(2, (void *)on_nmi, 0);
    interrupt_set(VECTOR, (void *)on_interrupt, 0);
    for (uint32_t n = 1; n < options.cpus; n++) {
        cpu_start(n);
        expect("started", cpus[n].starts, 1);
    }
    if (options.modes) {
        smp_modes();
    } else if (options.nmis) {
        smp_nmis();
    } else if (options.patches) {
        smp_patches();
    } else if (options.sipis) {
        smp_starts();
    } else {
        work_all();
        smp_interrupts();
        smp_patches();
        smp_offline();
        smp_storms();
    }
    if (options.cpus == 1)
        end(0);
    cpu_ask(options.cpus - 1, end);
    for (;;)
        __asm__ volatile("cli; hlt");
}
