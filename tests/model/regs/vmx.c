/*
 * VMX and PT: IA32_VMX_MISC[14], the controls and their capability MSRs, the field IA32_RTIT_CTL, the checks of VM
 * entry, MSR lists, output to guest-physical addresses. The packets are rows (rows/16*, 17*).
 *
 * Source: SDM "Tracing and VMX Operation" (36.5); "Checks on VMX Controls", "Checks on the Guest State Area", "Loading
 * Guest State", "Saving Guest State", "Loading Host State"; Appendix A.
 */
#include "regs.h"

#define TABLES 0x70000ull
#define OTHER_TABLES 0x72000ull /* what rows/vmx.c gives the guest */
#define OUT 0x1000000ull        /* guest-physical 16 MiB is host-physical 18 MiB */
#define OUT_IN_EPT 0x1200000ull
#define EPT 0x310000ull
#define LISTS 0x320000ull
#define BITMAPS 0x330000ull

#define SECONDARY 0x401eu
#define EXIT_CONTROLS 0x400cu
#define ENTRY_CONTROLS 0x4012u
#define GUEST_RTIT_CTL 0x2814u
#define CONCEAL_NON_ROOT (1u << 19)
#define PT_USES_GPA (1u << 24)
#define CONCEAL_EXITS (1u << 24)
#define CLEAR_CTL (1u << 25)
#define CONCEAL_ENTRIES (1u << 17)
#define LOAD_CTL (1u << 18)
#define EXTERNAL_INTERRUPT_EXITING 1u
#define ACKNOWLEDGE_INTERRUPT (1u << 15)
#define APIC(offset) (*(volatile uint32_t *)(0xfee00000ull + (offset)))
#define VECTOR 0x40u
#define INVALID_CONTROL 7u
#define EXIT_EXTERNAL_INTERRUPT 1u
#define EXIT_VMCALL 18u
#define ENTRY_GUEST_STATE 0x80000021u
#define ENTRY_MSR_LIST 0x80000022u

extern char guest_reads[], guest_clears[], guest_traces[];
void row_vmx_start(uint64_t guest_rip, uint64_t host_rip, uint64_t host_rsp);
void row_vmwrite(uint64_t field, uint64_t value);

/* Guests: RAX is IA32_RTIT_CTL as they see it. */
__asm__("guest_clears: movl $0x570, %ecx\n\t"
        "xorl %eax, %eax\n\t"
        "xorl %edx, %edx\n\t"
        "wrmsr\n"
        "guest_traces: movl $64, %ecx\n"
        "1: leaq 2f(%rip), %rax\n\t"
        "jmp *%rax\n"
        "2: loop 1b\n"
        "guest_reads: movl $0x570, %ecx\n\t"
        "rdmsr\n\t"
        "vmcall");

static volatile uint64_t launch_failed;

/* VMLAUNCH: what the guest leaves in RAX. */
static uint64_t launch(void)
{
    uint64_t rax;
    __asm__ volatile("pushq %%rbx\n\t"
                     "pushq %%rbp\n\t"
                     "movq $0, launch_failed\n\t"
                     "movl $0x6c14, %%ecx\n\t"
                     "vmwrite %%rsp, %%rcx\n\t"
                     "movl $0x6c16, %%ecx\n\t"
                     "movl $1f, %%eax\n\t"
                     "vmwrite %%rax, %%rcx\n\t"
                     "vmlaunch\n\t"
                     "movq $1, launch_failed\n"
                     "1: popq %%rbp\n\t"
                     "popq %%rbx"
                     : "=a"(rax)
                     :
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
                       "cc");
    return rax;
}

static uint64_t vmread(uint64_t field)
{
    uint64_t value = ~0ull;
    __asm__ volatile("vmread %1, %0" : "+r"(value) : "r"(field) : "cc");
    return value;
}

static void set(uint32_t field, uint32_t bits)
{
    row_vmwrite(field, vmread(field) | bits);
}

/* What VMLAUNCH came to: an error number of VMfailValid, or an exit reason. */
static uint64_t outcome(void)
{
    return launch_failed ? vmread(0x4400) : vmread(0x4402);
}

