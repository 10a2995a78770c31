/*
 * probe: looks at everything that a hypervisor could get wrong, and prints what it sees, one "name value" a line. The
 * same guest is run on the bare emulated CPU; what differs must be on docs/visible.md (tests/system/transparent.sh).
 */
#include "machine.h"

#define VECTOR_SELF 0x50
#define NO_FAULT 0u

#define APIC(offset) (*(volatile uint32_t *)(uintptr_t)(0xfee00000u + (offset)))
#define ICR_SELF 0x40000u
#define ICR_NMI 0x400u /* to a physical destination; the shorthand "self" is for fixed interrupts only */

/* --- faults: an instruction is tried, and the vector of its fault is what it says --- */

static volatile uint64_t fault, resume;

static __attribute__((interrupt)) void on_undefined(struct interrupt_frame *frame)
{
    fault = 6;
    frame->rip = resume;
}

static __attribute__((interrupt)) void on_protection(struct interrupt_frame *frame, uint64_t error)
{
    fault = 13 + error * 256;
    frame->rip = resume;
}

/* Tries code with A in EAX, C in ECX, D in EDX; OPERAND is %[operand]. The handler lands behind the instruction. */
#define ATTEMPT(code, A, C, D, OPERAND)                                                                                \
    do {                                                                                                               \
        uint64_t a_ = (A), c_ = (C), d_ = (D);                                                                         \
        fault = NO_FAULT;                                                                                              \
        __asm__ volatile("leaq 9f(%%rip), %%r11\n\tmovq %%r11, %[resume]\n\t" code "\n9:"                              \
                         : "+a"(a_), "+c"(c_), "+d"(d_), [resume] "=m"(resume), [operand] "+m"(OPERAND)                \
                         :                                                                                             \
                         : "rbx", "r11", "memory", "cc");                                                              \
        result_a = a_;                                                                                                 \
        result_d = d_;                                                                                                 \
    } while (0)

static uint64_t result_a, result_d, operand[2];

static void hex(uint64_t value)
{
    char digits[17];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    digits[16] = 0;
    console_text(digits);
}

static void say(const char *name, uint64_t value)
{
    console_text("probe: ");
    console_text(name);
    console_text(" ");
    hex(value);
    console_text("\r\n");
}

static void say2(const char *name, uint64_t which, uint64_t value)
{
    console_text("probe: ");
    console_text(name);
    console_text("_");
    hex(which);
    console_text(" ");
    hex(value);
    console_text("\r\n");
}

/* --- CPUID --- */

struct regs {
    uint64_t rax, rbx, rcx, rdx;
};

/* With all ones above: CPUID must clear them. */
static struct regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct regs r = {0xffffffff00000000ull | leaf, ~0ull, 0xffffffff00000000ull | subleaf, ~0ull};
    __asm__ volatile("cpuid" : "+a"(r.rax), "+b"(r.rbx), "+c"(r.rcx), "+d"(r.rdx));
    return r;
}

static void say_leaf(uint32_t leaf, uint32_t subleaf)
{
    struct regs r = cpuid(leaf, subleaf);
    uint64_t which = (uint64_t)leaf << 32 | subleaf;
    say2("cpuid_eax", which, r.rax);
    say2("cpuid_ebx", which, r.rbx);
    say2("cpuid_ecx", which, r.rcx);
    say2("cpuid_edx", which, r.rdx);
}

static void cpuids(void)
{
    uint32_t last = (uint32_t)cpuid(0, 0).rax;
    for (uint32_t leaf = 0; leaf <= last; leaf++)
        say_leaf(leaf, 0);
    for (uint32_t subleaf = 1; subleaf < 10; subleaf++)
        say_leaf(0xd, subleaf);
    say_leaf(7, 1);
    say_leaf(0x14, 1);
    for (uint32_t leaf = 0x80000000; leaf <= 0x80000008; leaf++)
        say_leaf(leaf, 0);
    say_leaf(last + 1, 0);
    say_leaf(0x40000000, 0);
    say_leaf(0x80000100, 0);

    uint64_t flags_before, flags_after;
    __asm__ volatile("stc; std; pushfq; popq %0; xorl %%eax, %%eax; cpuid; pushfq; popq %1; cld"
                     : "=&r"(flags_before), "=&r"(flags_after)
                     :
                     : "rax", "rbx", "rcx", "rdx", "cc");
    say("cpuid_flags_changed", flags_before ^ flags_after);
}

