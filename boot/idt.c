/* The IDT, and where an exception in root mode leads: to a registered landing, or to a dump and the end. */
#include <stdbool.h>

#include "boot/gdt.h"
#include "boot/trap_frame.h"
#include "serial/log.h"

#define NR_VECTORS 32u
#define STUB_SIZE 16u
#define VECTOR_NMI 2
#define VECTOR_DF 8
#define VECTOR_MC 18

extern const char trap_stubs[];

void trap_handle(struct trap_frame *frame); /* called by boot/traps.S */

/* SDM Vol. 3A, "64-Bit IDT Gate Descriptors". */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t ist;
    uint8_t type; /* 8EH: present, DPL 0, interrupt gate */
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM: a 64-bit gate has 16 bytes");

static struct gate idt[NR_VECTORS];

struct fixup {
    uint64_t instruction;
    uint64_t landing;
};
extern const struct fixup fixup_table_start[], fixup_table_end[]; /* linker.ld; entries by boot/fixup.h */

static uint8_t ist_of(unsigned vector)
{
    return vector == VECTOR_NMI ? 1 : vector == VECTOR_DF ? 2 : vector == VECTOR_MC ? 3 : 0;
}

void idt_load(int with_stacks)
{
    for (unsigned v = 0; v < NR_VECTORS; v++) {
        uint64_t stub = (uint64_t)(uintptr_t)(trap_stubs + STUB_SIZE * v);
        idt[v] = (struct gate){.offset_low = (uint16_t)stub,
                               .selector = GDT_CODE64,
                               .ist = with_stacks ? ist_of(v) : 0,
                               .type = 0x8e,
                               .offset_middle = (uint16_t)(stub >> 16),
                               .offset_high = (uint32_t)(stub >> 32)};
    }
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } idtr = {sizeof idt - 1, (uint64_t)(uintptr_t)idt};
    __asm__ volatile("lidt %0" : : "m"(idtr));
}

static _Noreturn void park(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt");
}

static _Noreturn void dump_and_park(const struct trap_frame *f)
{
    static bool dumping;
    uint64_t cr2, cr3;
    if (dumping) /* what logs is what broke */
        park();
    dumping = true;
    __asm__ volatile("mov %%cr2, %0\n\tmov %%cr3, %1" : "=r"(cr2), "=r"(cr3));
    log_panic("exception %lu in root mode, error code %lx; the CPU is parked", f->vector, f->error_code);
    log_panic("rip %016lx cs %04lx rflags %lx rsp %016lx", f->rip, f->cs, f->rflags, f->rsp);
    log_panic("rax %016lx rbx %016lx rcx %016lx rdx %016lx", f->rax, f->rbx, f->rcx, f->rdx);
    log_panic("rsi %016lx rdi %016lx rbp %016lx r8  %016lx", f->rsi, f->rdi, f->rbp, f->r8);
    log_panic("r9  %016lx r10 %016lx r11 %016lx r12 %016lx", f->r9, f->r10, f->r11, f->r12);
    log_panic("r13 %016lx r14 %016lx r15 %016lx cr2 %016lx cr3 %016lx", f->r13, f->r14, f->r15, cr2, cr3);
    park();
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
    dump_and_park(frame);
}
