/*
 * smp: CPUs in each other's way. A hypervisor that lets each page be written or executed, not both, must let each CPU
 * come to its turn.
 */
#include "smp.h"

/* In time: many times what it takes. */
#define PATIENCE_TSC 40000000ull

static uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* --- an instruction on two pages that the other CPUs write all the time: it needs both at once --- */

#define CALLS 20u

static volatile uint8_t pages[2][4096] __attribute__((aligned(4096)));
static volatile uint32_t calls, calls_in_time;
static uint64_t begun;

static void call_both(void)
{
    while (calls < CALLS) {
        ((uint32_t(*)(void))(uintptr_t)&pages[0][4094])();
        calls++;
    }
}

static void write_both(uint32_t i)
{
    while (calls < CALLS && tsc() - begun < PATIENCE_TSC)
        pages[i++ % 2][2048]++;
    calls_in_time = calls;
}

static void write_or_call(uint32_t cpu)
{
    if (cpu == options.cpus - 1)
        call_both();
    else
        write_both(cpu);
}

static void two_pages(void)
{
    static const uint8_t function[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* MOV EAX, 1; RET */
    for (uint32_t i = 0; i < sizeof(function); i++)
        pages[(4094 + i) / 4096][(4094 + i) % 4096] = function[i];
    begun = tsc();
    cpus_run(write_or_call);
    expect("calls on two pages that others write", calls_in_time, CALLS);
}

void smp_storms(void)
{
    if (options.cpus >= 2)
        two_pages();
}