static void start(const char *guest)
{
    pt_reset();
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    qwords(TABLE)[0] = OUT;
    qwords(TABLE)[1] = TABLE | 1;
    row_vmx_start((uint64_t)guest, 0, 0);
    set(0x4002, 1 << 28); /* MSR bitmaps, all 0: no RDMSR or WRMSR exits */
    row_vmwrite(0x2004, BITMAPS);
}

static void end(void)
{
    __asm__ volatile("vmxoff" : : : "cc");
    wrmsr(MSR_RTIT_CTL, 0);
}

/* VMLAUNCH with the controls given; ends VMX operation. */
static uint64_t outcome_of(uint32_t secondary, uint32_t exit, uint32_t entry)
{
    start(guest_reads);
    set(SECONDARY, secondary);
    set(EXIT_CONTROLS, exit);
    set(ENTRY_CONTROLS, entry);
    launch();
    uint64_t result = outcome();
    end();
    return result;
}

static void capabilities(void)
{
    check_equal("IA32_VMX_MISC[14]", rdmsr(0x485) >> 14 & 1, VMX_PT);
    check_equal("secondary: conceal VMX", rdmsr(0x48b) >> 32 >> 19 & 1, VMX_PT);
    check_equal("secondary: guest physical addresses", rdmsr(0x48b) >> 32 >> 24 & 1, VMX_GPA);
    check_equal("exit: conceal VMX", rdmsr(0x48f) >> 32 >> 24 & 1, VMX_PT);
    check_equal("exit: clear IA32_RTIT_CTL", rdmsr(0x48f) >> 32 >> 25 & 1, VMX_CTL);
    check_equal("entry: conceal VMX", rdmsr(0x490) >> 32 >> 17 & 1, VMX_PT);
    check_equal("entry: load IA32_RTIT_CTL", rdmsr(0x490) >> 32 >> 18 & 1, VMX_CTL);
    start(guest_reads);
    row_vmwrite(GUEST_RTIT_CTL, 0x1234);
    check("the field IA32_RTIT_CTL", (vmread(GUEST_RTIT_CTL) == 0x1234) == VMX_CTL);
    end();
    check_equal("VMLAUNCH", outcome_of(0, 0, 0), EXIT_VMCALL);
    uint32_t conceal = VMX_PT ? EXIT_VMCALL : INVALID_CONTROL, ctl = VMX_CTL ? EXIT_VMCALL : INVALID_CONTROL;
    check_equal("VMLAUNCH, secondary: conceal VMX", outcome_of(CONCEAL_NON_ROOT, 0, 0), conceal);
    check_equal("VMLAUNCH, exit: conceal VMX", outcome_of(0, CONCEAL_EXITS, 0), conceal);
    check_equal("VMLAUNCH, entry: conceal VMX", outcome_of(0, 0, CONCEAL_ENTRIES), conceal);
    check_equal("VMLAUNCH, exit: clear", outcome_of(0, CLEAR_CTL, 0), ctl);
    check_equal("VMLAUNCH, entry: load", outcome_of(0, 0, LOAD_CTL), ctl == EXIT_VMCALL ? EXIT_VMCALL : ctl);
    check_equal("VMLAUNCH, only GPA", outcome_of(PT_USES_GPA, 0, 0), INVALID_CONTROL);
    check_equal("VMLAUNCH, GPA without EPT", outcome_of(PT_USES_GPA, CLEAR_CTL, LOAD_CTL), INVALID_CONTROL);
}

/* Without IA32_VMX_MISC[14]. */
static void no_vmx(void)
{
    pt_reset();
    wrmsr(MSR_RTIT_OUTPUT_BASE, TABLE);
    qwords(TABLE)[0] = OUT;
    qwords(TABLE)[1] = TABLE | 1;
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    row_vmx_start((uint64_t)guest_reads, 0, 0);
    check_equal("VMXON clears TraceEn", rdmsr(MSR_RTIT_CTL), CTL_TOPA & ~RTIT_CTL_TRACE_EN);
    check("TraceEn cannot be set in VMX operation", wrmsr_faults(MSR_RTIT_CTL, CTL_TOPA));
    check("other bits can", !wrmsr_faults(MSR_RTIT_CTL, RTIT_CTL_OS));
    qwords(LISTS)[0] = MSR_RTIT_CTL;
    qwords(LISTS)[1] = CTL_TOPA;
    row_vmwrite(0x200a, LISTS);
    row_vmwrite(0x4014, 1);
    launch();
    check_equal("nor by an MSR-load list", outcome(), ENTRY_MSR_LIST);
    end();
    check("after VMXOFF it can", !wrmsr_faults(MSR_RTIT_CTL, CTL_TOPA));
    wrmsr(MSR_RTIT_CTL, 0);
}

