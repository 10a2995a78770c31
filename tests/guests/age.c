/*
 * age: a guest that writes little trace, in bursts, with long and short halts between: what a machine holds back when
 * it dies is the oldest there. It ends after as many rounds as the command line says. "parks": first the second CPU
 * runs, and then waits for a SIPI that never comes.
 */
#include "ap.h"
#include "machine.h"

#define VECTOR_TIMER 0x40
#define MILLISECOND 50000u /* of the emulated CPU's timer */
#define AP_PAGE 0x5f000u

static volatile uint32_t ticks, ap_done, ap_sum;
static uint8_t ap_stack[4096] __attribute__((aligned(16)));

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
    (void)frame;
    ticks++;
    interrupt_end();
}

/* Some five instructions each, and a packet for every few. */
static uint32_t branches(uint32_t *state, uint32_t rounds)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < rounds; i++)
        if (random_next(state) & 1)
            sum++;
    return sum;
}

static void halt(uint32_t interrupts)
{
    const uint32_t until = ticks + interrupts;
    while (ticks != until)
        __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
}

/* Without a branch, and without an exit. */
static void quiet(uint32_t bytes)
{
    static uint8_t buffer[4096];
    for (uint32_t i = 0; i < bytes; i += sizeof(buffer)) {
        uint64_t count = sizeof(buffer);
        void *to = buffer;
        __asm__ volatile("rep stosb" : "+c"(count), "+D"(to) : "a"(0) : "memory");
    }
}

static void second_cpu(uint64_t argument)
{
    uint32_t state = (uint32_t)argument;
    ap_sum = branches(&state, 30000);
    ap_done = 1;
    for (;;)
        __asm__ volatile("hlt");
}

static void park_second_cpu(void)
{
    ap_prepare(AP_PAGE, second_cpu, 5, (uint64_t)(uintptr_t)(ap_stack + sizeof(ap_stack)));
    ipi_xapic(1, IPI_INIT);
    ap_pause(20000);
    ipi_xapic(1, IPI_SIPI | AP_PAGE / 4096);
    while (!ap_done)
        __asm__ volatile("pause");
    ipi_xapic(1, IPI_INIT);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    uint32_t state = 11, rounds = 0, sum = 0;
    (void)command_line_has(line, "rounds=", &rounds);
    machine_start(boot_params);
    interrupt_set(VECTOR_TIMER, (const void *)on_timer, 0);
    if (command_line_has(line, "parks", NULL))
        park_second_cpu();
    for (uint32_t i = 0; i < rounds; i++) {
        const uint32_t random = random_next(&state);
        timer_start(VECTOR_TIMER, (1 + random % 40) * MILLISECOND);
        sum += branches(&state, random >> 8 & 0x1fff);
        if (random & 0x100000)
            quiet(random & 0xfffff);
        halt(1 + (random >> 21 & 7));
    }
    timer_stop();
    console_line("age: sum", sum);
    console_text("age: ok\r\n");
}