/* CPUID.80000001H shows SYSCALL in 64-bit mode only. */
static void cpuid_in_32_bit_mode(void)
{
    uint64_t edx;
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "pushq $8\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n\t"
                     ".code32\n"
                     "1:\tmovl $0x80000001, %%eax\n\t"
                     "cpuid\n\t"
                     "ljmp $0x10, $2f\n\t"
                     ".code64\n"
                     "2:\tmovl %%edx, %%edx"
                     : "=d"(edx)
                     :
                     : "rax", "rbx", "rcx", "memory");
    say("cpuid_syscall_in_32_bit_mode", edx >> 11 & 1);
}

/* --- MSRs --- */

static void msr_reads(void)
{
    static const uint32_t msrs[] = {
        0x1b,       0x3a,       0x3b,   0x8b,       0x9b,       0xfe,       0x174,      0x175,      0x176,
        0x179,      0x17a,      0x1a0,  0x1d9,      0x200,      0x201,      0x202,      0x203,      0x20e,
        0x20f,      0x250,      0x258,  0x259,      0x268,      0x26f,      0x277,      0x2ff,      0x345,
        0x38d,      0x38e,      0x38f,  0x390,      0x480,      0x481,      0x48b,      0x48c,      0x491,
        0x560,      0x561,      0x570,  0x571,      0x572,      0x580,      0x587,      0x6e0,      0x802,
        0x80f,      0x834,      0xda0,  0xc0000080, 0xc0000081, 0xc0000082, 0xc0000084, 0xc0000100, 0xc0000101,
        0xc0000102, 0xc0000103, 0x1fff, 0x2000,     0x40000000, 0x4b564d00, 0xc0001fff, 0xc0002000, 0xffffffff};
    for (uint64_t i = 0; i < sizeof msrs / sizeof msrs[0]; i++) {
        ATTEMPT("rdmsr", ~0ull, msrs[i], ~0ull, operand);
        say2("rdmsr_fault", msrs[i], fault);
        say2("rdmsr", msrs[i], fault ? 0 : result_d << 32 | (uint32_t)result_a);
        if (!fault)
            say2("rdmsr_upper_halves", msrs[i], result_a >> 32 | result_d >> 32);
    }
}

static void wrmsr(const char *name, uint32_t msr, uint64_t value)
{
    ATTEMPT("wrmsr", (uint32_t)value, msr, value >> 32, operand);
    say(name, fault);
}

static void msr_writes(void)
{
    wrmsr("wrmsr_feature_control", 0x3a, 5);
    wrmsr("wrmsr_vmx_basic", 0x480, 0);
    wrmsr("wrmsr_xss_0", 0xda0, 0);
    wrmsr("wrmsr_xss_pt", 0xda0, 0x100);
    wrmsr("wrmsr_xss_reserved", 0xda0, 1ull << 63);
    wrmsr("wrmsr_xss_0_again", 0xda0, 0);
    wrmsr("wrmsr_efer_reserved", 0xc0000080, 1ull << 63);
    wrmsr("wrmsr_pat_reserved", 0x277, 0x0200000000000000);
    wrmsr("wrmsr_rtit_ctl", 0x570, 0);
    wrmsr("wrmsr_mtrr_base_reserved", 0x20e, 1ull << 63);
    wrmsr("wrmsr_mtrr_base", 0x20e, 0xd0000001);
    wrmsr("wrmsr_mtrr_mask", 0x20f, 0);
    say("mtrr_base_after", msr_get(0x20e));
    wrmsr("wrmsr_beyond_bitmap", 0xc0002000, 0);
    wrmsr("wrmsr_fs_base_not_canonical", 0xc0000100, 1ull << 60);
    msr_set(0xc0000102, 0x123456789abc);
    (void)cpuid(0, 0);
    say("kernel_gs_base_kept", msr_get(0xc0000102));
}

