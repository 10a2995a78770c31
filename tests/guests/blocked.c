/*
 * blocked: writes trace in each state in which an NMI waits, is blocked, or wakes the processor: interrupts off, after
 * STI and MOV SS, in a handler of an NMI, halted, between instructions that exit. A PMI of a hypervisor that traces it
 * must change nothing: a halt ends with the interrupt that it awaited, NMIs come once and not into their own handler.
 *
 * Hardware guarantees that (SDM "Masking Exceptions and Interrupts When Switching Stacks", "Handling Multiple NMIs",
 * "HLT").
 */
#include "machine.h"

#define ICR_NMI_SELF 0x4400u
#define VECTOR_TIMER 0x40

static volatile uint64_t nmis, depth, deepest, ticks;
static uint64_t failures;
static uint32_t state = 1;

static void expect(const char *what, uint64_t is, uint64_t should)
{
    console_line(what, is);
    if (is == should)
        return;
    console_line("blocked: IS WRONG, it should be", should);
    failures++;
}

static void nmi_send(void)
{
    APIC(0x310) = APIC(0x20);
    APIC(0x300) = ICR_NMI_SELF;
}

/* On each second call, sends itself one more, which is blocked, and runs for long. */
static __attribute__((interrupt)) void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    depth++;
    if (depth > deepest)
        deepest = depth;
    if (++nmis & 1)
        nmi_send();
    indirect_calls(&state, 2000);
    depth--;
}

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
    (void)frame;
    ticks++;
    interrupt_end();
}

/* STI and MOV SS, each followed by an instruction that writes a packet, and by some that do not. */
static void shadows(uint32_t count)
{
    while (count-- > 0) {
        uint64_t to;
        __asm__ volatile("leaq 1f(%%rip), %0\n\t"
                         "sti\n\t"
                         "jmp *%0\n"
                         "1:\tcli\n\t"
                         "leaq 2f(%%rip), %0\n\t"
                         "movl %%ss, %%ecx\n\t"
                         "movl %%ecx, %%ss\n\t"
                         "jmp *%0\n"
                         "2:\n\t"
                         ".rept 10\n\t"
                         "movl %%ecx, %%ss\n\t"
                         "nop\n\t"
                         "sti\n\t"
                         "movl %%ecx, %%ss\n\t"
                         "cli\n\t"
                         ".endr"
                         : "=&r"(to)
                         :
                         : "rcx", "memory");
    }
}

/* A halt ends with one interrupt: an NMI that woke it would end it before. */
static void halts(uint32_t count)
{
    uint64_t early = 0;
    ticks = 0;
    timer_start(VECTOR_TIMER, 9000);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t before = ticks;
        indirect_calls(&state, 200);
        __asm__ volatile("sti; hlt; cli" : : : "memory");
        early += ticks == before;
    }
    timer_stop();
    expect("blocked: halts that ended without an interrupt:", early, 0);
}

static void exits(uint32_t count)
{
    while (count-- > 0) {
        uint32_t eax = 0, ebx, ecx = 0, edx;
        __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
        indirect_calls(&state, random_next(&state) & 7);
    }
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("blocked: start\r\n");
    interrupt_set(2, (void *)on_nmi, 0);
    interrupt_set(VECTOR_TIMER, (void *)on_timer, 0);
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    APIC(0xf0) = 0x1ff;
    indirect_calls(&state, 200000); /* interrupts off */
    shadows(60000);
    for (unsigned i = 0; i < 40; i++) {
        nmi_send();
        indirect_calls(&state, 100);
    }
    expect("blocked: NMIs:", nmis, 80);
    expect("blocked: NMIs in the handler of one:", deepest - 1, 0);
    halts(3000);
    exits(20000);
    if (failures == 0)
        console_text("blocked: ok\r\n");
}
