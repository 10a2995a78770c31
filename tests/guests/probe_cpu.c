/* probe: CPUID, MSRs, control registers, XCR0, and the instructions that exit. */
#include "probe.h"

/* --- CPUID --- */

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
static void msr_writes(void)
{
    wrmsr("wrmsr_feature_control", 0x3a, 5);
    say("wrmsr_feature_control_rf", fault_rf);
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
    cr0_try("cr0_only_not_write_through", cr0 | 1ull << 29);
    cr0_try("cr0_upper_bit", cr0 | 1ull << 40);
    say("cr0_upper_bit_rf", fault_rf);
    cr0_try("cr0_ne_and_no_paging", (cr0 ^ 0x20) & ~(1ull << 31));
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
    say("vmread_rf", fault_rf);
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
void probe_cpu(void)
{
    cpuids();
    cpuid_in_32_bit_mode();
    msr_reads();
    msr_writes();
    control_registers();
    instructions();
}
