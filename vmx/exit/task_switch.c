/* Kind: shell */
/*
 * Hardware task switches: by CALL, JMP, IRET or a task gate in the IDT. In VMX non-root operation they exit, and root
 * mode performs them; the processor has checked access to the new TSS (privilege, type, presence, limit).
 *
 * The trace has a VM exit where the switch begins, and a VM entry where the new task continues.
 *
 * Source: SDM Vol. 3C "Treatment of Task Switches", Table "Exit Qualification for Task Switches", "Saving RIP, RSP,
 * RFLAGS, and SSP"; Vol. 3A "Task Switching", Table "Exception Conditions Checked During a Task Switch", "Task-Switch
 * Exception Condition".
 */
#include "vmx/exit/handlers.h"

#include "base/control.h"
#include "vmx/code/code.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/view.h"
#include "vmx/exit/cr.h"
#include "vmx/exit/task_state.h"
#include "vmx/guest/data.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/power.h"

#define EFLAGS_DEFINED 0x3f7fd5u
#define DR6_BT (1ull << 15)
#define DR7_LOCAL 0x155ull
#define DR7_GD (1ull << 13)
#define PDPTES_BASE 0xffffffe0u

#define SELECTOR_RPL 3u
#define SELECTOR_TI 4u
#define SELECTOR_INDEX 0xfff8u
#define SELECTOR_IN_ERROR_CODE 0xfffcu
#define ERROR_CODE_EXT 1u
#define DESCRIPTOR_TYPE 5u /* the byte with the busy and the accessed flag */

#define RIGHTS_CODE32 0xc09bu /* flat */
#define RIGHTS_V86 0xf3u

enum task_source { FROM_CALL, FROM_IRET, FROM_JMP, FROM_GATE };

struct task_switch {
    struct cpu *cpu;
    uint32_t source;
    uint32_t event; /* IDT-vectoring information of a switch through a gate, else 0 */
    uint32_t selector;
    uint32_t external;           /* ERROR_CODE_EXT if the event is not caused by the program, else 0 */
    uint32_t vector, error_code; /* of a fault */
    bool nests;                  /* the new task returns to the old one */
    bool wide;
    struct task_segment tss; /* the new one */
    uint32_t fields[NR_TASK_FIELDS];
};

/* VMCS fields by number, whatever their width. */
static uint32_t get(uint32_t field)
{
    return (uint32_t)vmcs_read(field);
}

static void put(uint32_t field, uint64_t value)
{
    vmcs_write(field, value);
}

static bool fault(struct task_switch *s, uint32_t vector, uint32_t selector)
{
    s->vector = vector;
    s->error_code = (selector & SELECTOR_IN_ERROR_CODE) | s->external;
    return false;
}

/* --- the guest's memory ---------------------------------------------------------------------------------------------
 */

static void *memory_at(void *context, uint64_t gpa)
{
    void *memory = guest_ram(gpa);

    if (!memory)
        fail_stop(context, "hardware task switch: its TSS, descriptors, stack or page tables are not in memory");
    return memory;
}

/* Copy nr bytes from linear, or with GUEST_DATA_WRITE to it. A write to code counts as the guest's own. */
static bool copy(struct task_switch *s, uint32_t linear, void *bytes, uint32_t nr, uint32_t access)
{
    const struct guest_paging paging = guest_paging(get(VMCS_GUEST_CR3));
    struct guest_data data;

    for (uint8_t *at = bytes; nr > 0; nr--, at++, linear++) {
        if (!guest_data_walk(&data, &paging, linear, access, memory_at, s->cpu)) {
            __asm__ volatile("mov %0, %%cr2" : : "r"((uint64_t)linear));
            s->vector = VECTOR_PF;
            s->error_code = data.error_code;
            return false;
        }
        uint8_t *memory = memory_at(s->cpu, data.gpa);
        if (!(access & GUEST_DATA_WRITE)) {
            *at = *memory;
            continue;
        }
        code_written_by_root(s->cpu, data.gpa);
        *memory = *at;
    }
    return true;
}

/* The same for part of a descriptor, from an offset on. */
static bool descriptor_copy(struct task_switch *s, uint32_t selector, uint32_t offset, void *bytes, uint32_t nr,
                            uint32_t access)
{
    const uint32_t table = get(selector & SELECTOR_TI ? VMCS_GUEST_LDTR_BASE : VMCS_GUEST_GDTR_BASE);

    return copy(s, table + (selector & SELECTOR_INDEX) + offset, bytes, nr, access);
}

