/*
 * events: events of every type whose delivery meets an obstacle: their gate in the IDT or their stack is absent, or the
 * stack is a page of code, which root mode has made read-only. Prints which vectors were delivered, with the error code
 * and the place of each page fault. Hardware guarantees that (SDM Vol. 3A "Interrupt 8: Double Fault Exception (#DF)",
 * Table "Conditions for Generating a Double Fault"; "Interrupt 14: Page-Fault Exception (#PF)").
 *
 * Command line: "end=idt" is a triple fault by an exception whose IDT is absent, "end=gates" by a page fault whose gate
 * is absent, as is that of #DF, "end=stack" by a double fault whose stack is absent. Else all that returns.
 */
#include "ap.h"
#include "machine.h"

#define PAGE 4096u
#define P_RW 3ull
#define BASE (1ull << 39) /* the second entry of the PML4 table */
#define IDT_AT BASE       /* two pages */
#define STACK_AT (BASE + 2 * PAGE)
#define DATA_AT (BASE + 3 * PAGE)
#define NR_PAGES 4u
#define NR_STUBS 34u
#define STUB_BYTES 16u
#define RETURN 0xc3u

#define VECTOR_DEBUG 1u
#define VECTOR_NMI 2u
#define VECTOR_DF 8u
#define VECTOR_PF 14u
#define VECTOR_INTERRUPT 32u
#define VECTOR_INT 33u
#define TF 0x100ull
#define CODE64 0x10u

#define GATE_INTERRUPT 0xee00u /* DPL 3 */
#define IST_VICTIM 1u
#define IST_DF 2u
#define IST_PF 3u
#define TSS_IST 36u /* IST1 */
#define DESCRIPTOR_TSS 0x30u

struct event_frame {
    uint64_t vector, error_code, rip, cs, rflags, rsp, ss;
};

struct gate {
    uint16_t offset_low, selector, attributes, offset_middle;
    uint32_t offset_high, reserved;
};

/* entry.S */
extern const uint8_t events_stubs[], events_recover[];
extern uint64_t events_rsp;
extern volatile uint8_t events_takes_stack;
void events_run(void (*story)(void));
void events_undefined(void), events_divide(void), events_protection(void), events_step(void), events_int1(void),
    events_int3(void), events_into(void), events_int(void);
void events_seen(struct event_frame *frame);

extern uint64_t events_stack_entry;
static uint8_t pages[NR_PAGES][PAGE] __attribute__((aligned(4096)));
static uint64_t pdpt[512] __attribute__((aligned(4096))), directory[512] __attribute__((aligned(4096)));
static uint8_t df_stack[PAGE] __attribute__((aligned(4096))), pf_stack[PAGE] __attribute__((aligned(4096)));
uint64_t events_table[512] __attribute__((aligned(4096)));
__asm__(".globl events_stack_entry\n.set events_stack_entry, events_table + 16");

static volatile unsigned skips; /* bytes of the instruction that faults */
static volatile bool nmi_again;

static uint64_t physical(const void *at)
{
    return (uint64_t)(uintptr_t)at; /* memory is mapped one to one */
}

static void page_set(unsigned page, bool present)
{
    ((volatile uint64_t *)events_table)[page] = present ? physical(pages[page]) | P_RW : 0;
    __asm__ volatile("invlpg (%0)" : : "r"(BASE + page * PAGE) : "memory");
}

static void gate_ist(unsigned boundary, unsigned vector, unsigned ist)
{
    struct gate *gates = (struct gate *)(void *)(pages[0] + PAGE - boundary * sizeof(struct gate));

    gates[vector].attributes = (uint16_t)(GATE_INTERRUPT | ist);
}

/* --- what was seen --- */

static void letter(char c)
{
    const char text[2] = {c, 0};

    console_text(text);
}

/* For #PF and #DF, CR2: i and j are the pages of the IDT, s the stack, d data. */
static void seen_print(const struct event_frame *frame)
{
    uint64_t cr2;

    __asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
    console_text(" ");
    console_number(frame->vector);
    if (frame->error_code || frame->vector == VECTOR_PF) {
        console_text("/");
        console_number(frame->error_code);
    }
    if (frame->vector == VECTOR_PF || frame->vector == VECTOR_DF)
        letter(cr2 - BASE < NR_PAGES * PAGE ? "ijsd"[(cr2 - BASE) / PAGE] : '?');
}

