/* Kind: shell */
/* Exceptions in root mode: resume at the instruction's fixup (base/fixup.h), or dump the registers and park the CPU. */
#include <stdbool.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/trap_frame.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/guest/inject.h"
#include "vmx/host/gdt.h"

void trap_handle(struct trap_frame *frame); /* called by vmx/host/traps.S */

struct fixup {
    uint64_t instruction;
    uint64_t landing;
};
extern const struct fixup fixup_table_start[], fixup_table_end[]; /* linker.ld; entries by base/fixup.h */

static _Noreturn void trap_park(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

/* Dumps are serialized to keep them readable. A CPU waits for another's dump, but not longer than this. */
#define DUMP_SECONDS_MAX 10u
#define NO_CPU UINT32_MAX
static uint32_t dumping_cpu = NO_CPU; /* atomic */

static bool dump_try(uint16_t number)
{
    uint32_t other = NO_CPU;
    if (__atomic_compare_exchange_n(&dumping_cpu, &other, number, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return true;
    if (other == number) /* an exception while dumping: logging does not work */
        trap_park();
    return false;
}

static void dump_begin(uint16_t number)
{
    if (dump_try(number))
        return;
    uint64_t start = tsc_read(), limit = DUMP_SECONDS_MAX * clock_tsc_hz();
    while (!dump_try(number)) {
        if (tsc_read() - start > limit) {
            __atomic_store_n(&dumping_cpu, number, __ATOMIC_RELAXED);
            return;
        }
        __asm__ volatile("pause");
    }
}

static void dump_end(void)
{
    __atomic_store_n(&dumping_cpu, NO_CPU, __ATOMIC_RELEASE);
}

static _Noreturn void trap_dump_and_park(const struct trap_frame *f)
{
    uint16_t number = gdt_cpu_number();
    uint64_t cr2, cr3;
    __asm__ volatile("mov %%cr2, %0\n\tmov %%cr3, %1" : "=r"(cr2), "=r"(cr3));
    dump_begin(number);
    log_panic("exception %lu in root mode on CPU %u, error code %lx; the CPU is parked", f->vector, number,
              f->error_code);
    log_panic("rip %016lx cs %04lx rflags %lx rsp %016lx", f->rip, f->cs, f->rflags, f->rsp);
    log_panic("rax %016lx rbx %016lx rcx %016lx rdx %016lx", f->rax, f->rbx, f->rcx, f->rdx);
    log_panic("rsi %016lx rdi %016lx rbp %016lx r8  %016lx", f->rsi, f->rdi, f->rbp, f->r8);
    log_panic("r9  %016lx r10 %016lx r11 %016lx r12 %016lx", f->r9, f->r10, f->r11, f->r12);
    log_panic("r13 %016lx r14 %016lx r15 %016lx cr2 %016lx cr3 %016lx", f->r13, f->r14, f->r15, cr2, cr3);
    dump_end();
    vmx_root_fault();
    trap_park();
}

void trap_handle(struct trap_frame *frame)
{
    if (frame->vector == VECTOR_NMI) {
        vmx_root_nmi(frame);
        return;
    }
    for (const struct fixup *fixup = fixup_table_start; fixup < fixup_table_end; fixup++) {
        if (fixup->instruction == frame->rip) {
            frame->rip = fixup->landing;
            return;
        }
    }
    trap_dump_and_park(frame);
}