/* MSR lists: the store list has IA32_RTIT_CTL as the guest left it; the load list moves the output. */
static void lists(void)
{
    start(guest_reads);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    qwords(LISTS)[0] = MSR_RTIT_CTL;
    qwords(LISTS)[1] = 0;
    row_vmwrite(0x2006, LISTS);
    row_vmwrite(0x400e, 1);
    static const uint64_t load[] = {MSR_RTIT_CTL,   0, MSR_RTIT_OUTPUT_MASK_PTRS, 0x800ull << 32 | 0x7f, MSR_RTIT_CTL,
                                    CTL_TOPA | 1024};
    for (unsigned n = 0; n < 6; n++)
        qwords(LISTS + 0x100)[n] = load[n];
    row_vmwrite(0x2008, LISTS + 0x100);
    row_vmwrite(0x4010, 3);
    uint64_t seen = launch();
    check_equal("lists: VMLAUNCH", outcome(), EXIT_VMCALL);
    check_equal("lists: the guest is traced as the host", (uint32_t)seen, (uint32_t)CTL_TOPA);
    check_equal("lists: the store list", qwords(LISTS)[1], CTL_TOPA);
    check_equal("lists: the load list's last IA32_RTIT_CTL", rdmsr(MSR_RTIT_CTL), CTL_TOPA | 1024);
    wrmsr(MSR_RTIT_CTL, 0);
    check("lists: and its output", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 > 0x800);
    end();
    start(guest_reads);
    qwords(LISTS)[0] = MSR_RTIT_CTL;
    qwords(LISTS)[1] = 1ull << 63;
    row_vmwrite(0x200a, LISTS);
    row_vmwrite(0x4014, 1);
    launch();
    check_equal("lists: a reserved bit fails VM entry", outcome(), ENTRY_MSR_LIST);
    end();
    start(guest_reads);
    static const uint64_t late[] = {MSR_RTIT_CTL, CTL_TOPA, MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f};
    for (unsigned n = 0; n < 4; n++)
        qwords(LISTS)[n] = late[n];
    row_vmwrite(0x200a, LISTS);
    row_vmwrite(0x4014, 2);
    launch();
    check_equal("lists: an output MSR after TraceEn = 1 fails VM entry", outcome(), ENTRY_MSR_LIST);
    end();
}

