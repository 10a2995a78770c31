/*
 * rounds: loops of direct jumps only, which iterate until an interrupt: no packet shows how often. Between them,
 * branches that produce packets.
 */
#include "machine.h"

#define VECTOR_TIMER 0x40
#define TICKS_A_LOOP 5u

static volatile uint64_t ticks;
static const char *way_out;

/* `rounds_first` to `rounds_last` hold all of them. */
void loop_of_one(void), loop_of_two(void), loop_that_halts(void);
extern const char loop_of_one_ends[], loop_of_two_ends[], loop_that_halts_ends[];
__asm__(".text\n"
        ".globl rounds_first, rounds_last\n"
        "rounds_first:\n"
        "loop_of_one: jmp loop_of_one\n"
        "loop_of_one_ends: ret\n"
        "loop_of_two: nop\n"
        "1: jmp 2f\n"
        "   nop\n"
        "2: jmp loop_of_two\n"
        "loop_of_two_ends: ret\n"
        "loop_that_halts: hlt\n"
        "   jmp loop_that_halts\n"
        "loop_that_halts_ends: ret\n"
        "rounds_last:\n");

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
    if (++ticks % TICKS_A_LOOP == 0)
        frame->rip = (uint64_t)(uintptr_t)way_out;
    interrupt_end();
}

static void work(uint32_t count)
{
    static uint32_t state = 1;
    volatile uint32_t odd = 0;
    while (count-- > 0)
        if (random_next(&state) & 1)
            odd++;
}

static void go_round(void (*loop)(void), const char *end)
{
    way_out = end;
    timer_start(VECTOR_TIMER, 9000);
    __asm__ volatile("sti" : : : "memory");
    loop();
    __asm__ volatile("cli" : : : "memory");
    timer_stop();
    work(20000);
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    interrupt_set(VECTOR_TIMER, (const void *)on_timer, 0);
    work(20000);
    go_round(loop_of_one, loop_of_one_ends);
    go_round(loop_of_two, loop_of_two_ends);
    go_round(loop_that_halts, loop_that_halts_ends);
    console_line("rounds: ticks", ticks);
}