/* --- control registers, XCR0 --- */

static uint64_t cr0_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr0, %0" : "=r"(value));
    return value;
}

static uint64_t cr4_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr4, %0" : "=r"(value));
    return value;
}

static void cr0_try(const char *name, uint64_t value)
{
    ATTEMPT("movq %%rax, %%cr0", value, 0, 0, operand);
    say(name, fault);
    say("cr0", cr0_get());
}

static void cr4_try(const char *name, uint64_t value)
{
    ATTEMPT("movq %%rax, %%cr4", value, 0, 0, operand);
    say(name, fault);
    say("cr4", cr4_get());
}

static void control_registers(void)
{
    uint64_t cr0 = cr0_get() & ~(3ull << 29), cr4 = cr4_get(); /* CD and NW as firmware may leave them, or not */
    __asm__ volatile("movq %0, %%cr0" : : "r"(cr0));
    say("cr0_at_start", cr0);
    say("cr4_at_start", cr4);
    cr0_try("cr0_set_ne", cr0 | 0x20);
    cr0_try("cr0_clear_ne", cr0 & ~0x20ull);
    cr0_try("cr0_paging_without_protection", cr0 & ~1ull);
    cr0_try("cr0_ne_and_no_protection", (cr0 | 0x20) & ~1ull);
    cr0_try("cr0_not_write_through_alone", cr0 | 1ull << 29);
    cr0_try("cr0_upper_bit", cr0 | 1ull << 40);
    cr0_try("cr0_as_it_was", cr0);
    cr4_try("cr4_set_vmxe", cr4 | 1 << 13);
    cr4_try("cr4_clear_vmxe", cr4 & ~(1ull << 13));
    cr4_try("cr4_set_smxe", cr4 | 1 << 14);
    cr4_try("cr4_reserved", cr4 | 1ull << 40);
    cr4_try("cr4_without_pae", cr4 & ~0x20ull);
    cr4_try("cr4_as_it_was", cr4);

    ATTEMPT("xsetbv", 1, 0, 0, operand);
    say("xsetbv_without_osxsave", fault);
    say("osxsave_seen_before", cpuid(1, 0).rcx >> 27 & 1);
    cr4_try("cr4_set_osxsave", cr4 | 1 << 18);
    say("osxsave_seen_after", cpuid(1, 0).rcx >> 27 & 1);
    ATTEMPT("xsetbv", 1, 1, 0, operand);
    say("xsetbv_ecx_1", fault);
    ATTEMPT("xsetbv", 0, 0, 0, operand);
    say("xsetbv_no_x87", fault);
    ATTEMPT("xsetbv", 5, 0, 0, operand);
    say("xsetbv_avx_without_sse", fault);
    ATTEMPT("xsetbv", 7, 0, 0, operand);
    say("xsetbv_avx", fault);
    say("xsave_size_avx", cpuid(0xd, 0).rbx);
    ATTEMPT("xsetbv", 1, 0, 0, operand);
    say("xsave_size_x87", cpuid(0xd, 0).rbx);
    cr4_try("cr4_clear_osxsave", cr4);
}

/* --- instructions that exit --- */