static void load_and_clear(void)
{
    start(guest_reads);
    set(ENTRY_CONTROLS, LOAD_CTL);
    set(EXIT_CONTROLS, CLEAR_CTL);
    row_vmwrite(GUEST_RTIT_CTL, CTL_TOPA);
    uint64_t seen = launch();
    check_equal("load: VMLAUNCH", outcome(), EXIT_VMCALL);
    check_equal("load: the guest's IA32_RTIT_CTL", (uint32_t)seen, (uint32_t)CTL_TOPA);
    check_equal("clear: the host's", rdmsr(MSR_RTIT_CTL), 0);
    check_equal("saved: the field", vmread(GUEST_RTIT_CTL), CTL_TOPA);
    check("load: it was traced", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 != 0);
    end();
    start(guest_clears);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(GUEST_RTIT_CTL, CTL_TOPA);
    launch();
    check_equal("saved: the guest's last value", vmread(GUEST_RTIT_CTL), 0);
    end();
    start(guest_reads);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(GUEST_RTIT_CTL, RTIT_CTL_DIS_RETC);
    qwords(LISTS)[0] = MSR_RTIT_CTL;
    qwords(LISTS)[1] = RTIT_CTL_OS;
    row_vmwrite(0x200a, LISTS);
    row_vmwrite(0x4014, 1);
    check_equal("load: the MSR list comes after it", launch(), RTIT_CTL_OS);
    end();
    start(guest_reads);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(GUEST_RTIT_CTL, CTL_TOPA);
    launch();
    check_equal("without clear it stays", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    end();
    start(guest_reads);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(GUEST_RTIT_CTL, 1ull << 63);
    launch();
    check_equal("load: a reserved bit fails VM entry", outcome(), ENTRY_GUEST_STATE);
    end();
    start(guest_reads);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(GUEST_RTIT_CTL, CTL_TOPA);
    wrmsr(MSR_RTIT_CTL, CTL_TOPA);
    launch();
    check_equal("load with TraceEn = 1 fails VM entry", outcome(), INVALID_CONTROL);
    check_equal("and tracing continues", rdmsr(MSR_RTIT_CTL), CTL_TOPA);
    end();
}

/* EPT: 1 GiB, 2 MiB pages, identity but for OUT. */
static void ept_build(void)
{
    qwords(EPT)[0] = (EPT + 0x1000) | 7;
    qwords(EPT + 0x1000)[0] = (EPT + 0x2000) | 7;
    for (uint64_t n = 0; n < 512; n++)
        qwords(EPT + 0x2000)[n] = n << 21 | 0xb7;
    qwords(EPT + 0x2000)[OUT >> 21] = OUT_IN_EPT | 0xb7;
}

static void guest_physical(void)
{
    ept_build();
    start(guest_traces);
    set(SECONDARY, PT_USES_GPA | 1 << 1);
    set(EXIT_CONTROLS, CLEAR_CTL);
    set(ENTRY_CONTROLS, LOAD_CTL);
    row_vmwrite(0x201a, EPT | 0x1e);
    row_vmwrite(GUEST_RTIT_CTL, CTL_TOPA);
    wrmsr(MSR_RTIT_OUTPUT_BASE, OUT);
    qwords(OUT_IN_EPT)[0] = OUT + 0x10000;
    qwords(OUT_IN_EPT)[1] = OUT | 1;
    qwords(OUT + 0x10000)[0] = qwords(OUT_IN_EPT + 0x10000)[0] = 0x5a5a;
    launch();
    check_equal("GPA: VMLAUNCH", outcome(), EXIT_VMCALL);
    check("GPA: no error", !(rdmsr(MSR_RTIT_STATUS) & RTIT_STATUS_ERROR));
    check("GPA: output goes through EPT", qwords(OUT_IN_EPT + 0x10000)[0] != 0x5a5a);
    check_equal("GPA: not to the same host-physical address", qwords(OUT + 0x10000)[0], 0x5a5a);
    check_equal("GPA: the base is as the guest knows it", rdmsr(MSR_RTIT_OUTPUT_BASE), OUT);
    check("GPA: and the offset", rdmsr(MSR_RTIT_OUTPUT_MASK_PTRS) >> 32 > 64);
    end();
}

/* What KVM's timer is to a guest that runs with its interrupts off. */
static void external_interrupt(void)
{
    start(guest_reads);
    set(0x4000, EXTERNAL_INTERRUPT_EXITING);
    set(EXIT_CONTROLS, ACKNOWLEDGE_INTERRUPT);
    APIC(0xf0) = 0x1ff;
    APIC(0x300) = 1u << 18 | VECTOR; /* to itself: pending, as IF is 0 in root */
    launch();
    check_equal("an external interrupt exits, with IF = 0 in root and guest", outcome(), EXIT_EXTERNAL_INTERRUPT);
    check_equal("and is acknowledged", vmread(0x4404) & 0xff, VECTOR);
    APIC(0xb0) = 0;
    end();
}

void tests(void)
{
    for (uint64_t n = 0; n < 512; n++)
        qwords(OTHER_TABLES)[n] = qwords(TABLES)[n];
    pt_reset();
    if (!(rdmsr(0x3a) & 1))
        wrmsr(0x3a, 5);
    capabilities();
    external_interrupt();
    if (!VMX_PT)
        no_vmx();
    else
        lists();
    if (VMX_CTL)
        load_and_clear();
    if (VMX_GPA)
        guest_physical();
}