static bool type_write(struct task_switch *s, uint32_t selector, uint32_t access_rights)
{
    return descriptor_copy(s, selector, DESCRIPTOR_TYPE, &access_rights, 1, GUEST_DATA_WRITE);
}

/* --- the old task ---------------------------------------------------------------------------------------------------
 * A fault here leaves the old task as it was, so that the switch is repeated. What has been saved by then does no harm.
 */

static void old_fields(struct task_switch *s)
{
    const uint64_t *registers = (const uint64_t *)(const void *)&s->cpu->registers;

    for (uint32_t i = 0; i < 8; i++)
        s->fields[TASK_EAX + i] = (uint32_t)registers[i];
    for (uint32_t i = TASK_ES; i <= TASK_GS; i++)
        s->fields[i] = get(VMCS_GUEST_ES_SELECTOR + 2 * (i - TASK_ES));
    s->fields[TASK_ESP] = get(VMCS_GUEST_RSP);
    s->fields[TASK_EFLAGS] = get(VMCS_GUEST_RFLAGS);
    s->fields[TASK_EIP] = get(VMCS_GUEST_RIP);
    if (s->source == FROM_IRET)
        s->fields[TASK_EFLAGS] &= ~(uint32_t)RFLAGS_NT;
    /* The return address is after an instruction or a software event, but at the instruction of a fault. */
    if (s->source != FROM_GATE || event_type_of(s->event) >= EVENT_SOFTWARE_INTERRUPT)
        s->fields[TASK_EIP] += get(VMCS_EXIT_INSTRUCTION_LENGTH);
}

static bool state_save(struct task_switch *s, uint32_t rights)
{
    const uint32_t base = get(VMCS_GUEST_TR_BASE);
    uint16_t words[NR_TASK_NARROW];

    old_fields(s);
    if (rights & TASK_RIGHTS_WIDE)
        return copy(s, base + TASK_WIDE_AT + 4 * TASK_EIP, &s->fields[TASK_EIP], TASK_WIDE_SAVED_BYTES,
                    GUEST_DATA_WRITE);
    task_narrow_save(words, s->fields);
    return copy(s, base + TASK_NARROW_AT, words, TASK_NARROW_SAVED_BYTES, GUEST_DATA_WRITE);
}

static bool state_load(struct task_switch *s)
{
    uint16_t words[NR_TASK_NARROW];

    if (s->wide)
        return copy(s, s->tss.base + TASK_WIDE_AT, s->fields, sizeof s->fields, 0);
    if (!copy(s, s->tss.base + TASK_NARROW_AT, words, sizeof words, 0))
        return false;
    task_narrow_load(s->fields, words);
    return true;
}

static bool old_task_leave(struct task_switch *s)
{
    uint32_t selector = get(VMCS_GUEST_TR_SELECTOR), link;
    const uint32_t rights = get(VMCS_GUEST_TR_ACCESS_RIGHTS);

    if (get(VMCS_GUEST_TR_LIMIT) < (rights & TASK_RIGHTS_WIDE ? 0x5f : 0x29))
        return fault(s, VECTOR_TS, selector);
    if (!copy(s, s->tss.base, &link, 2, 0) || (s->nests && !copy(s, s->tss.base, &selector, 2, GUEST_DATA_WRITE)) ||
        !state_save(s, rights) || !state_load(s))
        return false;
    if (!s->nests && !type_write(s, selector, rights & ~TASK_RIGHTS_BUSY))
        return false;
    s->tss.access_rights |= TASK_RIGHTS_BUSY;
    return s->source == FROM_IRET || type_write(s, s->selector, s->tss.access_rights);
}

/* --- the new task ---------------------------------------------------------------------------------------------------
 * Faults from here on are the new task's.
 */

static void segment_put(uint32_t field, const struct task_segment *segment)
{
    field = 2 * (field - TASK_ES);
    put(VMCS_GUEST_ES_BASE + field, segment->base);
    put(VMCS_GUEST_ES_LIMIT + field, segment->limit);
    put(VMCS_GUEST_ES_ACCESS_RIGHTS + field, segment->access_rights);
}

/* Segments are unusable until they are loaded, and CPL is 3 until SS is loaded, so that the handler of a fault uses the
 * stack in the TSS. */
