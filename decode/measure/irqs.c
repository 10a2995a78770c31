#include "decode/measure/irqs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/names/symbol_match.h"

enum irqs_class {
    CLASS_OTHER = 1,
    CLASS_HARDWARE, /* enters through an interrupt gate, and does not set IF before it calls softirqs */
    CLASS_SOFTIRQS, /* sets IF */
    CLASS_CALLER,   /* calls the handlers of devices */
    CLASS_PROLOGUE  /* saves registers before the handler is called */
};

static uint32_t classify(void *context, const struct name *name)
{
    static const struct {
        const char *symbol;
        bool prefix;
        enum irqs_class is;
    } classes[] = {{"asm_sysvec_", true, CLASS_HARDWARE},
                   {"irq_entries_start", false, CLASS_HARDWARE},
                   {"asm_common_interrupt", false, CLASS_HARDWARE},
                   {"spurious_entries_start", false, CLASS_HARDWARE},
                   {"__do_softirq", false, CLASS_SOFTIRQS},
                   {"handle_softirqs", false, CLASS_SOFTIRQS},
                   {"do_softirq_own_stack", false, CLASS_SOFTIRQS},
                   {"__handle_irq_event_percpu", false, CLASS_CALLER},
                   {"handle_percpu_devid_irq", false, CLASS_CALLER},
                   {"asm_common_interrupt", false, CLASS_PROLOGUE},
                   {"error_entry", false, CLASS_PROLOGUE},
                   {"paranoid_entry", false, CLASS_PROLOGUE}};
    (void)context;
    for (size_t i = 0; name->symbol && i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].prefix ? !strncmp(name->symbol, classes[i].symbol, strlen(classes[i].symbol))
                              : symbol_is(name->symbol, classes[i].symbol))
            return classes[i].is;
    return CLASS_OTHER;
}

/* The vector that the code at an address pushes before it jumps: [ENDBR64] PUSH imm8 ... JMP. false: it does not. */
static bool pushed_vector(const uint8_t *bytes, size_t size, uint8_t *vector)
{
    size_t at = size >= 4 && !memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
    bool pushed = false;
    for (; at + 2 <= size && bytes[at] == 0x6a; at += 2) {
        *vector = bytes[at + 1];
        pushed = true;
    }
    return pushed && at < size && (bytes[at] == 0xe9 || bytes[at] == 0xeb);
}

static void vector_text(char text[8], const struct open_task *task, uint64_t to)
{
    uint8_t bytes[16], vector = 0;
    const uint64_t space = task->pages ? code_pages_space(task->pages, task->space) : 0;
    const size_t size = task->pages ? code_pages_read(task->pages, space, task->at, to, bytes, sizeof(bytes)) : 0;
    text[0] = '\0';
    if (pushed_vector(bytes, size, &vector))
        snprintf(text, 8, "%u", vector);
}

/* The call's user field: its row, and this bit once interrupts may be on. */
#define MAY_BE_ON 1u

static struct measure_row *row_of(const struct open_call *call)
{
    return (struct measure_row *)(uintptr_t)(call->user & ~(uint64_t)MAY_BE_ON);
}

/* Interrupts may be on in the innermost interrupt of the task from here on. */
static void end_off(struct irqs *irqs, struct open_task *task, uint64_t tsc)
{
    for (size_t depth = task->depth - 1; depth-- > 0;) {
        struct open_call *call = &task->calls[depth];
        if (call->entry != STACK_INTERRUPT)
            continue;
        if (row_of(call) && !(call->user & MAY_BE_ON) && row_of(call)->state == CLASS_HARDWARE)
            measured_add(&row_of(call)->measured[IRQS_OFF], &irqs->measure, task, call, tsc, false);
        call->user |= MAY_BE_ON;
        return;
    }
}

static void begin_interrupt(struct irqs *irqs, struct open_task *task, struct open_call *call, uint64_t tsc)
{
    char text[8];
    end_off(irqs, task, tsc);
    vector_text(text, task, call->to);
    struct measure_row *row = measure_rows_find(&irqs->rows, text, call->name);
    call->user = (uint64_t)(uintptr_t)row;
    if (row)
        row->state = name_class(&irqs->classes, call->name);
}

/* The function that an interrupt's entry code calls handles it; for devices, the one that a CLASS_CALLER calls. */
static void note_handler(struct irqs *irqs, struct open_task *task, const struct open_call *call)
{
    const struct open_call *caller = call - 1;
    if (caller->entry == STACK_INTERRUPT && row_of(caller) && !row_of(caller)->other &&
        name_class(&irqs->classes, call->name) != CLASS_PROLOGUE)
        row_of(caller)->other = call->name;
    if (name_class(&irqs->classes, caller->name) != CLASS_CALLER)
        return;
    for (size_t depth = task->depth - 1; depth-- > 0;)
        if (task->calls[depth].entry == STACK_INTERRUPT) {
            if (row_of(&task->calls[depth]))
                row_of(&task->calls[depth])->other = call->name;
            return;
        }
}

static void on_begin(void *context, struct open_task *task, uint64_t tsc)
{
    struct irqs *irqs = context;
    struct open_call *call = open_calls_top(task);
    if (call->entry == STACK_INTERRUPT)
        begin_interrupt(irqs, task, call, tsc);
    else if (task->depth > 1 && measure_has(&irqs->measure, call->begin))
        note_handler(irqs, task, call);
    if (task->depth > 1 && name_class(&irqs->classes, call->name) == CLASS_SOFTIRQS)
        end_off(irqs, task, tsc);
}

static void on_return(void *context, struct open_task *task, uint64_t tsc)
{
    struct irqs *irqs = context;
    const struct open_call *call = open_calls_top(task);
    struct measure_row *row = call->entry == STACK_INTERRUPT ? row_of(call) : NULL;
    if (!row)
        return;
    measured_add(&row->measured[IRQS_ALL], &irqs->measure, task, call, tsc, false);
    if (!(call->user & MAY_BE_ON) && row->state == CLASS_HARDWARE)
        measured_add(&row->measured[IRQS_OFF], &irqs->measure, task, call, tsc, false);
}

static void on_leave(void *context, struct open_task *task, uint64_t tsc)
{
    struct irqs *irqs = context;
    (void)tsc;
    for (size_t depth = 0; depth < task->depth; depth++) {
        const struct open_call *call = &task->calls[depth];
        if (call->entry == STACK_INTERRUPT && row_of(call))
            measured_leave(&row_of(call)->measured[IRQS_ALL], &irqs->measure, task, call, false);
    }
}

bool irqs_collect(struct irqs *irqs, struct calls_run *run, struct error *error)
{
    const struct open_hooks hooks = {.begins = on_begin, .returns = on_return, .leaves = on_leave, .context = irqs};
    irqs->classes = (struct name_classes){.classify = classify};
    return open_calls_decode(&hooks, run, irqs->measure.from, error) &&
           (!irqs->rows.no_memory || error_set(error, ERROR_MEMORY, 0, "the interrupts' times"));
}

void irqs_free(struct irqs *irqs)
{
    measure_rows_free(&irqs->rows);
    name_classes_free(&irqs->classes);
}
