/* probe: traps, debug registers, interrupt shadows and NMIs. */
#include "probe.h"

#define VECTOR_SELF 0x50

/* --- traps: TF, DR7, interrupt shadows --- */

static volatile uint64_t debug_traps, debug_at[16], debug_dr6;

static __attribute__((interrupt)) void on_debug(struct interrupt_frame *frame)
{
    uint64_t dr6;
    __asm__ volatile("movq %%dr6, %0" : "=r"(dr6));
    __asm__ volatile("movq %0, %%dr6" : : "r"(0xffff0ff0ull));
    debug_dr6 |= dr6;
    if (debug_traps < 16)
        debug_at[debug_traps] = frame->rip;
    debug_traps++;
}

/* Each instruction, those that exit too, must trap right after itself. */
static void single_steps(void)
{
    uint64_t start;
    debug_traps = 0;
    debug_dr6 = 0;
    __asm__ volatile("leaq 1f(%%rip), %0\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "xorl %%ecx, %%ecx\n\t"
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n"
                     "1:\tcpuid\n\t"
                     "nop\n\t"
                     "movl $0x3a, %%ecx\n\t"
                     "rdmsr\n\t"
                     "movw $0xcf8, %%dx\n\t"
                     "inl %%dx, %%eax\n\t"
                     "movl $0, 0x80(%[apic])\n\t"
                     "pushfq\n\t"
                     "andq $~0x100, (%%rsp)\n\t"
                     "popfq\n"
                     : "=&r"(start)
                     : [apic] "r"(0xfee00000ull)
                     : "rax", "rbx", "rcx", "rdx", "memory", "cc");
    say("steps", debug_traps);
    say("steps_dr6", debug_dr6);
    for (uint64_t i = 0; i < debug_traps && i < 16; i++)
        say2("step", i, debug_at[i] - start);
}

static void debug_registers(void)
{
    static volatile uint32_t watched[2];
    uint64_t dr7;
    debug_traps = 0;
    __asm__ volatile("movq %0, %%dr0" : : "r"(watched));
    __asm__ volatile("movq %0, %%dr7" : : "r"(0xd0402ull)); /* DR0, global: 4 bytes written */
    (void)cpuid(0, 0);
    __asm__ volatile("movq %%dr7, %0" : "=r"(dr7));
    say("dr7_kept", dr7);
    watched[0] = 1;
    say("watchpoint_traps", debug_traps);
    __asm__ volatile("movq %0, %%dr7" : : "r"(0x400ull));
    msr_set(0x1d9, 2);
    (void)cpuid(0, 0);
    say("debugctl_kept", msr_get(0x1d9));
    msr_set(0x1d9, 0);
}

static volatile uint64_t selfs, shadow_flag, shadow_seen;

static __attribute__((interrupt)) void on_self(struct interrupt_frame *frame)
{
    (void)frame;
    selfs++;
    shadow_seen = shadow_flag;
    interrupt_end();
}

/* An interrupt waits: STI lets one instruction pass, CPUID too, and no second. */
static void shadows(void)
{
    shadow_flag = 0;
    APIC(0x310) = 0;
    APIC(0x300) = ICR_SELF | VECTOR_SELF;
    __asm__ volatile("xorl %%eax, %%eax\n\t"
                     "sti\n\t"
                     "cpuid\n\t"
                     "movl $1, %[flag]\n\t"
                     "nop\n\t"
                     "cli"
                     : [flag] "=m"(shadow_flag)
                     :
                     : "rax", "rbx", "rcx", "rdx", "memory");
    say("self_interrupts", selfs);
    say("flag_when_interrupted", shadow_seen);
}

/* --- NMIs --- */

static void nmi_send(void)
{
    APIC(0x310) = APIC(0x20); /* the destination: our own ID */
    APIC(0x300) = ICR_NMI;
}

volatile uint64_t nmis;
static volatile uint64_t nmi_depth, nmi_deepest;

static __attribute__((interrupt)) void on_nmi(struct interrupt_frame *frame)
{
    uint64_t first = nmis++;
    (void)frame;
    nmi_depth++;
    if (nmi_depth > nmi_deepest)
        nmi_deepest = nmi_depth;
    if (first == 0) {
        /* Blocked now: of these one is kept until IRET. CPUID exits, and must not unblock. */
        nmi_send();
        (void)cpuid(0, 0);
        nmi_send();
        (void)cpuid(0, 0);
    }
    nmi_depth--;
}

static void nmi(void)
{
    nmi_send();
    for (int i = 0; i < 100; i++)
        (void)cpuid(0, 0);
    say("nmis", nmis);
    say("nmis_deepest", nmi_deepest);
    for (int i = 0; i < 50; i++) {
        nmi_send();
        (void)cpuid(0, 0);
    }
    say("nmis_one_by_one", nmis);
    for (uint64_t i = 0; i < 50; i++) {
        uint64_t before = nmis;
        nmi_send();
        while (nmis == before)
            ;
    }
    say("nmis_awaited", nmis);
}
void probe_events(void)
{
    interrupt_set(1, (void *)on_debug, 0);
    interrupt_set(2, (void *)on_nmi, 0);
    interrupt_set(VECTOR_SELF, (void *)on_self, 0);
    single_steps();
    debug_registers();
    shadows();
    nmi();
}
