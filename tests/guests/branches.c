/*
 * branches: every kind of control transfer that Intel PT reports (SDM "Packet Generation", the tables of change of flow
 * instructions), once on purpose: conditional, direct, indirect and far branches, calls deeper than the decoder's stack
 * of returns, interrupts from INT n and from the APIC timer, faults, HLT, SYSCALL and SYSRET, and instructions that
 * exit.
 */
#include "machine.h"

#define VECTOR_SOFTWARE 0x80
#define VECTOR_TIMER 0x40

static uint64_t failures;

static void expect(const char *what, uint64_t is, uint64_t should)
{
    console_line(what, is);
    if (is != should) {
        failures++;
        console_line("  wrong, should be", should);
    }
}

/* --- near branches --- */

static uint64_t __attribute__((noinline, noclone)) fibonacci(uint64_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* 200 calls deep: return compression holds 64 (SDM "Return Compression": RETs). */
static uint64_t __attribute__((noinline, noclone, optimize("O0"))) deep(uint64_t n)
{
    return n == 0 ? 0 : 1 + deep(n - 1);
}

static uint64_t __attribute__((noinline)) table(uint32_t state)
{
    uint64_t sum = 0;
    for (int i = 0; i < 300; i++)
        switch (random_next(&state) % 8) { /* a jump table: an indirect JMP */
        case 0:
            sum += 3;
            break;
        case 1:
            sum ^= 0x55;
            break;
        case 2:
            sum *= 5;
            break;
        case 3:
            sum -= 1;
            break;
        case 4:
            sum = sum >> 3 | sum << 61;
            break;
        case 5:
            sum += sum & 15;
            break;
        case 6:
            sum ^= sum >> 7;
            break;
        default:
            sum += 100;
            break;
        }
    return sum != 0;
}

static uint64_t __attribute__((noinline)) unusual(void)
{
    uint64_t count = 0, loops = 20, zero = 0;
    __asm__ volatile("1: incq %0; loop 1b" : "+r"(count), "+c"(loops));
    __asm__ volatile("jrcxz 2f; incq %0; 2: incq %0" : "+r"(count) : "c"(zero));
    __asm__ volatile("leaq 3f(%%rip), %%rax; pushq $0x10; pushq %%rax; lretq; 3: incq %0" : "+r"(count) : : "rax");
    /* A RET that its CALL did not push is never compressed. */
    __asm__ volatile("leaq 4f(%%rip), %%rax; pushq %%rax; ret; 4: incq %0" : "+r"(count) : : "rax");
    /* CALL to the next instruction: no transfer in the eyes of return compression. */
    __asm__ volatile("call 5f; 5: popq %%rax; incq %0" : "+r"(count) : : "rax");
    return count;
}

/* --- interrupts and faults --- */

static volatile uint64_t softwares, breakpoints, ticks, undefineds, divides, page_faults;

static __attribute__((interrupt)) void on_software(struct interrupt_frame *frame)
{
    (void)frame;
    softwares++;
}

static __attribute__((interrupt)) void on_breakpoint(struct interrupt_frame *frame)
{
    (void)frame;
    breakpoints++;
}

static __attribute__((interrupt)) void on_timer(struct interrupt_frame *frame)
{
    (void)frame;
    ticks++;
    interrupt_end();
}

static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    undefineds++;
    frame->rip += 2; /* UD2 */
}

static __attribute__((interrupt)) void on_divide(struct interrupt_frame *frame)
{
    divides++;
    frame->rip += 2; /* DIV ECX */
}

static __attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    (void)error;
    page_faults++;
    frame->rip += 2; /* MOV (RAX), EAX */
}

static void faults(void)
{
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("ud2");
        __asm__ volatile("divl %%ecx" : : "a"(1), "d"(0), "c"(0) : "cc");
        uint64_t beyond = 1ull << 40;
        __asm__ volatile("movl (%%rax), %%eax" : "+a"(beyond));
        __asm__ volatile("int %0" : : "i"(VECTOR_SOFTWARE));
        __asm__ volatile("int3");
    }
}

