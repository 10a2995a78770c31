/*
 * steps: a guest that steps itself, by TF and by breakpoints, through each kind of instruction after which a debug trap
 * comes, is held back, or is lost: branches, strings, MOV SS, system calls, INT1, INT3, exits, HLT; in ring 0 and ring
 * 3, in 64-bit and compatibility mode, with interrupts between. What it sees is the same wherever it runs.
 *
 * Hardware guarantees that (SDM "Debug Exceptions", "Masking Exceptions and Interrupts When Switching Stacks").
 */
#include "steps.h"

#include "machine.h"

#define ICR_SELF 0x44000u
#define VECTOR_TIMER 0x40
#define VECTOR_SELF 0x50
#define TF 0x100ull
#define IF 0x200ull
#define RF 0x10000ull
#define IOPL 0x3000ull
#define CR4_OSXSAVE (1ull << 18)
#define GATE_TRAP 0x100u /* of a gate's type: it leaves IF as it is */
#define DR6_CLEAR 0xffff0ff0ull
#define DR6_FAULT 2u /* DR1 is the breakpoint of an instruction */

static volatile uint64_t traps, ticks, others;
static volatile uint32_t sum;

static void note(uint64_t value)
{
    sum = (sum ^ (uint32_t)value) * 0x01000193u + 1;
}

/* --- handlers --- */

static __attribute__((interrupt)) void on_debug(struct interrupt_frame *frame)
{
    uint64_t dr6;
    __asm__ volatile("movq %%dr6, %0" : "=r"(dr6));
    __asm__ volatile("movq %0, %%dr6" : : "r"(DR6_CLEAR));
    traps++;
    note(frame->rip);
    note(dr6);
    note(frame->rflags & ~RF);
    if (dr6 & DR6_FAULT)
        frame->rflags |= RF;
}

static __attribute__((interrupt)) void on_other(struct interrupt_frame *frame)
{
    others++;
    note(frame->rip);
}

static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    others++;
    note(frame->rip);
    frame->rip += *(const uint8_t *)(uintptr_t)(frame->rip + 1) == 0x01 ? 3 : 2; /* VMCALL, VMXOFF, XSETBV; UD2 */
}

static __attribute__((interrupt)) void on_divide(struct interrupt_frame *frame)
{
    others++;
    note(frame->rip);
    frame->rip += 2; /* DIV ECX */
}

static __attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    others++;
    note(frame->rip);
    note(error);
    frame->rip += 2; /* MOV (RAX), EAX */
}

static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    others++;
    note(frame->rip);
    note(error);
    frame->rip += *(const uint8_t *)(uintptr_t)frame->rip == 0x0f ? 3 : 6; /* XSETBV; a far branch to nowhere */
}

static __attribute__((interrupt)) void on_tick(struct interrupt_frame *frame)
{
    (void)frame;
    for (volatile int i = 0; i < 200; i++) /* for longer than the timer takes, where each instruction is stepped */
        ;
    ticks++;
    interrupt_end();
}

static void handlers_set(void)
{
    interrupt_set(0, (void *)on_divide, 0);
    interrupt_set(1, (void *)on_debug, 0);
    interrupt_set(3, (void *)on_other, 3);
    interrupt_set(4, (void *)on_other, 3);
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(13, (void *)on_protection, 0);
    interrupt_set(14, (void *)on_page_fault, 0);
    interrupt_set(0x80, (void *)on_other, 3);
    interrupt_set(VECTOR_TIMER, (void *)on_tick, 0);
}

/* --- the stories --- */

static void report(const char *name)
{
    console_text("steps: ");
    console_text(name);
    console_line(" traps", traps);
    console_text("steps: ");
    console_text(name);
    console_line(" others", others);
    console_text("steps: ");
    console_text(name);
    console_line(" sum", sum);
    traps = others = 0;
    sum = 0;
}

static const struct {
    const char *name;
    void (*run)(void);
} stories[] = {{"near", story_near},
               {"strings", story_strings},
               {"flags", story_flags},
               {"shadows", story_shadows},
               {"events", story_events},
               {"far", story_far},
               {"compatibility", story_compatibility},
               {"exits", story_exits}};
#define NR_STORIES (sizeof stories / sizeof stories[0])

static void mask(uint64_t flags)
{
    msr_set(0xc0000084, flags); /* IA32_FMASK */
}

