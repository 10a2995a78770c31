/* crash: a triple fault. The exception finds no IDT, and so does the double fault that follows. */
#include "machine.h"

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("crash: now\r\n");
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } nothing = {0, 0};
    __asm__ volatile("lidt %0\n\tud2" : : "m"(nothing));
}