static void instructions(void)
{
    ATTEMPT("vmcall", 0, 0, 0, operand);
    say("vmcall", fault);
    ATTEMPT("vmread %%rax, %%rbx", 0, 0, 0, operand);
    say("vmread", fault);
    ATTEMPT("vmwrite %%rax, %%rbx", 0, 0, 0, operand);
    say("vmwrite", fault);
    ATTEMPT("vmxon %[operand]", 0, 0, 0, operand);
    say("vmxon", fault);
    ATTEMPT("vmxoff", 0, 0, 0, operand);
    say("vmxoff", fault);
    ATTEMPT("vmlaunch", 0, 0, 0, operand);
    say("vmlaunch", fault);
    ATTEMPT("vmresume", 0, 0, 0, operand);
    say("vmresume", fault);
    ATTEMPT("vmclear %[operand]", 0, 0, 0, operand);
    say("vmclear", fault);
    ATTEMPT("vmptrld %[operand]", 0, 0, 0, operand);
    say("vmptrld", fault);
    ATTEMPT("vmptrst %[operand]", 0, 0, 0, operand);
    say("vmptrst", fault);
    ATTEMPT("invept %[operand], %%rax", 1, 0, 0, operand);
    say("invept", fault);
    ATTEMPT("invvpid %[operand], %%rax", 1, 0, 0, operand);
    say("invvpid", fault);
    ATTEMPT(".byte 0x0f, 0x01, 0xd4", 0, 0, 0, operand);
    say("vmfunc", fault);
    ATTEMPT(".byte 0x0f, 0x37", 0, 0, 0, operand);
    say("getsec", fault);
    ATTEMPT("rsm", 0, 0, 0, operand);
    say("rsm", fault);
    ATTEMPT("wbinvd", 0, 0, 0, operand);
    say("wbinvd", fault);
    operand[0] = 0x5a5a;
    ATTEMPT("invd", 0, 0, 0, operand);
    say("invd", fault);
    say("memory_after_invd", operand[0]);
    ATTEMPT("rdtscp", 0, 0, 0, operand);
    say("rdtscp", fault);
    ATTEMPT("invpcid %[operand], %%rax", 2, 0, 0, operand);
    say("invpcid", fault);
}

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

/* Each instruction, those that exit too, must trap right behind itself. */
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
    APIC(0x310) = APIC(0x20); /* our own ID stands where the destination does */
    APIC(0x300) = ICR_NMI;
}

static volatile uint64_t nmis, nmi_depth, nmi_deepest;

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

/* --- the local APIC --- */

static void apic(void)
{
    static const uint32_t registers[] = {0x20,  0x30,  0x80,  0xa0,  0xd0,  0xe0, 0xf0,
                                         0x280, 0x320, 0x350, 0x360, 0x370, 0x3e0};
    for (uint64_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        say2("apic", registers[i], APIC(registers[i]));
    APIC(0x340) = 0x100ec;
    say("apic_lvtpc", APIC(0x340));
    APIC(0x80) = 0x20;
    say("apic_tpr", APIC(0x80));
    __asm__ volatile("orl $0x10, %0" : "+m"(APIC(0x80)));
    say("apic_tpr_or", APIC(0x80));
    uint32_t exchanged = 0x40;
    __asm__ volatile("xchgl %0, %1" : "+r"(exchanged), "+m"(APIC(0x80)));
    say("apic_tpr_xchg", exchanged);
    say("apic_tpr_after", APIC(0x80));
    static const uint32_t source = 0x50;
    const uint32_t *from = &source;
    volatile uint32_t *to = &APIC(0x80);
    uint64_t count = 1;
    __asm__ volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    say("apic_rep_movs_left", count);
    say("apic_tpr_rep_movs", APIC(0x80));
    APIC(0x80) = 0;
    say("apic_tpr_at_end", APIC(0x80));
    uint32_t svr = APIC(0xf0);
    APIC(0xf0) = 0xff;
    say("apic_svr_disabled", APIC(0xf0));
    say("apic_lvt_timer_disabled", APIC(0x320));
    APIC(0xf0) = svr;
    say("apic_svr_enabled", APIC(0xf0));
}

/* x2APIC mode; there is no way back but through a disabled local APIC, so this comes last. */
static void x2apic(void)
{
    uint64_t base = msr_get(0x1b), before = nmis;
    wrmsr("x2apic_base_reserved", 0x1b, base | 1);
    wrmsr("x2apic_enable", 0x1b, base | 0x400);
    say("x2apic_base", msr_get(0x1b));
    say("x2apic_id", msr_get(0x802));
    wrmsr("x2apic_lvtpc", 0x834, 0x100ec);
    say("x2apic_lvtpc_reads", msr_get(0x834));
    wrmsr("x2apic_svr_reserved", 0x80f, 1ull << 40);
    wrmsr("x2apic_svr_disable", 0x80f, 0xff);
    say("x2apic_svr_disabled", msr_get(0x80f));
    wrmsr("x2apic_svr_enable", 0x80f, 0x1ff);
    say("x2apic_svr", msr_get(0x80f));
    wrmsr("x2apic_nmi", 0x830, msr_get(0x802) << 32 | ICR_NMI);
    for (int i = 0; i < 100; i++)
        (void)cpuid(0, 0);
    say("x2apic_nmis", nmis - before);
}

/* --- memory that is not the guest's --- */

static void memory(const char *name, uint64_t at)
{
    volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)at;
    say2(name, 0, *word);
    *word = 0x12345678;
    say2(name, 1, *word);
    __asm__ volatile("lock orl $1, %0" : "+m"(*word));
    say2(name, 2, *word);
}