void events_seen(struct event_frame *frame)
{
    uint64_t cr2;

    __asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
    seen_print(frame);
    switch (frame->vector) {
    case VECTOR_DEBUG:
        frame->rflags &= ~TF;
        break;
    case VECTOR_NMI:
        if (nmi_again) {
            nmi_again = false;
            ipi_xapic(0, IPI_NMI); /* latched until IRET */
            gate_ist(VECTOR_PF, VECTOR_NMI, 0);
            events_takes_stack = 1;
        }
        break;
    case VECTOR_DF:
        frame->rip = (uint64_t)(uintptr_t)events_recover;
        frame->cs = CODE64;
        frame->rsp = events_rsp;
        frame->rflags = 2;
        break;
    case VECTOR_PF:
        page_set((unsigned)((cr2 - BASE) / PAGE) % NR_PAGES, true);
        break;
    case VECTOR_INTERRUPT:
        interrupt_end();
        break;
    default:
        frame->rip += skips;
        break;
    }
}

/* --- the events --- */

static void page_fault(void)
{
    *(volatile uint32_t *)(uintptr_t)DATA_AT = 5;
}

static void nmi(void)
{
    ipi_xapic(0, IPI_NMI);
    ap_pause(20);
}

static void nmi_twice(void)
{
    nmi_again = true;
    nmi();
}

static void interrupt(void)
{
    ipi_xapic(0, IPI_FIXED | VECTOR_INTERRUPT);
    ap_pause(20);
    __asm__ volatile("sti\n\tnop\n\tnop\n\tcli");
    if (APIC(0x110)) { /* ISR, vectors 32 to 63: in service, but its handler has not run */
        console_text(" lost");
        interrupt_end();
    }
}

static const struct event {
    const char *name;
    void (*run)(void);
    uint8_t vector, skips;
} events[] = {{"divide", events_divide, 0, 2},
              {"step", events_step, VECTOR_DEBUG, 0},
              {"int1", events_int1, VECTOR_DEBUG, 0},
              {"nmi", nmi, VECTOR_NMI, 0},
              {"int3", events_int3, 3, 0},
              {"into", events_into, 4, 0},
              {"undefined", events_undefined, 6, 2},
              {"protection", events_protection, 13, 2},
              {"page", page_fault, VECTOR_PF, 0},
              {"interrupt", interrupt, VECTOR_INTERRUPT, 0},
              {"int", events_int, VECTOR_INT, 0}};
#define NR_EVENTS (sizeof events / sizeof events[0])
#define EVENT_PAGE 8u
#define EVENT_NMI 3u

/* --- the obstacles --- */

/* The IDT crosses the boundary between its pages at this vector. */
static void idt_set(unsigned boundary)
{
    const uint64_t at = PAGE - boundary * sizeof(struct gate);
    struct gate *gates = (struct gate *)(void *)(pages[0] + at);
    const struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } pointer = {NR_STUBS * sizeof(struct gate) - 1, IDT_AT + at};

    for (unsigned i = 0; i < NR_STUBS; i++) {
        const uint64_t to = physical(events_stubs) + i * STUB_BYTES;

        gates[i] = (struct gate){.offset_low = (uint16_t)to,
                                 .selector = CODE64,
                                 .attributes = (uint16_t)(GATE_INTERRUPT | (i == VECTOR_DF ? IST_DF : 0)),
                                 .offset_middle = (uint16_t)(to >> 16)};
    }
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

static void ist_set(unsigned number, uint64_t top)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint8_t *base;
    } gdt;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    const uint8_t *tss = gdt.base + DESCRIPTOR_TSS;
    const uint64_t base = tss[2] | (uint64_t)tss[3] << 8 | (uint64_t)tss[4] << 16 | (uint64_t)tss[7] << 24;
    for (unsigned i = 0; i < 8; i++)
        ((volatile uint8_t *)(uintptr_t)(base + TSS_IST + 8 * (number - 1)))[i] = (uint8_t)(top >> 8 * i);
}

static void run(const char *obstacle, const struct event *event)
{
    console_text("events: ");
    console_text(obstacle);
    console_text(" ");
    console_text(event->name);
    skips = event->skips;
    events_run(event->run);
    console_text("\r\n");
    for (unsigned page = 0; page < NR_PAGES; page++)
        page_set(page, true);
}

