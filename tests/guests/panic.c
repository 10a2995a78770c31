/*
 * panic: random branches, then one call of panic_here, then some more branches. panic_here has a page of its own:
 * pt.trigger= of it costs nothing elsewhere.
 */
#include "machine.h"

void panic_here(void);
__asm__(".pushsection .text.panic, \"ax\"\n"
        "    .balign 4096\n"
        "    .globl panic_here\n"
        "panic_here:\n"
        "    test %rdi, %rdi\n"
        "    jz 1f\n"
        "    nop\n"
        "1:  ret\n"
        "    .balign 4096\n"
        ".popsection");

static uint32_t work(uint32_t rounds)
{
    uint32_t state = 7, sum = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t random = random_next(&state);
        if (random & 4)
            sum += random;
        if (random & 8)
            sum ^= 5;
    }
    return sum;
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_line("panic: before", work(1000000));
    panic_here();
    console_line("panic: after", work(200000));
    console_text("panic: ok\r\n");
}
