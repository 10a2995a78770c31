/*
 * spaces: two processes as a kernel with page-table isolation runs them. Each has two CR3 values, one for its user mode
 * and one for the kernel's work on its behalf, two neighbouring pages: SYSCALL's entry goes from the first to the
 * second, and back before SYSRET. With PCIDs where the CPU has them, and without flushes then. Interrupts stay off, so
 * that each run takes the same branches.
 *
 * Hardware guarantees that MOV CR3 takes effect with the next instruction (SDM "Control Registers", "Process-Context
 * Identifiers").
 */
#include "machine.h"

#define CR4_PCIDE (1ull << 17)
#define CR3_NO_FLUSH (1ull << 63)
#define ROUNDS 50u

/* The kernel's top page table, then the user's. The test takes the addresses from the symbols. */
struct space {
    uint64_t kernel[512], user[512];
};
struct space space_a __attribute__((aligned(8192))), space_b __attribute__((aligned(8192)));

/* What the system call's entry needs; R15 points to it. */
struct process {
    uint64_t kernel_rsp, kernel_cr3, user_cr3;
};

static volatile uint64_t calls;

uint64_t kernel_work(uint64_t n);
uint64_t kernel_work(uint64_t n)
{
    calls++;
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= n % 7; i++)
        sum += i & 1 ? kernel_work(i / 2) : i;
    return sum;
}

/* user_entry runs in ring 3: RBX system calls with work between, then system call 0, which leaves for good. */
void enter_process(uint64_t rounds, struct process *process);
void syscall_entry(void);
__asm__(".text\n"
        "enter_process:\n"
        "    pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "    movq %rsp, (%rsi)\n"
        "    movq %rsi, %r15\n"
        "    movq %rdi, %rbx\n"
        "    leaq user_entry(%rip), %rcx\n"
        "    movl $2, %r11d\n"
        "    leaq user_stack_top(%rip), %rsp\n"
        "    movq 16(%r15), %rax\n"
        "    movq %rax, %cr3\n"
        "    sysretq\n"
        "syscall_entry:\n"
        "    movq %rax, %r13\n"
        "    movq 8(%r15), %rax\n"
        "    movq %rax, %cr3\n"
        "    testl %r13d, %r13d\n"
        "    jz 1f\n"
        "    movq %rsp, %r14\n"
        "    movq (%r15), %rsp\n"
        "    pushq %rcx; pushq %r11\n"
        "    movq %rbx, %rdi\n"
        "    call kernel_work\n"
        "    popq %r11; popq %rcx\n"
        "    movq %r14, %rsp\n"
        "    movq 16(%r15), %rax\n"
        "    movq %rax, %cr3\n"
        "    sysretq\n"
        "1:  movq (%r15), %rsp\n"
        "    movl $0x18, %eax\n"
        "    movl %eax, %ss\n"
        "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
        "    ret\n"
        "user_entry:\n"
        "    movl $20, %ebp\n"
        "2:  decl %ebp\n"
        "    jnz 2b\n"
        "    call 3f\n"
        "    movl $1, %eax\n"
        "    syscall\n"
        "    decq %rbx\n"
        "    jnz user_entry\n"
        "    xorl %eax, %eax\n"
        "    syscall\n"
        "3:  ret\n"
        ".bss\n"
        ".zero 4096\n"
        "user_stack_top: .quad 0\n"
        ".text\n");

static uint64_t cr3_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr3, %0" : "=r"(value));
    return value;
}

/* All spaces map the same. */
static struct process process_make(struct space *space, uint64_t pcid)
{
    const uint64_t *now = (const uint64_t *)(uintptr_t)(cr3_get() & ~0xfffull);
    for (unsigned i = 0; i < 512; i++)
        space->kernel[i] = space->user[i] = now[i];
    uint64_t bits = pcid ? pcid | CR3_NO_FLUSH : 0;
    return (struct process){.kernel_cr3 = (uint64_t)(uintptr_t)space->kernel | bits,
                            .user_cr3 = (uint64_t)(uintptr_t)space->user | bits | (pcid ? 0x800 : 0)};
}

static bool pcid_on(void)
{
    uint32_t eax, ebx, ecx, edx;
    uint64_t cr4;
    __asm__ volatile("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "a"(1), "c"(0));
    if (!(ecx >> 17 & 1))
        return false;
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movq %0, %%cr4" : : "r"(cr4 | CR4_PCIDE) : "memory");
    return true;
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    console_text("spaces: start\r\n");
    bool pcid = pcid_on();
    console_line("spaces: PCIDs", pcid);
    struct process a = process_make(&space_a, pcid ? 1 : 0), b = process_make(&space_b, pcid ? 2 : 0);
    uint64_t own = cr3_get();
    msr_set(0xc0000081, 0x0018001000000000ull);               /* IA32_STAR: SYSRET's and SYSCALL's selectors */
    msr_set(0xc0000082, (uint64_t)(uintptr_t)&syscall_entry); /* IA32_LSTAR */
    msr_set(0xc0000084, 0x700);                               /* IA32_FMASK: TF, IF, DF */
    for (unsigned i = 0; i < 3; i++) {
        enter_process(ROUNDS, &a);
        enter_process(ROUNDS / 2, &b);
        __asm__ volatile("movq %0, %%cr3" : : "r"(own) : "memory");
    }
    console_line("spaces: calls", calls);
    console_text(calls > 3 * (ROUNDS + ROUNDS / 2) ? "spaces: ok\r\n" : "spaces: FAILED\r\n");
}