static void timer(void)
{
    uint32_t state = 7;
    uint64_t turns = 0;
    timer_start(VECTOR_TIMER, 20000);
    __asm__ volatile("sti");
    while (ticks < 50)
        turns += random_next(&state) & 1;
    while (ticks < 60)
        __asm__ volatile("hlt");
    __asm__ volatile("cli");
    timer_stop();
    /* One more may come before CLI, where the timer follows another clock than the instructions (QEMU's the host's). */
    expect("branches: timer interrupts, 60 at least", ticks >= 60, 1);
}

/* --- rings --- */

static volatile uint64_t syscalls;
static uint64_t kernel_rsp;

void syscall_count(void);
void syscall_count(void)
{
    syscalls++;
}

/* user_entry runs in ring 3: RBX system calls with work between, an INT n, then system call 0, which leaves for good.
 * enter_user comes back when that happens. */
void enter_user(uint64_t rounds, uint64_t *kernel_rsp_at);
void syscall_entry(void);
extern uint64_t user_stack_top;
__asm__(".text\n"
        "enter_user:\n"
        "    pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "    movq %rsp, (%rsi)\n"
        "    movq %rsi, %r15\n"
        "    movq %rdi, %rbx\n"
        "    leaq user_entry(%rip), %rcx\n"
        "    movl $2, %r11d\n"
        "    leaq user_stack_top(%rip), %rsp\n"
        "    sysretq\n"
        "syscall_entry:\n"
        "    testl %eax, %eax\n"
        "    jz 1f\n"
        "    movq %rsp, %r14\n"
        "    movq (%r15), %rsp\n"
        "    pushq %rcx; pushq %r11\n"
        "    call syscall_count\n"
        "    popq %r11; popq %rcx\n"
        "    movq %r14, %rsp\n"
        "    sysretq\n"
        "1:  movq (%r15), %rsp\n"
        "    movl $0x18, %eax\n"
        "    movl %eax, %ss\n"
        "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
        "    ret\n"
        "user_entry:\n"
        "2:  movl $1, %eax\n"
        "    syscall\n"
        "    testb $1, %bl\n"
        "    jz 3f\n"
        "    int $0x80\n"
        "3:  decq %rbx\n"
        "    jnz 2b\n"
        "    xorl %eax, %eax\n"
        "    syscall\n"
        ".bss\n"
        ".zero 4096\n"
        "user_stack_top: .quad 0\n"
        ".text\n");

static void rings(void)
{
    msr_set(0xc0000081, 0x0018001000000000ull);               /* IA32_STAR: SYSRET's and SYSCALL's selectors */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)&syscall_entry); /* IA32_LSTAR */
    msr_set(0xc0000084, 0x700);                               /* IA32_FMASK: TF, IF, DF */
    uint64_t before = softwares;
    enter_user(40, &kernel_rsp);
    expect("branches: system calls", syscalls, 40);
    expect("branches: INT n from ring 3", softwares - before, 20);
}

/* --- instructions that exit --- */

static void exits(void)
{
    uint32_t eax, ebx, ecx, edx;
    uint64_t vmx = 0;
    for (uint32_t leaf = 0; leaf < 3; leaf++) {
        __asm__ volatile("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "a"(leaf), "c"(0));
        if (leaf == 1)
            vmx = ecx >> 5 & 1;
    }
    __asm__ volatile("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "a"(7), "c"(0));
    console_line("branches: CPUID shows VMX", vmx);
    console_line("branches: CPUID shows PT", ebx >> 25 & 1);
    expect("branches: APIC enabled", msr_get(0x1b) >> 11 & 1, 1); /* IA32_APIC_BASE */
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("branches: start\r\n");
    interrupt_set(0, (void *)on_divide, 0);
    interrupt_set(3, (void *)on_breakpoint, 3);
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(14, (void *)on_page_fault, 0);
    interrupt_set(VECTOR_TIMER, (void *)on_timer, 0);
    interrupt_set(VECTOR_SOFTWARE, (void *)on_software, 3);

    expect("branches: fibonacci", fibonacci(15), 610);
    expect("branches: deep", deep(200), 200);
    expect("branches: table", table(3), 1);
    expect("branches: unusual", unusual(), 24);
    faults();
    expect("branches: faults", undefineds * 100 + divides * 10 + page_faults, 333);
    expect("branches: INT n and INT3", softwares * 10 + breakpoints, 33);
    rings();
    timer();
    exits();
    console_text(failures ? "branches: FAILED\r\n" : "branches: ok\r\n");
}
