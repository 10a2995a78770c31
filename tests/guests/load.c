/*
 * load: fills several megabytes of trace, so that ToPA regions fill, PMIs arrive and the wire becomes the bottleneck.
 * Hardware guarantees that each indirect call is a TIP packet of at least three bytes and each random conditional
 * branch a TNT bit.
 */
#include "machine.h"

#define ITERATIONS 1000000u

static uint32_t up(uint32_t x)
{
    return x + 1;
}
static uint32_t twice(uint32_t x)
{
    return x * 2 + 3;
}
static uint32_t turn(uint32_t x)
{
    return x << 7 | x >> 25;
}
static uint32_t odd(uint32_t x)
{
    return x & 1 ? x * 3 + 1 : x / 2;
}
static uint32_t (*const functions[4])(uint32_t) = {up, twice, turn, odd};

void guest_main(const uint8_t *boot_params)
{
    uint32_t state = 1, sum = 0;
    machine_start(boot_params);
    console_text("load: start\r\n");
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        uint32_t random = random_next(&state);
        sum = functions[random & 3](sum);
        if (random & 0x10)
            sum ^= random;
        if ((random & 0x60) == 0x20)
            sum += 7;
    }
    console_line("load: sum", sum);
    console_text("load: ok\r\n");
}