/* Linux boot protocol: boot_params.e820_entries at 1E8H, .e820_table at 2D0H, 20 bytes each. */
static void memories(const uint8_t *boot_params)
{
    for (unsigned i = 0; i < boot_params[0x1e8]; i++) {
        const uint32_t *entry = (const uint32_t *)(const void *)(boot_params + 0x2d0 + 20 * i);
        if (entry[4] == 2 && entry[1] == 0 && entry[0] >= 0x1000000 && entry[0] < 0xc0000000)
            memory("reserved", entry[0]);
    }
    memory("nic", 0xc0000000);
}

/* --- ports --- */

static uint32_t in32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static void ports(void)
{
    for (uint32_t device = 0; device < 32; device++) {
        uint32_t address = 0x80000000u | device << 11;
        out32(0xcf8, address);
        say2("pci", device, in32(0xcfc));
        say2("pci_address_reads_back", device, in32(0xcf8) == address);
        out32(0xcf8, address | 0x10);
        say2("pci_bar0", device, in32(0xcfc));
    }
    uint64_t rax = 0x1122334455667788ull;
    __asm__ volatile("inb $0x64, %%al" : "+a"(rax));
    say("in_al_keeps_the_rest", rax & ~0xffull);
    rax = 0x1122334455667788ull;
    __asm__ volatile("inl %%dx, %%eax" : "+a"(rax) : "d"(0xcf8));
    say("in_eax_clears_the_rest", rax >> 32);
    io_write8(0xcf9, 2);
    say("reset_control", io_read8(0xcf9));
    io_write8(0xcf9, 0);
    for (uint16_t i = 1; i < 8; i++) /* not the data register */
        say2("com2", i, io_read8((uint16_t)(0x2f8 + i)));
}

void guest_main(const uint8_t *boot_params)
{
    machine_start(boot_params);
    interrupt_set(1, (void *)on_debug, 0);
    interrupt_set(2, (void *)on_nmi, 0);
    interrupt_set(6, (void *)on_undefined, 0);
    interrupt_set(13, (void *)on_protection, 0);
    interrupt_set(VECTOR_SELF, (void *)on_self, 0);
    APIC(0xf0) = 0x1ff;
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);

    cpuids();
    cpuid_in_32_bit_mode();
    msr_reads();
    msr_writes();
    control_registers();
    instructions();
    single_steps();
    debug_registers();
    shadows();
    nmi();
    apic();
    ports();
    memories(boot_params);
    x2apic();
    console_text("probe: done 0\r\n");
}
