/*
 * ptwrite: PTWRITE of 32 and 64 bits, from registers and memory, between branches. Hardware guarantees that it does
 * nothing but write a packet, and not even that where IA32_RTIT_CTL.PTWEn is 0 (SDM Vol. 2, "PTWRITE").
 */
#include "machine.h"

#define ROUNDS 500u

static volatile uint32_t in_memory;

static void put(uint64_t value)
{
    __asm__ volatile("ptwriteq %0" : : "r"(value));
    __asm__ volatile("ptwritel %0" : : "r"((uint32_t)value + 1));
    in_memory = (uint32_t)value + 2;
    __asm__ volatile("ptwritel %0" : : "m"(in_memory));
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("ptwrite: start\r\n");
    for (uint64_t i = 0; i < ROUNDS; i++)
        put(0x123456700000000ull + 16 * i);
    console_text("ptwrite: ok\r\n");
}
