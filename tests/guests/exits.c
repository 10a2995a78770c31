/*
 * exits: leaves non-root operation many times, by CPUID, and does little else: what an exit and an entry cost.
 * Hardware guarantees that each CPUID exits.
 */
#include "machine.h"

/* tests/system/boot/stick.sh boots it from OVMF too, which unpacks itself at 16 MiB, where other guests are. */
__asm__(".globl guest_place\n"
        "guest_place = 0x4000000");

#define EXITS 20000u

void guest_main(const uint8_t *boot_params)
{
    uint32_t sum = 0;
    machine_start(boot_params);
    for (uint32_t i = 0; i < EXITS; i++) {
        uint32_t a = 0, b, c = 0, d;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        sum += a;
    }
    console_line("exits: sum", sum);
    console_text("exits: ok\r\n");
}
