/*
 * clocks: two CPUs that take turns, while each writes its time-stamp counter, ahead and back, by either MSR. What a CPU
 * reads afterwards is what it wrote; in a trace the turns must keep their order.
 *
 * Hardware guarantees that a write of IA32_TIME_STAMP_COUNTER or IA32_TSC_ADJUST changes both by the same number, on
 * the logical processor that writes. SDM Volume 3, "Time-Stamp Counter Adjustment".
 *
 * Command line: rounds=N of turns after each write (20), still: nothing is written.
 */
#include "ap.h"
#include "machine.h"

#define TSC 0x10u
#define TSC_ADJUST 0x3bu
#define AP_PAGE 0x9000u
#define MOMENT 10000000u /* more ticks than pass between two reads here */

static NOINIT __attribute__((aligned(16))) uint8_t stack[16384];
static volatile uint32_t turn, asked, done;
static void (*volatile task)(void);
static uint32_t rounds = 20, failures;

static void expect(const char *what, bool holds)
{
    console_text("clocks: ");
    console_text(what);
    console_text(holds ? ": yes\r\n" : ": NO\r\n");
    failures += !holds;
}

/* --- turns --- */

/* The test finds the calls of this function in the trace. */
__attribute__((noinline, noclone)) void turn_mark(void);
void turn_mark(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Under a hypervisor CPUID exits, and at each VM entry PT writes the time. */
static void serialize(void)
{
    uint32_t leaf = 0;
    __asm__ volatile("cpuid" : "+a"(leaf) : : "ebx", "ecx", "edx", "memory");
}

static void take_turns(uint32_t cpu)
{
    for (uint32_t i = 0; i < rounds; i++) {
        while ((turn & 1) != cpu)
            __asm__ volatile("pause");
        serialize();
        turn_mark();
        serialize();
        turn++;
    }
}

/* --- the other CPU --- */

static void other_turns(void)
{
    take_turns(1);
}

static void other_main(uint64_t argument)
{
    (void)argument;
    for (uint32_t seen = 0;;) {
        while (asked == seen)
            __asm__ volatile("pause");
        seen = asked;
        task();
        done = seen;
    }
}

static void start(void (*what)(void))
{
    task = what;
    __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
}

static void finish(void)
{
    while (done != asked)
        __asm__ volatile("pause");
}

static void on_other(void (*what)(void))
{
    start(what);
    finish();
}

static void all_turns(void)
{
    start(other_turns);
    take_turns(0);
    finish();
}

/* --- writes --- */

static uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static void adjust(const char *what, uint64_t change)
{
    const uint64_t adjusted = msr_get(TSC_ADJUST), before = tsc();
    msr_set(TSC_ADJUST, adjusted + change);
    expect(what, tsc() - before - change < MOMENT && msr_get(TSC_ADJUST) == adjusted + change);
}

static void set(const char *what, uint64_t value)
{
    const uint64_t adjusted = msr_get(TSC_ADJUST), before = tsc();
    msr_set(TSC, value);
    expect(what, tsc() - value < MOMENT && before + (msr_get(TSC_ADJUST) - adjusted) - value + MOMENT < 2 * MOMENT);
}

static void other_ahead(void)
{
    adjust("IA32_TSC_ADJUST of CPU 1, ahead", 5000000000);
}

static void other_back(void)
{
    set("IA32_TIME_STAMP_COUNTER of CPU 1, back", 2000000);
}

static void other_read(void)
{
    expect("CPU 1 can read what it wrote", msr_get(TSC) - tsc() + MOMENT < 2 * MOMENT);
}

/* --- the story --- */

static void start_other(void)
{
    APIC(0xf0) = 0x1ff;
    ap_prepare(AP_PAGE, other_main, 1, (uint64_t)(uintptr_t)&stack[sizeof(stack)]);
    ipi_xapic(1, IPI_INIT);
    ap_pause(300);
    ipi_xapic(1, IPI_SIPI | AP_PAGE >> 12);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    machine_start(boot_params);
    command_line_has(line, "rounds=", &rounds);
    start_other();
    all_turns();
    if (!command_line_has(line, "still", NULL)) {
        on_other(other_ahead);
        all_turns();
        adjust("IA32_TSC_ADJUST of CPU 0, back", -(uint64_t)300000);
        all_turns();
        on_other(other_back);
        all_turns();
        set("IA32_TIME_STAMP_COUNTER of CPU 0, ahead", 1ull << 40);
        all_turns();
        on_other(other_read);
    }
    expect("turns", turn == (command_line_has(line, "still", NULL) ? 2 : 10) * rounds);
    console_text(failures ? "clocks: FAILED\r\n" : "clocks: ok\r\n");
}
