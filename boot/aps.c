/* Kind: shell, init */
#include "boot/aps.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "base/trace_clock.h"
#include "boot/ap_page.h"
#include "boot/pt_same.h"
#include "boot/tsc_ahead.h"
#include "boot/x2apic.h"
#include "pt/lvtpc.h"
#include "vmx/host/gdt.h"
#include "vmx/vmx.h"

/* SDM Vol. 3A, "Interrupt Command Register (ICR)": physical destination, edge, assert. */
#define ICR_INIT 0x4500u
#define ICR_STARTUP 0x4600u /* plus the page number */
#define ICR_SEND_PENDING (1u << 12)
#define XAPIC_ICR_LOW 0x300u
#define XAPIC_ICR_HIGH 0x310u

/* "Typical BSP Initialization Sequence": how long after INIT, and how long after the first SIPI. */
#define AFTER_INIT_US 10000u
#define FIRST_ANSWER_US 200u
#define LAST_ANSWER_US 1000000u /* a CPU in system management mode answers late */
#define SEND_US 1000u
#define TSC_EXCHANGES 64u

/* Conventional memory without the page of the interrupt vectors; a SIPI's vector cannot name a page above 1 MiB. */
#define AP_PAGE_FIRST 0x1000u
#define AP_PAGE_END 0xa0000u

struct ap_parameters {
    uint64_t gdt[GDT_NR_ENTRIES];
    uint32_t far_32;
    uint16_t far_32_selector, reserved0;
    uint32_t far_64;
    uint16_t far_64_selector, reserved1;
    uint16_t reserved2;
    uint16_t gdtr_limit;
    uint32_t gdtr_base;
    uint32_t cr3, reserved3;
    uint64_t stack;
    uint64_t cpu;
};
#define AP_OFFSET(member) (AP_GDT + offsetof(struct ap_parameters, member))
_Static_assert(AP_OFFSET(far_32) == AP_FAR_32 && AP_OFFSET(far_64) == AP_FAR_64, "boot/ap_page.h");
_Static_assert(AP_OFFSET(gdtr_limit) == AP_GDTR && AP_OFFSET(gdtr_base) == AP_GDTR + 2, "boot/ap_page.h");
_Static_assert(AP_OFFSET(cr3) == AP_CR3 && AP_OFFSET(stack) == AP_STACK, "boot/ap_page.h");
_Static_assert(AP_OFFSET(cpu) == AP_CPU && AP_GDT + sizeof(struct ap_parameters) == AP_PAGE_BYTES, "boot/ap_page.h");

extern const uint8_t ap_page[], ap_page_32[], ap_page_64[]; /* boot/ap.S */

_Noreturn void ap_main(struct boot_cpu *cpu); /* called by boot/ap.S */

/* Written by the first CPU, read by all others. */
static struct {
    uint64_t pat;
    const struct pt_cpuid *pt;
    aps_run *run; /* atomic; NULL: wait */
} aps_shared;

/* --- on the other CPU ------------------------------------------------------------------------------------------------
 */

/* After all instructions before it, and before all after it: SDM Vol. 2B, RDTSC. */
static uint64_t tsc_read_in_order(void)
{
    __asm__ volatile("lfence" : : : "memory");
    const uint64_t tsc = tsc_read();
    __asm__ volatile("lfence" : : : "memory");
    return tsc;
}

static void answer_with_tsc(struct boot_cpu *cpu)
{
    const uint32_t ping = __atomic_load_n(&cpu->ping, __ATOMIC_ACQUIRE);
    if (ping == cpu->pong)
        return;
    cpu->tsc = tsc_read_in_order();
    __atomic_store_n(&cpu->pong, ping, __ATOMIC_RELEASE);
}

void aps_check_here(struct boot_cpu *cpu, const struct pt_cpuid *pt)
{
    cpu->no_vmx = vmx_cpu_check();
    cpu->x2apic = x2apic_read();
    if (pt && !cpu->no_vmx) {
        struct pt_cpuid cpuid;
        pt_cpuid_read(&cpuid);
        cpu->no_pt = pt_same_check(pt, &cpuid);
        cpu->leaf14_ecx = cpuid.leaf14_0[2];
    }
    __atomic_store_n(&cpu->checked, true, __ATOMIC_RELEASE);
}

