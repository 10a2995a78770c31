/* A seed's mode beside 64-bit mode: compatibility mode with segments of its own, legacy protected mode, virtual-8086
 * mode, real-address mode. */
#include "modes.h"

#include "machine.h"

#define CR0_ALL 0x00050033u /* AM, WP, NE, ET, MP, PE */
#define CR0_PE 1u
#define CR0_PG 0x80000000u
#define CR4_VME 1u
#define CR4_PSE 0x10u
#define CR4_PAE 0x20u
#define CR4_SSE 0x600u
#define FLAGS_VM 0x20000u
#define FLAGS_IF 0x200u

static struct {
    enum modes_paging paging;
    uint32_t cr0, cr3, cr4, how;
} mode;

static struct modes_registers *shared(void)
{
    return (struct modes_registers *)(uintptr_t)MODES_AT;
}

/* A segment's base and the offset of at in it: flat, or any. most: of the offset. */
static uint32_t base_choose(uint32_t at, uint32_t most, uint64_t *offset)
{
    const uint32_t flat = below(3) ? at : at & 0xffff;

    *offset = most < at || below(3) ? below(most / 16 + 1) * 16 : flat;
    return (uint32_t)(at - *offset);
}

/* The linear addresses are CODE_AT and DATA_AT, or the same above MODES_HIGH. */
static void segments_choose(bool confined)
{
    const uint32_t high = !confined && below(3) == 0 ? MODES_HIGH : 0;
    const uint32_t most = confined ? CODE_AT : run.width == WIDTH_16 ? 0xd000 : below(2) ? 0xd000 : 0xfffff000;
    const uint32_t code = base_choose(high + CODE_AT, most, &run.code_at);
    const uint32_t data = base_choose(high + DATA_AT, confined ? DATA_AT : 0xa000, &run.data_at);

    run.cs = (uint16_t)(RANDOM_CODE | run.cpl);
    run.ds = (uint16_t)(RANDOM_DATA | run.cpl);
    run.flags = run.cpl == 3 ? FLAGS_IF : 0;
    modes_segments_make(run.width, run.cpl, code, data, confined);
}

/* CS:IP and DS:offset for the same linear addresses, as real-address mode has them. */
static void paragraphs_choose(void)
{
    run.cs = (uint16_t)below(CODE_AT / 16 + 1);
    run.ds = (uint16_t)below(DATA_AT / 16 + 1);
    run.code_at = CODE_AT - 16u * run.cs;
    run.data_at = DATA_AT - 16u * run.ds;
}

static void legacy_choose(void)
{
    run.cpl = below(4);
    run.width = below(2) ? WIDTH_32 : WIDTH_16;
    mode.paging = (enum modes_paging)below(3);
    mode.how = run.cpl != 0;
    run.exposed = mode.paging == PAGING_OFF && run.cpl == 0;
    segments_choose(mode.paging == PAGING_OFF);
}

static void vm86_choose(void)
{
    run.cpl = 3;
    run.width = WIDTH_16;
    mode.paging = (enum modes_paging)below(3);
    mode.how = 1;
    paragraphs_choose();
    run.flags = FLAGS_VM | FLAGS_IF | (below(2) ? 0x3000 : 0); /* IOPL */
    mode.cr4 |= below(2) ? CR4_VME : 0;
    if (mode.cr4 & CR4_VME)
        run.flags |= (uint64_t)below(3) << 19; /* VIF or VIP. Both are #GP before anything has been executed */
}

static void real_choose(void)
{
    run.cpl = 0;
    run.width = WIDTH_16;
    mode.paging = PAGING_OFF;
    mode.how = 2;
    run.exposed = true;
    paragraphs_choose();
}

