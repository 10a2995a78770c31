/*
 * drivers: initializes drivers one after another, as a kernel does, while the
 * timer interrupts it. On the command line, "more" adds one driver between the
 * others, which makes every later one allocate other memory; "period=N" is the
 * timer's, in bus cycles: interrupts come elsewhere, and nothing else changes.
 */
#include "machine.h"

#define VECTOR_TIMER 0x40
#define SEPARATE __attribute__((noinline, noclone))

static volatile uint64_t ticks;
static uint32_t allocated, state;

static SEPARATE void count_tick(void)
{
    ticks++;
}

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
    (void)frame;
    count_tick();
    interrupt_end();
}

static SEPARATE void grow_memory(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Each tenth allocation takes another way, as an allocator that needs a new
 * page does. */
static SEPARATE void allocate(void)
{
    if (++allocated % 10 == 0)
        grow_memory();
}

static SEPARATE void wait_for_device(uint32_t turns)
{
    volatile uint32_t odd = 0;
    while (turns-- > 0)
        if (random_next(&state) & 1)
            odd++;
}

static SEPARATE void probe_port(uint32_t port)
{
    allocate();
    wait_for_device(200 + 10 * port);
}

static SEPARATE void disk_init(void)
{
    for (uint32_t port = 0; port < 8; port++)
        probe_port(port);
}

static SEPARATE void more_init(void)
{
    for (uint32_t i = 0; i < 7; i++)
        allocate();
    wait_for_device(500);
}

static SEPARATE void net_init(void)
{
    allocate();
    wait_for_device(1000);
}

static SEPARATE void screen_init(void)
{
    for (uint32_t i = 0; i < 30; i++)
        allocate();
}

static SEPARATE void call_driver(void (*init)(void))
{
    init();
    wait_for_device(100);
}

static SEPARATE void call_drivers(bool more)
{
    call_driver(disk_init);
    if (more)
        call_driver(more_init);
    call_driver(net_init);
    call_driver(screen_init);
}

void guest_main(const uint8_t *boot_params)
{
    uint32_t period = 9000;
    machine_start(boot_params);
    const char *line = command_line(boot_params);
    command_line_has(line, "period=", &period);
    const bool more = command_line_has(line, "more", NULL);
    state = 1;
    interrupt_set(VECTOR_TIMER, (const void *)on_timer, 0);
    timer_start(VECTOR_TIMER, period);
    __asm__ volatile("sti");
    call_drivers(more);
    __asm__ volatile("cli");
    timer_stop();
    console_line("drivers: interrupted", ticks > 0);
    console_text("drivers: ok\r\n");
}