_Noreturn void ap_main(struct boot_cpu *cpu)
{
    gdt_load_cpu(cpu->descriptors, cpu->number);
    msr_write(IA32_PAT, aps_shared.pat);
    aps_check_here(cpu, aps_shared.pt);

    aps_run *run;
    while (!(run = __atomic_load_n(&aps_shared.run, __ATOMIC_ACQUIRE))) {
        answer_with_tsc(cpu);
        __asm__ volatile("pause");
    }
    uint64_t cr3; /* flush translations of the identity map, which the first CPU has removed */
    __asm__ volatile("mov %%cr3, %0\n\tmov %0, %%cr3" : "=r"(cr3) : : "memory");
    run(cpu);
    __builtin_unreachable();
}

/* --- on the first CPU ------------------------------------------------------------------------------------------------
 */

static void ipi_send(uint32_t apic_id, uint32_t command)
{
    uint64_t base = msr_read(IA32_APIC_BASE);
    /* WRMSR to the x2APIC ICR is not serializing: make earlier stores visible first. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (base & APIC_BASE_X2APIC) {
        msr_write(IA32_X2APIC_ICR, (uint64_t)apic_id << 32 | command);
        return;
    }
    volatile uint32_t *low = phys_to_virt((base & APIC_BASE_ADDRESS) + XAPIC_ICR_LOW);
    volatile uint32_t *high = phys_to_virt((base & APIC_BASE_ADDRESS) + XAPIC_ICR_HIGH);
    *high = apic_id << 24;
    *low = command;
    for (unsigned us = 0; us < SEND_US && *low & ICR_SEND_PENDING; us++)
        clock_wait_us(1);
}

static bool ap_answers(const struct boot_cpu *cpu, uint32_t limit_us)
{
    for (uint32_t us = 0; us < limit_us; us += 10) {
        if (__atomic_load_n(&cpu->checked, __ATOMIC_ACQUIRE))
            return true;
        clock_wait_us(10);
    }
    return __atomic_load_n(&cpu->checked, __ATOMIC_ACQUIRE);
}

static void ap_init(const struct boot_cpu *cpu)
{
    ipi_send(cpu->apic_id, ICR_INIT);
    clock_wait_us(AFTER_INIT_US);
}

/* The second SIPI is for a CPU that has missed the first; a running CPU ignores it. */
static bool ap_start(const struct boot_cpu *cpu, uint64_t page_pa)
{
    const uint32_t startup = ICR_STARTUP | (uint32_t)(page_pa >> 12);
    ap_init(cpu);
    ipi_send(cpu->apic_id, startup);
    if (ap_answers(cpu, FIRST_ANSWER_US))
        return true;
    ipi_send(cpu->apic_id, startup);
    if (ap_answers(cpu, LAST_ANSWER_US))
        return true;
    ap_init(cpu); /* it must not run from the page later, when the page holds another CPU's parameters */
    return false;
}

static void ap_page_fill(uint8_t *page, uint64_t page_pa, const struct boot_cpu *cpu, uint64_t cr3)
{
    struct ap_parameters parameters = {.far_32 = (uint32_t)page_pa + (uint32_t)(ap_page_32 - ap_page),
                                       .far_32_selector = GDT_CODE32,
                                       .far_64 = (uint32_t)page_pa + (uint32_t)(ap_page_64 - ap_page),
                                       .far_64_selector = GDT_CODE64,
                                       .gdtr_limit = sizeof parameters.gdt - 1,
                                       .gdtr_base = (uint32_t)page_pa + AP_GDT,
                                       .cr3 = (uint32_t)cr3,
                                       .stack = (uint64_t)(uintptr_t)cpu->stack_top,
                                       .cpu = (uint64_t)(uintptr_t)cpu};
    gdt_fill(parameters.gdt);
    memcpy(page, ap_page, AP_GDT);
    memcpy(page + AP_GDT, &parameters, sizeof parameters);
}

static bool tsc_exchange(struct tsc_ahead *ahead, struct boot_cpu *cpu)
{
    const uint64_t before = tsc_read_in_order(), limit = LAST_ANSWER_US * clock_tsc_hz() / 1000000;
    uint64_t after;
    __atomic_store_n(&cpu->ping, cpu->ping + 1, __ATOMIC_RELEASE);
    do {
        after = tsc_read_in_order();
        if (after - before > limit)
            return false;
    } while (__atomic_load_n(&cpu->pong, __ATOMIC_ACQUIRE) != cpu->ping);
    after = tsc_read_in_order();
    tsc_ahead_take(ahead, before, cpu->tsc, after);
    return true;
}

/* TSCs that agree as nearly as can be measured are taken to be equal: hardware resets them together. */
static void tsc_compare(struct boot_cpu *cpu)
{
    struct tsc_ahead ahead = TSC_AHEAD_UNKNOWN;
    int64_t ticks;
    uint32_t error;
    for (unsigned i = 0; i < TSC_EXCHANGES && tsc_exchange(&ahead, cpu); i++)
        ;
    if (!tsc_ahead_differs(&ahead, &ticks, &error))
        return;
    trace_clock_move(cpu->number, (uint64_t)ticks, error);
    log_line("CPU %u: its TSC is %lu ticks %s than CPU 0's (within %u); the trace has CPU 0's time", cpu->number,
             (uint64_t)(ticks < 0 ? -ticks : ticks), ticks < 0 ? "lower" : "higher", error);
}

bool aps_log(const struct boot_cpu *cpu, const char *why)
{
    if (why)
        log_line("CPU %u (APIC id %u): %s", cpu->number, cpu->apic_id, why);
    else if (cpu->no_pt)
        log_line("CPU %u (APIC id %u): ready, but not traced: %s", cpu->number, cpu->apic_id, cpu->no_pt);
    else
        log_line("CPU %u (APIC id %u): ready", cpu->number, cpu->apic_id);
    return !why;
}

/* Start one CPU and log the result. false: it could not be taken over. */
static bool ap_take(struct boot_cpu *cpu, uint64_t page_pa)
{
    const bool reachable = cpu->apic_id <= XAPIC_MAX_ID || msr_read(IA32_APIC_BASE) & APIC_BASE_X2APIC;
    const char *why = !reachable               ? "APIC id above 254, but the firmware has not enabled x2APIC mode"
                      : ap_start(cpu, page_pa) ? cpu->no_vmx
                                               : "does not answer";
    if (!aps_log(cpu, why))
        return false;
    tsc_compare(cpu);
    return true;
}

bool aps_start(const struct aps_request *request)
{
    struct range place;
    const struct carve_request low = {.size = 4096, .align = 4096, .within = {AP_PAGE_FIRST, AP_PAGE_END}};
    bool all = true;

    if (request->nr_cpus == 1)
        return true;
    if (!(msr_read(IA32_APIC_BASE) & APIC_BASE_ENABLED) || !carve_find(&place, request->map, &low)) {
        log_line("cannot start the other CPUs: no local APIC, or no free memory below 640 KiB");
        return false;
    }
    trace_clock_set_number(gdt_cpu_number);
    uint8_t *page = phys_to_virt(place.start), saved[AP_PAGE_BYTES];
    memcpy(saved, page, sizeof saved);
    aps_shared.pat = msr_read(IA32_PAT);
    aps_shared.pt = request->pt;
    for (uint16_t i = 1; i < request->nr_cpus; i++) {
        ap_page_fill(page, place.start, &request->cpus[i], request->cr3);
        all &= ap_take(&request->cpus[i], place.start);
    }
    memcpy(page, saved, sizeof saved);
    return all;
}

void aps_reset(const struct boot_cpu *cpus, uint16_t nr_cpus)
{
    for (uint16_t i = 1; i < nr_cpus; i++)
        ap_init(&cpus[i]);
}

void aps_release(aps_run *run)
{
    __atomic_store_n(&aps_shared.run, run, __ATOMIC_RELEASE);
}
