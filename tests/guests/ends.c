/*
 * ends: random branches, one call of ends_here, then some more branches, and the end that the command line names first:
 * "cf9" and "keyboard" reset the machine, "triple" is a triple fault, "sleep" is S3, "doze" a sleep that the chipset
 * does not know, "nap" the same with some work after it, "off" (and nothing) powers off. A number after it is how
 * many rounds the first branches take.
 *
 * ends_here has a page of its own: pt.trigger= of it costs nothing elsewhere.
 */
#include "machine.h"

void ends_here(void);
__asm__(".pushsection .text.ends, \"ax\"\n"
        "    .balign 4096\n"
        "    .globl ends_here\n"
        "ends_here:\n"
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

static uint32_t number(const char *text)
{
    uint32_t value = 0;
    while (*text && *text != ' ')
        text++;
    while (*text == ' ')
        text++;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (uint32_t)(*text - '0');
    return value;
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    uint32_t rounds = number(line);
    machine_start(boot_params);
    console_line("ends: before", work(rounds ? rounds : 1000000));
    ends_here();
    console_line("ends: after", work(200000));
    console_text("ends: now\r\n");
    switch (*line) {
    case 'c':
        machine_reset_cf9();
        break;
    case 'k':
        machine_reset_keyboard();
        break;
    case 't':
        machine_triple_fault();
        break;
    case 's':
        machine_sleep(1);
        break;
    case 'n':
        machine_sleep(5);
        console_line("ends: awake", work(1500000));
        break;
    case 'd':
        machine_sleep(5);
        console_line("ends: awake", work(200000));
        break;
    }
}