static void all_under_tf(void)
{
    for (unsigned i = 0; i < NR_STORIES; i++) {
        steps_with(stories[i].run, TF);
        report(stories[i].name);
    }
    timer_start(VECTOR_TIMER, 20000); /* the trap ends the halt; in the emulator an interrupt must come for it */
    steps_with(story_halt, TF | IF);
    timer_stop();
    report("halt");
    for (uint64_t masked = 0; masked <= TF; masked += TF) {
        mask(IF | masked);
        steps_with(story_system_calls, TF);
        report(masked ? "system calls, TF masked" : "system calls");
        steps_user(2 | TF | IOPL, story_user);
        report(masked ? "ring 3, TF masked" : "ring 3");
    }
}

static void dr7_set(uint64_t value)
{
    __asm__ volatile("movq %0, %%dr7" : : "r"(value));
}

/* DR0: what is written; DR1: an instruction; DR2: what is read, by MOV SS. */
static void breakpoints(void)
{
    __asm__ volatile("movq %0, %%dr0" : : "r"(steps_watched));
    __asm__ volatile("movq %0, %%dr1" : : "r"(steps_breakpoint));
    __asm__ volatile("movq %0, %%dr2" : : "r"(&steps_ss));
    mask(IF | TF);
    dr7_set(0x400 | 0x2a | 0xdull << 16 | 0xfull << 24);
    steps_with(story_watched, 0);
    report("breakpoints");
    steps_with(story_watched, TF);
    report("breakpoints and TF");
    dr7_set(0x400);
}

/* CPUID.01H:ECX[3] */
static bool has_monitor(void)
{
    uint32_t eax = 1, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return ecx >> 3 & 1;
}

/* Interrupts come at any place, and change nothing. */
static void with_interrupts(void)
{
    ticks = 0;
    timer_start(VECTOR_TIMER, 3000);
    for (int i = 0; i < 5; i++)
        steps_with(story_work, TF | IF);
    steps_with(story_repeat, TF | IF);
    for (int i = 0; i < 5; i++)
        steps_with(story_repeat, IF);
    while (ticks < 5)
        steps_with(story_work, IF);
    for (uint64_t before = ticks; has_monitor() && ticks < before + 3;)
        steps_with(story_wait, IF);
    timer_stop();
    report("with interrupts");
}

/* The interrupts make pt=soft delay the next ones, at each of these instructions. */
static void refused_with_interrupts(void)
{
    uint64_t cr4;

    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE));
    timer_start(VECTOR_TIMER, 3000);
    for (int i = 0; i < 10; i++)
        steps_with(story_refused, TF | IF);
    for (int i = 0; i < 10; i++)
        steps_user(2 | TF | IF | IOPL, story_user_refused);
    timer_stop();
    report("refused, with interrupts");
}

static void handlers_elsewhere(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint8_t *base;
    } idt;
    interrupt_set(0x81, (void *)steps_common, 0);
    interrupt_set(VECTOR_SELF, (void *)steps_common, 0);
    __asm__ volatile("sidt %0" : "=m"(idt));
    *(volatile uint16_t *)(void *)(idt.base + 16 * 0x81 + 4) |= GATE_TRAP;
    APIC(0xf0) = 0x1ff;
    APIC(0x310) = 0;
    for (int i = 0; i < 20; i++) /* where it is stepped, so much of what came before must be executed first */
        steps_with(story_work, IF);
    APIC(0x300) = ICR_SELF | VECTOR_SELF;
    story_common();
    console_line("steps: one handler of two", steps_commons);
    interrupt_set(6, (void *)steps_next, 0);
    story_next();
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("steps: start\r\n");
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    handlers_set();
    msr_set(0xc0000081, 0x0018001000000000ull); /* IA32_STAR: SYSRET's and SYSCALL's selectors */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)&steps_syscall_entry);
    msr_set(0x174, 0x10); /* IA32_SYSENTER_CS, _ESP, _EIP */
    msr_set(0x175, (uint64_t)(uintptr_t)steps_sysenter_stack);
    msr_set(0x176, (uint64_t)(uintptr_t)&steps_sysenter_entry);
    all_under_tf();
    breakpoints();
    with_interrupts();
    refused_with_interrupts();
    handlers_elsewhere();
    console_line("steps: system calls", steps_syscalls * 100 + steps_sysenters);
    console_line("steps: TF as PUSHF pushes it", steps_seen_flags >> 8 & 1);
    console_text("steps: ok\r\n");
}