static void task_commit(struct task_switch *s)
{
    static const struct task_segment none = {0, 0, TASK_RIGHTS_UNUSABLE | TASK_RIGHTS_DPL},
                                     flat = {0, 0xffffffff, RIGHTS_CODE32 | TASK_RIGHTS_DPL};
    uint64_t *registers = (uint64_t *)(void *)&s->cpu->registers;
    const uint32_t traps = s->fields[TASK_TRAP];

    put(VMCS_GUEST_CR0, get(VMCS_GUEST_CR0) | CR0_TS);
    put(VMCS_GUEST_DR7, get(VMCS_GUEST_DR7) & ~DR7_LOCAL);
    put(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS, 0);
    put(VMCS_GUEST_RIP, s->fields[TASK_EIP]);
    put(VMCS_GUEST_RFLAGS, (s->fields[TASK_EFLAGS] & EFLAGS_DEFINED) | RFLAGS_FIXED | (s->nests ? RFLAGS_NT : 0));
    put(VMCS_GUEST_RSP, s->fields[TASK_ESP]);
    for (uint32_t i = 0; i < 8; i++)
        registers[i] = s->fields[TASK_EAX + i];
    s->fields[TASK_TR] = s->selector;
    for (uint32_t i = TASK_ES; i <= TASK_TR; i++) {
        s->fields[i] &= 0xffff;
        put(VMCS_GUEST_ES_SELECTOR + 2 * (i - TASK_ES), s->fields[i]);
        segment_put(i, i == TASK_TR ? &s->tss : i == TASK_CS ? &flat : &none);
    }
    s->fields[TASK_TRAP] = traps;
}

static void cr3_load(struct task_switch *s)
{
    const uint32_t cr3 = s->fields[TASK_CR3];

    if (!s->wide || !(get(VMCS_GUEST_CR0) & CR0_PG) || cr3 == get(VMCS_GUEST_CR3))
        return;
    put(VMCS_GUEST_CR3, cr3);
    cr3_watch(s->cpu);
    pt_park(s->cpu->pt); /* tracing continues with a PSB+, which has CR3; not all VM entries have a PIP */
    pt_unpark(s->cpu->pt);
    ept_invalidate(s->cpu);
    if (get(VMCS_GUEST_CR4) & CR4_PAE) {
        const uint64_t *pdptes = memory_at(s->cpu, cr3 & PDPTES_BASE);

        for (uint32_t i = 0; i < 4; i++)
            put(VMCS_GUEST_PDPTE0 + 2 * i, pdptes[i]);
    }
}

static bool segment_fetch(struct task_switch *s, uint32_t field, struct task_segment *segment)
{
    const uint32_t selector = s->fields[field];
    uint64_t descriptor;

    if ((selector | 7) > get(selector & SELECTOR_TI ? VMCS_GUEST_LDTR_LIMIT : VMCS_GUEST_GDTR_LIMIT))
        return fault(s, VECTOR_TS, selector); /* without an LDT its limit is 0 */
    if (!descriptor_copy(s, selector, 0, &descriptor, sizeof descriptor, 0))
        return false;
    task_segment_of(segment, descriptor);
    const uint32_t vector =
        task_segment_fault(field, selector, s->fields[TASK_CS] & SELECTOR_RPL, segment->access_rights);
    if (vector != 0)
        return fault(s, vector, selector);
    if (field == TASK_LDTR || (segment->access_rights & TASK_RIGHTS_ACCESSED))
        return true;
    segment->access_rights |= TASK_RIGHTS_ACCESSED;
    return type_write(s, selector, segment->access_rights);
}

static bool segment_load(struct task_switch *s, uint32_t field)
{
    const uint32_t selector = s->fields[field];
    struct task_segment segment = {selector << 4, 0xffff, RIGHTS_V86};

    if (field == TASK_LDTR || !(s->fields[TASK_EFLAGS] & RFLAGS_VM)) {
        if (!(selector & SELECTOR_IN_ERROR_CODE))
            return (field != TASK_CS && field != TASK_SS) || fault(s, VECTOR_TS, 0);
        if (!segment_fetch(s, field, &segment))
            return false;
    }
    if (field == TASK_SS)
        put(VMCS_GUEST_CS_ACCESS_RIGHTS, RIGHTS_CODE32 | (segment.access_rights & TASK_RIGHTS_DPL));
    segment_put(field, &segment);
    return true;
}