/* In: IRET's and the far jump's registers of random_state. */
static void modes_enter(void)
{
    struct random_state *s = &random_state;
    struct modes_registers *r = shared();

    *r = (struct modes_registers){.eax = (uint32_t)s->r[0],
                                  .ecx = (uint32_t)s->r[1],
                                  .edx = (uint32_t)s->r[2],
                                  .ebx = (uint32_t)s->r[3],
                                  .ebp = (uint32_t)s->r[5],
                                  .esi = (uint32_t)s->r[6],
                                  .edi = (uint32_t)s->r[7],
                                  .eip = (uint32_t)s->rip,
                                  .cs = (uint32_t)s->cs,
                                  .eflags = (uint32_t)s->rflags,
                                  .esp = (uint32_t)s->rsp,
                                  .ss = (uint32_t)s->ss,
                                  .es = (uint32_t)s->es,
                                  .ds = (uint32_t)s->ds,
                                  .fs = (uint32_t)s->fs,
                                  .gs = (uint32_t)s->gs,
                                  .cr0 = mode.cr0,
                                  .cr3 = mode.cr3,
                                  .cr4 = mode.cr4,
                                  .how = mode.how};
    modes_segments_reset();
    modes_switch();
    if (r->vector == VECTOR_DOUBLE_FAULT) { /* SDM, Volume 3, "Task-State Segment (TSS)": EIP at 20H, ES at 48H */
        const uint32_t *from = modes_tss + 8;
        uint32_t *const to[] = {&r->eip, &r->eflags, &r->eax, &r->ecx, &r->edx, &r->ebx, &r->esp, &r->ebp,
                                &r->esi, &r->edi,    &r->es,  &r->cs,  &r->ss,  &r->ds,  &r->fs,  &r->gs};

        for (uint32_t i = 0; i < sizeof to / sizeof to[0]; i++)
            *to[i] = from[i];
    }
    const uint64_t registers[] = {r->eax, r->ecx, r->edx, r->ebx, 0, r->ebp, r->esi, r->edi};
    for (uint32_t i = 0; i < 16; i++)
        s->r[i] = i < 8 ? registers[i] : 0;
    s->rip = r->eip;
    s->cs = r->cs & 0xffff;
    s->rflags = r->eflags;
    s->rsp = r->esp;
    s->ss = r->ss & 0xffff;
    s->es = r->es & 0xffff;
    s->ds = r->ds & 0xffff;
    s->fs = r->fs & 0xffff;
    s->gs = r->gs & 0xffff;
    s->vector = r->vector;
    s->error = r->error;
    s->cr2 = r->cr2;
    s->dr6 = r->dr6;
}

void modes_choose(enum kind kind)
{
    const bool wide = kind == KIND_COMPAT; /* IA-32e mode */

    run.exposed = run.one_stack = false;
    msr_set(0x175, (uint64_t)(uintptr_t)(wide ? random_stack_top : modes_stack_top)); /* IA32_SYSENTER_ESP */
    msr_set(0x176, (uint64_t)(uintptr_t)(wide ? random_sysenter : modes_sysenter));   /* IA32_SYSENTER_EIP */
    if (wide) {
        run.cpl = below(4);
        run.width = below(2) ? WIDTH_32 : WIDTH_16;
        run.enter = random_enter;
        segments_choose(false);
        return;
    }
    mode.cr4 = CR4_SSE | (below(2) ? CR4_PSE : 0);
    kind == KIND_LEGACY ? legacy_choose() : kind == KIND_V86 ? vm86_choose() : real_choose();
    mode.cr0 = CR0_ALL | (mode.paging == PAGING_OFF ? 0 : CR0_PG);
    mode.cr4 |= mode.paging == PAGING_PAE ? CR4_PAE : 0;
    mode.cr3 = modes_memory_reset(mode.paging, run.cpl == 3, kind == KIND_V86);
    modes_tss_make(kind == KIND_V86, mode.cr3);
    run.enter = modes_enter;
    run.one_stack = run.cpl == 0;
    if (mode.paging == PAGING_OFF) {
        run.code = LOW_CODE;
        run.data = LOW_DATA;
    }
}

void modes_prepare(void)
{
    modes_memory_prepare();
    modes_segments_prepare();
}
