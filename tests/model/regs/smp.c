/*
 * Two processors: INIT and SIPI in VMX root and non-root operation, wait-for-SIPI, NMIs across it, the ICR. The second
 * is the one in VMX operation.
 *
 * Source: SDM "Other Causes of VM Exits" (25.2), "Activity State" (26.7.2), "Architectural State Before a VM Exit"
 * (27.1), "Interrupt Command Register (ICR)" (10.6.1, 10.12.9).
 *
 * cpus: 2
 */
#include "regs.h"

#include "../../guests/ap.h"

#define TABLES 0x70000ull /* selftest/rom.S */
#define AP_PAGE 0x8000ull
#define AP_STACK 0x7f000ull
#define EXIT_INIT 3u
#define EXIT_SIPI 4u
#define EXIT_VMCALL 18u
#define ACTIVITY 0x4826u
#define ACTIVE 0u
#define HALTED 1u
#define WAIT_FOR_SIPI 3u
#define VECTOR 0x9au

#ifndef KEPT
#define KEPT 0
#endif

struct interrupt_frame;
void row_vmx_start(uint64_t guest_rip, uint64_t host_rip, uint64_t host_rsp);
void row_vmwrite(uint64_t field, uint64_t value);
extern char guest_calls[];

static volatile uint32_t step, nmis;
static volatile uint64_t guest_ran;

__asm__("guest_calls: incq guest_ran\n\t"
        "vmcall");

__attribute__((interrupt)) static void on_nmi(struct interrupt_frame *frame)
{
    (void)frame;
    nmis++;
}

static uint64_t vmread(uint64_t field)
{
    uint64_t value = ~0ull;
    __asm__ volatile("vmread %1, %0" : "+r"(value) : "r"(field) : "cc");
    return value;
}

/* VM entry at guest_calls in an activity state: the exit reason. */
static uint64_t enter(uint32_t activity)
{
    static bool launched;
    uint64_t was = launched;
    launched = true;
    row_vmwrite(ACTIVITY, activity);
    row_vmwrite(0x681e, (uint64_t)guest_calls);
    guest_ran = 0;
    __asm__ volatile("pushq %%rbx\n\t"
                     "pushq %%rbp\n\t"
                     "movl $0x6c14, %%ecx\n\t"
                     "vmwrite %%rsp, %%rcx\n\t"
                     "movl $0x6c16, %%ecx\n\t"
                     "movl $1f, %%edx\n\t"
                     "vmwrite %%rdx, %%rcx\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 2f\n\t"
                     "vmlaunch\n"
                     "2: vmresume\n"
                     "1: popq %%rbp\n\t"
                     "popq %%rbx"
                     : "+a"(was)
                     :
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
                       "cc");
    return vmread(0x4402);
}

/* The other processor does its part between two even steps. */
static void let(uint32_t n)
{
    step = n;
    while (step == n)
        __asm__ volatile("pause");
}

static void in_root(void)
{
    let(1);
    check_equal("an INIT that comes in root exits at the next VM entry", enter(ACTIVE), EXIT_INIT);
    check_equal("before the guest's first instruction", guest_ran, 0);
    let(3);
    check_equal("a SIPI that comes in root is lost", enter(ACTIVE), EXIT_VMCALL);
    step = 5;
    check_equal("INIT exits from HLT", enter(HALTED), EXIT_INIT);
    check_equal("and HLT is what it exited from", vmread(ACTIVITY), HALTED);
}

static void waiting(void)
{
    step = 7;
    check_equal("SIPI exits from wait-for-SIPI, INIT and NMI do not", enter(WAIT_FOR_SIPI), EXIT_SIPI);
    check_equal("with its vector", vmread(0x6400), VECTOR);
    check_equal("that is the state it exited from", vmread(ACTIVITY), WAIT_FOR_SIPI);
    check_equal("which blocks nothing", vmread(0x4824), 0);
    check_equal("the NMI came after the exit", nmis, 1);
    check_equal("and the INIT before it", enter(ACTIVE), KEPT ? EXIT_INIT : EXIT_VMCALL);
    step = 9;
    while (step == 9)
        __asm__ volatile("pause");
}

static void ap_main(uint64_t argument)
{
    (void)argument;
    *apic(0xf0) = 0x1ff;
    row_vmx_start((uint64_t)guest_calls, 0, 0);
    row_vmwrite(0x6802, TABLES); /* CR3 */
    in_root();
    waiting();
    __asm__ volatile("vmxoff" : : : "cc");
    let(11);
    wrmsr(0x1b, rdmsr(0x1b) | 0x400);
    let(13);
}

/* fixes/apic-init.patch */
static void ap_again(uint64_t argument)
{
    (void)argument;
    check_equal("INIT keeps x2APIC mode", rdmsr(0x1b) & 0xc00, 0xc00);
    check_equal("but resets its registers", rdmsr(0x80f), 0xff);
    wrmsr(0x1b, rdmsr(0x1b) & ~0xc00ull);
    let(15);
}

/* Wait for the step, give the other processor time to enter, do it, and say so. */
static void at(uint32_t n)
{
    while (step != n)
        __asm__ volatile("pause");
    ap_pause(2000);
}

static void done(void)
{
    ap_pause(2000);
    step = step + 1;
}

void tests(void)
{
    gate(2, on_nmi);
    ap_prepare(AP_PAGE, ap_main, 0, AP_STACK);
    ipi_xapic(1, IPI_INIT);
    ipi_xapic(1, IPI_SIPI | AP_PAGE >> 12);
    at(1);
    ipi_xapic(1, IPI_INIT);
    done();
    at(3);
    ipi_xapic(1, IPI_SIPI | VECTOR);
    done();
    at(5);
    ipi_xapic(1, IPI_INIT);
    at(7);
    ipi_xapic(1, IPI_INIT);
    ipi_xapic(1, IPI_NMI);
    ap_pause(1000);
    ipi_xapic(0, IPI_OTHERS | IPI_SIPI | VECTOR);
    at(9);
    done();
    at(11);
    check_equal("the xAPIC's ICR keeps the destination", apic(0x310)[0], 0);
    wrmsr(0x1b, rdmsr(0x1b) | 0x400);
    ipi_x2apic(1, IPI_NMI);
    check_equal("the x2APIC's ICR reads as written", rdmsr(0x830), 1ull << 32 | IPI_NMI);
    ap_pause(1000);
    check_equal("and the NMI has come", nmis, 2);
    done();
    at(13);
    ap_prepare(AP_PAGE, ap_again, 0, AP_STACK);
    ipi_x2apic(1, IPI_INIT);
    ipi_x2apic(1, IPI_SIPI | AP_PAGE >> 12);
    at(15);
    ipi_x2apic(1, IPI_NMI);
    ap_pause(1000);
    check_equal("a local APIC that is disabled takes no IPI", nmis, 2);
}
