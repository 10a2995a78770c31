/*
 * smp: CPUs in each other's way. A hypervisor that lets each page be written or executed, not both, must let each CPU
 * come to its turn; and of the INITs by which its CPUs call each other and those of the guest none may get lost.
 */
#include "smp.h"

/* In time: many times what it takes. */
#define PATIENCE_TSC 40000000ull

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

/* --- the second CPU is stopped again and again, while the third and all later ones change code --- */

static NOINIT __attribute__((aligned(4096))) volatile uint8_t own[MAX_CPUS][4096];
static volatile uint32_t over, never;

static void change_code(uint32_t cpu)
{
    own[cpu][0] = 0xc3; /* RET */
    while (!over) {
        own[cpu][2048]++;
        ((void (*)(void))(uintptr_t)&own[cpu][0])();
    }
}

/* With exits of its own: an INIT often finds it in root, and another CPU calls it as soon as it comes from there. */
static void count(uint32_t cpu)
{
    while (!never) {
        uint32_t eax = 0, ebx, ecx = 0, edx;
        __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
        ap_pause(cpus[cpu].sum % 16);
        cpus[cpu].sum++;
    }
}

static bool is_stopped(uint32_t cpu)
{
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t before = cpus[cpu].sum;
        ap_pause(100);
        if (cpus[cpu].sum == before)
            return true;
    }
    return false;
}

static void stops(void)
{
    uint32_t state = 3, stopped = 0;
    over = 0;
    for (uint32_t n = 2; n < options.cpus; n++)
        cpu_ask(n, change_code);
    for (uint32_t i = 0; i < options.stops && stopped == i; i++) {
        cpu_start(1);
        cpu_ask(1, count);
        ap_pause(500 + random_next(&state) % 256);
        ipi_init(1);
        stopped += is_stopped(1);
    }
    over = 1;
    for (uint32_t n = 2; n < options.cpus; n++)
        cpu_wait(n);
    cpu_start(1);
    expect("stops, while others change code", stopped, options.stops);
}

/* The same, but the SIPI comes right after the INIT: a later read of the ICR no longer shows the INIT. */
static void restarts(void)
{
    uint32_t state = 5, restarted = 0;
    over = 0;
    for (uint32_t n = 2; n < options.cpus; n++)
        cpu_ask(n, change_code);
    for (uint32_t i = 0; i < options.stops && restarted == i; i++) {
        restarted += cpu_restart(1, 10 * PATIENCE_TSC);
        cpu_ask(1, i % 2 ? change_code : count);
        ap_pause(500 + random_next(&state) % 256);
    }
    over = 1;
    for (uint32_t n = 2; n < options.cpus; n++)
        cpu_wait(n);
    cpu_start(1);
    expect("restarts, while others change code", restarted, options.stops);
}

void smp_storms(void)
{
    if (options.cpus >= 2 && !options.small) /* it is judged by the time that it takes */
        two_pages();
    if (options.cpus >= 3 && options.stops)
        stops();
    if (options.cpus >= 3 && options.restarts)
        restarts();
}
