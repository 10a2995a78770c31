/*
 * levels: kernel and user mode on pages of their own, as an operating system has them, and one page of both. What one
 * of the two executes shows in its address, so that a trace of only the kernel or only user mode can be judged.
 *
 * Where the processor has SMEP it is on in the second round, and the kernel executes only its own pages.
 *
 * Command line: kernel=N, user=N: rounds of each one's own work (1000).
 */
#include "machine.h"

#define PAGE 4096u
#define LARGE 0x200000u
#define BASE 0x1000000u /* where guests are linked; its 2 MiB get a page table */
#define PRESENT_WRITABLE 3ull
#define USER 4ull

/* A page each: tests/guests/guest.ld. */
#define KERNEL_PAGE __attribute__((section(".pages.1"), noinline, noipa))
#define USER_PAGE __attribute__((section(".pages.2"), noinline, noipa))
#define LATE_USER_PAGE __attribute__((section(".pages.3"), noinline, noipa))
#define BOTH_PAGE __attribute__((section(".pages.4"), noinline, noipa))
extern uint8_t pages_start[], pages_end[];

static uint64_t table[512] __attribute__((aligned(PAGE)));
static uint8_t user_stack[PAGE] __attribute__((aligned(PAGE)));
static uint64_t kernel_rsp, system_calls, failures;
static volatile uint64_t undefined, softwares;

static void expect(const char *what, uint64_t is, uint64_t should)
{
    console_text("levels: ");
    console_line(what, is);
    if (is != should) {
        failures++;
        console_line("levels: WRONG, should be", should);
    }
}

/* --- pages --- */

static void user_may(const uint8_t *page)
{
    table[((uint64_t)(uintptr_t)page - BASE) / PAGE] |= USER;
}

static uint64_t *table_of(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ~0xfffull);
}

static void pages_map(void)
{
    uint64_t cr3;
    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    for (uint64_t i = 0; i < 512; i++)
        table[i] = (BASE + i * PAGE) | PRESENT_WRITABLE;
    for (uint8_t *page = pages_start + PAGE; page < pages_end; page += PAGE)
        user_may(page);
    user_may(user_stack);
    table_of(table_of(table_of(cr3)[0])[0])[BASE / LARGE] = (uint64_t)(uintptr_t)table | PRESENT_WRITABLE | USER;
    __asm__ volatile("movq %0, %%cr3" : : "r"(cr3) : "memory");
}

static bool smep_on(void)
{
    uint32_t eax = 7, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (!(ebx & 1u << 7))
        return false;
    uint64_t cr4;
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | 1u << 20));
    return true;
}

/* --- what each does. Of the page of both the kernel has the first function, user mode the second. --- */

/* A branch for each draw; the compiler is not to choose without one. */
static inline __attribute__((always_inline)) uint32_t draws(uint32_t state, uint32_t rounds)
{
    uint32_t sum = 0;
    while (rounds--)
        if (random_next(&state) & 4)
            __asm__ volatile("addl $1, %0" : "+r"(sum));
    return sum;
}

BOTH_PAGE static uint32_t both_kernel(uint32_t rounds)
{
    return draws(3, rounds);
}

BOTH_PAGE static uint32_t both_user(uint32_t rounds)
{
    return draws(5, rounds);
}

KERNEL_PAGE static uint32_t kernel_work(uint32_t rounds)
{
    return draws(11, rounds);
}

static inline __attribute__((always_inline)) uint64_t system_call(uint64_t number)
{
    __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
    return number;
}

static inline __attribute__((always_inline)) void user_story(uint32_t rounds)
{
    uint32_t sum = draws(13, rounds) + both_user(20);
    for (uint32_t i = 0; i < 10; i++)
        sum += (uint32_t)system_call(1 + sum % 2);
    __asm__ volatile("int $0x80");
    __asm__ volatile("vmcall"); /* of no user's business, whatever hypervisor there is */
    system_call(0);
}

USER_PAGE static void user_early(uint32_t rounds)
{
    user_story(rounds);
}

LATE_USER_PAGE static void user_late(uint32_t rounds)
{
    user_story(rounds);
}

/* --- from one to the other --- */

void enter_user(uint64_t rounds, void (*entry)(uint32_t), uint64_t *kernel_rsp_at, uint8_t *stack);
void syscall_entry(void);
__asm__(".text\n"
        "enter_user:\n"
        "    pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "    movq %rsp, (%rdx)\n"
        "    movq %rsi, %rax\n"
        "    movq %rcx, %rsp\n"
        "    movq %rax, %rcx\n"
        "    movl $2, %r11d\n"
        "    sysretq\n"
        "syscall_entry:\n"
        "    testl %eax, %eax\n"
        "    jz 1f\n"
        "    pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r11; pushq %r8; pushq %r9; pushq %r10\n"
        "    call syscall_count\n"
        "    popq %r10; popq %r9; popq %r8; popq %r11; popq %rcx; popq %rdx; popq %rsi; popq %rdi\n"
        "    sysretq\n"
        "1:  movq kernel_rsp(%rip), %rsp\n"
        "    movl $0x18, %eax\n"
        "    movl %eax, %ss\n"
        "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
        "    ret\n");

uint64_t syscall_count(void);
uint64_t syscall_count(void)
{
    return kernel_work(3) + ++system_calls;
}

static __attribute__((interrupt)) void on_software(struct interrupt_frame *frame)
{
    (void)frame;
    softwares++;
}

static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    undefined++;
    frame->rip += 3; /* VMCALL */
}

/* --- the story --- */

static void round(uint32_t kernel, uint32_t user, void (*entry)(uint32_t), bool both)
{
    kernel_work(kernel);
    if (both)
        both_kernel(20);
    enter_user(user, entry, &kernel_rsp, user_stack + PAGE);
    if (both)
        both_kernel(20);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);
    uint32_t kernel = 1000, user = 1000;
    command_line_has(line, "kernel=", &kernel);
    command_line_has(line, "user=", &user);
    machine_start(boot_params);
    pages_map();
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(0x80, (void *)on_software, 3);
    msr_set(0xc0000081, 0x0018001000000000ull);               /* IA32_STAR: SYSRET's and SYSCALL's selectors */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)&syscall_entry); /* IA32_LSTAR */
    msr_set(0xc0000084, 0x700);                               /* IA32_FMASK: TF, IF, DF */
    round(10, 10, user_early, true);
    bool smep = smep_on();
    console_line("levels: SMEP", smep);
    round(kernel, user, user_late, !smep);
    expect("system calls", system_calls, 20);
    expect("INT n in ring 3", softwares, 2);
    expect("VMCALL in ring 3, undefined", undefined, 2);
    console_text(failures ? "levels: FAILED\r\n" : "levels: ok\r\n");
}
