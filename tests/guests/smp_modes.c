/*
 * smp: code that one CPU rewrites while the others execute it, with the local APICs in different modes. A hypervisor
 * that lets each page be written or executed, not both, must get each CPU out of the guest, whatever the mode of its
 * APIC and of the writer's. SDM "Local x2APIC State Transitions", "Enabling or Disabling the Local APIC".
 */
#include "smp.h"

#define IA32_APIC_BASE 0x1bu
#define APIC_DISABLED 0x000u
#define APIC_XAPIC 0x800u
#define APIC_X2APIC 0xc00u

#define VERSIONS 5u /* in each round */
#define RESTARTS 12u

/* MOV EAX, version; RET: the version is an aligned doubleword. */
static NOINIT __attribute__((aligned(4096))) volatile uint8_t page[4096];
static volatile uint32_t *const version = (volatile uint32_t *)&page[4];

static volatile uint32_t writer, wanted, over, wrong;

static uint32_t call_page(void)
{
    return ((uint32_t(*)(void))(uintptr_t)&page[3])();
}

/* Runs without a VM exit of its own. */
static void follow(uint32_t cpu)
{
    uint32_t seen = cpus[cpu].sum;
    while (!over) {
        uint32_t value = call_page();
        if (value < seen)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
        cpus[cpu].sum = seen = value;
    }
}

static void rewrite(void)
{
    for (uint32_t i = 0; i < VERSIONS; i++) {
        *version = ++wanted;
        for (uint32_t n = 0; n < options.cpus; n++)
            while (n != writer && cpus[n].sum != wanted)
                __asm__ volatile("pause");
    }
    over = 1;
}

static void follow_or_write(uint32_t cpu)
{
    if (cpu == writer)
        rewrite();
    else
        follow(cpu);
}

static void change_memory_types(void)
{
    static uint64_t type = 0x6; /* write-back; and uncacheable */
    type ^= 0x6;
    msr_set(0x20e, 0xd0000000ull | type); /* IA32_MTRR_PHYSBASE7: no memory is there */
    msr_set(0x20f, 0xfff000800ull);       /* 16 MiB; valid */
}

/* Every CPU follows what each CPU writes. */
static void round(const char *what)
{
    for (uint32_t n = 0; n < options.cpus; n++) {
        over = 0;
        writer = n;
        cpus_run(follow_or_write);
    }
    expect(what, wrong, 0);
}

/* --- modes --- */

static volatile uint32_t new_mode;

static void mode_set(uint32_t cpu)
{
    (void)cpu;
    msr_set(IA32_APIC_BASE, (msr_get(IA32_APIC_BASE) & ~(uint64_t)APIC_X2APIC) | new_mode);
    if (new_mode != APIC_DISABLED)
        apic_on();
}

static void change(uint32_t cpu, uint32_t mode)
{
    new_mode = mode;
    if (cpu == 0) {
        mode_set(0);
        return;
    }
    cpu_ask(cpu, mode_set);
    cpu_wait(cpu);
}

/* The CPU is started again and again by one whose local APIC is in x2APIC mode, while the others execute code and wait
 * for it to change it. */
static void restart(uint32_t cpu)
{
    uint32_t starts = cpus[cpu].starts;
    over = 0;
    for (uint32_t n = 1; n < options.cpus; n++)
        cpu_ask(n, follow);
    for (uint32_t i = 0; i < RESTARTS; i++) {
        *version = ++wanted;
        cpu_start(cpu);
        cpu_ask(cpu, follow);
        ap_pause(500 + 16 * i);
    }
    over = 1;
    for (uint32_t n = 1; n < options.cpus; n++)
        cpu_wait(n);
    expect("restarts, in different modes", cpus[cpu].starts, starts + RESTARTS);
}

void smp_modes(void)
{
    uint32_t last = options.cpus - 1;
    page[3] = 0xb8;
    page[8] = 0xc3;
    round("all in xAPIC mode: wrong values");
    change(0, APIC_X2APIC);
    round("the first in x2APIC mode: wrong values");
    restart(last);
    change_memory_types();
    change(1, APIC_X2APIC);
    round("and the second: wrong values");
    change_memory_types();
    change(last, APIC_DISABLED);
    round("the last one's is disabled: wrong values");
    change_memory_types();
    change(0, APIC_DISABLED);
    round("and the first one's: wrong values");
    change_memory_types();
    change(last, APIC_XAPIC);
    change(last, APIC_X2APIC);
    change(0, APIC_XAPIC);
    round("the first in xAPIC mode: wrong values");
    restart(last);
}