/* An exception's error code is pushed on the new task's stack. */
static bool error_code_push(struct task_switch *s)
{
    const uint32_t rights = get(VMCS_GUEST_SS_ACCESS_RIGHTS), limit = get(VMCS_GUEST_SS_LIMIT);
    const uint32_t mask = rights & TASK_RIGHTS_B ? 0xffffffff : 0xffff, nr = s->wide ? 4 : 2;
    const uint32_t esp = s->fields[TASK_ESP], at = (esp - nr) & mask;
    uint32_t code = get(VMCS_IDT_VECTORING_ERROR_CODE);

    if (rights & TASK_RIGHTS_EXPAND_DOWN ? at <= limit : at + nr - 1 > limit)
        return fault(s, VECTOR_SS, 0);
    put(VMCS_GUEST_RSP, (esp & ~mask) | at);
    return copy(s, get(VMCS_GUEST_SS_BASE) + at, &code, nr,
                rights & TASK_RIGHTS_DPL ? GUEST_DATA_WRITE | GUEST_DATA_USER : GUEST_DATA_WRITE);
}

static bool new_task_enter(struct task_switch *s)
{
    static const uint8_t order[] = {TASK_LDTR, TASK_SS, TASK_DS, TASK_ES, TASK_FS, TASK_GS, TASK_CS};

    cr3_load(s);
    for (uint32_t i = 0; i < sizeof order; i++)
        if (!segment_load(s, order[i]))
            return false;
    if ((s->event & EVENT_HAS_ERROR_CODE) && !error_code_push(s))
        return false;
    return s->fields[TASK_EIP] <= get(VMCS_GUEST_CS_LIMIT) || fault(s, VECTOR_GP, 0);
}

/* The T flag's debug trap, before the new task's first instruction. VM entry does not change DR6 and DR7 as its
 * delivery would. */
static void task_traps(void)
{
    uint64_t dr6;

    __asm__ volatile("mov %%dr6, %0" : "=r"(dr6));
    __asm__ volatile("mov %0, %%dr6" : : "r"(dr6 | DR6_BT));
    put(VMCS_GUEST_DR7, get(VMCS_GUEST_DR7) & ~DR7_GD);
    guest_inject_exception(VECTOR_DB);
}

static void fault_deliver(const struct task_switch *s)
{
    const uint32_t vector = event_nested(s->event, s->vector);
    struct event injected = event_exception(vector, true);

    if (vector == 0)
        triple_fault_exit(s->cpu);
    if (vector == s->vector)
        injected.error_code = s->error_code;
    put(VMCS_GUEST_RFLAGS, get(VMCS_GUEST_RFLAGS) | RFLAGS_RF); /* as faults do in the RFLAGS image that they push */
    guest_inject(injected);
}

static bool task_switched(struct task_switch *s)
{
    uint64_t descriptor;

    if (!descriptor_copy(s, s->selector, 0, &descriptor, sizeof descriptor, 0))
        return false;
    task_segment_of(&s->tss, descriptor);
    s->wide = s->tss.access_rights & TASK_RIGHTS_WIDE;
    if (!old_task_leave(s))
        return false;
    task_commit(s);
    return new_task_enter(s);
}

enum exit_action task_switch_exit(struct cpu *cpu)
{
    const uint32_t qualification = get(VMCS_EXIT_QUALIFICATION);
    struct task_switch s = {.cpu = cpu, .selector = qualification & 0xffff, .source = qualification >> 30};

    s.nests = s.source == FROM_CALL || s.source == FROM_GATE;
    if (s.source == FROM_GATE) {
        s.event = get(VMCS_IDT_VECTORING_INFORMATION);
        s.external = event_type_of(s.event) < EVENT_SOFTWARE_INTERRUPT ? ERROR_CODE_EXT : 0;
    }
    pt_offset(cpu->pt); /* soft PT stops here and starts again with the new task, as Intel PT does */
    /* IRET unblocks NMIs; blocking by STI and MOV SS ends in any case. */
    put(VMCS_GUEST_INTERRUPTIBILITY_STATE,
        s.source == FROM_IRET ? 0 : get(VMCS_GUEST_INTERRUPTIBILITY_STATE) & INTERRUPTIBILITY_NMI);
    machine_lock(cpu);
    const bool done = task_switched(&s);
    machine_unlock(cpu);
    if (!done)
        fault_deliver(&s);
    else if (s.fields[TASK_TRAP] & 1)
        task_traps();
    if (done)
        code_segment_loaded(cpu);
    return EXIT_INJECTED;
}