static void gate_absent(const struct event *event)
{
    const bool late = event->vector >= VECTOR_PF;

    idt_set(event->vector > VECTOR_PF ? VECTOR_INTERRUPT : VECTOR_PF);
    page_set(late, false);
    if (event->vector == VECTOR_PF)
        page_set(3, false);
    run("gate", event);
}

static void stack_absent(const struct event *event)
{
    idt_set(VECTOR_PF);
    gate_ist(VECTOR_PF, event->vector, IST_VICTIM);
    page_set(2, false);
    if (event->vector == VECTOR_PF)
        page_set(3, false);
    run("stack", event);
}

/* Call a function in the page of the stack: then it is executable, and can't be written without an exit. */
static void stack_is_code(uint64_t page)
{
    *(volatile uint8_t *)(uintptr_t)page = RETURN;
    ((void (*)(void))(uintptr_t)page)();
}

static void stack_code(const struct event *event)
{
    idt_set(VECTOR_PF);
    gate_ist(VECTOR_PF, event->vector, IST_VICTIM);
    stack_is_code(STACK_AT);
    if (event->vector == VECTOR_PF)
        page_set(3, false);
    run("code", event);
}

/* --- more than one --- */

/* Both the event and #PF have the absent stack. */
static void both_stacks_absent(const struct event *event)
{
    idt_set(VECTOR_PF);
    gate_ist(VECTOR_PF, event->vector, IST_VICTIM);
    gate_ist(VECTOR_PF, VECTOR_PF, IST_VICTIM);
    page_set(2, false);
    if (event->vector == VECTOR_PF)
        page_set(3, false);
    run("both", event);
}

/* A double fault whose stack is a page of code. */
static void double_fault_code(void)
{
    idt_set(VECTOR_PF);
    stack_is_code(physical(df_stack));
    page_set(1, false);
    page_set(3, false);
    run("double", &events[EVENT_PAGE]);
}

/* An IRET that faults has unblocked NMIs. */
static void iret_faults(void)
{
    static const struct event twice = {"twice", nmi_twice, VECTOR_NMI, 0};

    idt_set(VECTOR_PF);
    gate_ist(VECTOR_PF, VECTOR_NMI, IST_VICTIM);
    gate_ist(VECTOR_PF, VECTOR_PF, IST_PF);
    run("iret", &twice);
}

static void end_without_idt(void)
{
    idt_set(VECTOR_PF);
    page_set(0, false);
    page_set(1, false);
    events_undefined();
}

static void end_without_gates(void)
{
    idt_set(VECTOR_DF);
    page_set(1, false);
    page_set(3, false);
    page_fault();
}

static void end_without_stack(void)
{
    idt_set(VECTOR_PF);
    ist_set(IST_DF, STACK_AT + PAGE);
    page_set(1, false);
    page_set(2, false);
    page_set(3, false);
    page_fault();
}

static void memory_map(void)
{
    uint64_t cr3;

    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    directory[0] = physical(events_table) | P_RW;
    pdpt[0] = physical(directory) | P_RW;
    ((uint64_t *)(uintptr_t)(cr3 & ~0xfffull))[1] = physical(pdpt) | P_RW;
    for (unsigned page = 0; page < NR_PAGES; page++)
        page_set(page, true);
    ist_set(IST_VICTIM, STACK_AT + PAGE);
    ist_set(IST_DF, physical(df_stack) + PAGE);
    ist_set(IST_PF, physical(pf_stack) + PAGE);
}

void guest_main(const uint8_t *boot_params)
{
    const char *line = command_line(boot_params);

    machine_start(boot_params);
    io_write8(0x21, 0xff);
    io_write8(0xa1, 0xff);
    APIC(0xf0) = 0x1ff;
    console_text("events: start\r\n");
    memory_map();
    if (command_line_has(line, "end=idt", NULL))
        end_without_idt();
    if (command_line_has(line, "end=gates", NULL))
        end_without_gates();
    if (command_line_has(line, "end=stack", NULL))
        end_without_stack();
    for (unsigned i = 0; i < NR_EVENTS; i++)
        gate_absent(&events[i]);
    for (unsigned i = 0; i < NR_EVENTS; i++)
        stack_absent(&events[i]);
    for (unsigned i = 0; i < NR_EVENTS; i++)
        stack_code(&events[i]);
    for (unsigned i = 0; i < NR_EVENTS; i++)
        both_stacks_absent(&events[i]);
    double_fault_code();
    iret_faults();
    console_text("events: ok\r\n");
}
