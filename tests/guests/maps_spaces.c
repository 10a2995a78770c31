/* The guest maps: its programs, its address spaces, and its handler of page faults, which maps what is wanted. */
#include "maps.h"

uint64_t kernel_cr3, faults, failures;
void (*handler_pauses)(struct space *space, uint32_t page);

/* --- programs --------------------------------------------------------------------------------------------------- */

void program_make(uint8_t *at, uint8_t number, uint32_t times)
{
    const uint8_t head[] = {0x31, 0xc0, 0xb9, (uint8_t)times, (uint8_t)(times >> 8), 0, 0}; /* xor eax, eax; mov ecx, */
    const uint8_t loop[] = {0x83, 0xc0, number, 0xf6, 0xc1, 1, 0x74, number};  /* add eax, ; test cl, 1; jz over nops */
    const uint8_t end[] = {0xff, 0xc9, 0x75, (uint8_t) - (number + 12), 0xc3}; /* dec ecx; jnz to the add; ret */
    volatile uint8_t *to = at;
    for (uint32_t i = 0; i < sizeof(head); i++)
        *to++ = head[i];
    for (uint32_t i = 0; i < number; i++)
        *to++ = 0x90;
    for (uint32_t i = 0; i < sizeof(loop); i++)
        *to++ = loop[i];
    for (uint32_t i = 0; i < number; i++)
        *to++ = 0x90;
    for (uint32_t i = 0; i < sizeof(end); i++)
        *to++ = end[i];
}

__asm__(".text\n"
        ".globl user_call\n"
        "user_call:\n"
        "    pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "    movq %rsp, kernel_rsp(%rip)\n"
        "    movq %rdi, %rbx\n"
        "    leaq user_entry(%rip), %rcx\n"
        "    movl $2, %r11d\n"
        "    leaq user_stack_top(%rip), %rsp\n"
        "    sysretq\n"
        "user_entry:\n"
        "    call *%rbx\n"
        "    syscall\n"
        ".globl syscall_entry\n"
        "syscall_entry:\n"
        "    movq kernel_rsp(%rip), %rsp\n"
        "    movl $0x18, %ecx\n"
        "    movl %ecx, %ss\n"
        "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
        "    ret\n"
        ".bss\n"
        ".balign 8\n"
        "kernel_rsp: .quad 0\n"
        ".zero 4096\n"
        "user_stack_top: .quad 0\n"
        ".text\n");

/* --- spaces ----------------------------------------------------------------------------------------------------- */

uint64_t physical(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

uint64_t cr3_get(void)
{
    uint64_t value;
    __asm__ volatile("movq %%cr3, %0" : "=r"(value));
    return value;
}

void cr3_set(uint64_t value)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(value) : "memory");
}

void space_enter(const struct space *space)
{
    cr3_set(physical(space->root));
}

/* Nothing is mapped yet but the kernel. */
void space_make(struct space *space)
{
    for (uint32_t i = 0; i < 512; i++)
        space->root[i] = space->pointers[i] = space->directory[i] = space->table[i] = space->wanted[i] = 0;
    for (uint32_t i = 0; i < NR_LARGE; i++)
        space->wanted_large[i] = 0;
    space->around = false;
    space->root[0] = *(const uint64_t *)(uintptr_t)kernel_cr3;
    space->root[1] = physical(space->pointers) | RIGHTS;
    space->pointers[0] = physical(space->directory) | RIGHTS;
    space->directory[0] = physical(space->table) | RIGHTS;
}

uint64_t address_of(uint32_t page)
{
    return BASE + page * PAGE;
}

uint64_t large_address(uint32_t large, uint32_t page)
{
    return BASE + (large + 1) * LARGE_PAGE + page * PAGE;
}

void want(struct space *space, uint32_t page, const void *memory)
{
    space->wanted[page] = physical(memory) | RIGHTS;
}

/* This CPU forgets what was mapped there. */
void unmap_here(uint32_t page)
{
    __asm__ volatile("invlpg (%0)" : : "r"(address_of(page)) : "memory");
}

/* What is mapped there now goes; what is wanted comes with the next fault. Of the space that is in use. */
void unmap(struct space *space, uint32_t page)
{
    *(volatile uint64_t *)&space->table[page] = 0;
    unmap_here(page);
}

void map_now(struct space *space, uint32_t page, const void *memory)
{
    *(volatile uint64_t *)&space->table[page] = physical(memory) | RIGHTS;
    __asm__ volatile("invlpg (%0)" : : "r"(address_of(page)) : "memory");
}

/* Memory that this guest does not lie in is not its programs': a space that may execute all that there is costs more to
 * look at, and is looked at less often. */
#define OURS 16u /* large pages */
void memory_restrict(void)
{
    volatile uint64_t *pointers = (uint64_t *)(uintptr_t)(*(const uint64_t *)(uintptr_t)kernel_cr3 & ADDRESS);
    volatile uint64_t *directory = (uint64_t *)(uintptr_t)(pointers[0] & ADDRESS);
    for (uint32_t i = 1; i < 4; i++)
        pointers[i] &= ~USER;
    for (uint32_t i = OURS; i < 512; i++)
        directory[i] &= ~USER;
    cr3_set(kernel_cr3);
}

static void map_pages(struct space *space, uint32_t page)
{
    const uint32_t first = space->around ? page & ~(AROUND - 1) : page, nr = space->around ? AROUND : 1;
    for (uint32_t i = first; i < first + nr; i++)
        if (!space->table[i])
            *(volatile uint64_t *)&space->table[i] = space->wanted[i];
}

__attribute__((interrupt)) void on_page_fault(struct interrupt_frame *frame, uint64_t error)
{
    struct space *space = (struct space *)(uintptr_t)(cr3_get() & ADDRESS);
    uint64_t address;
    __asm__ volatile("movq %%cr2, %0" : "=r"(address));
    const uint64_t page = (address - BASE) / PAGE, large = page / NR_PAGES - 1;
    __atomic_fetch_add(&faults, 1, __ATOMIC_SEQ_CST);
    if (handler_pauses)
        handler_pauses(space, (uint32_t)page);
    if (!(error & PRESENT) && page < NR_PAGES && space->wanted[page]) {
        map_pages(space, (uint32_t)page);
    } else if (!(error & PRESENT) && page >= NR_PAGES && large < NR_LARGE && space->wanted_large[large]) {
        *(volatile uint64_t *)&space->directory[large + 1] = space->wanted_large[large];
    } else {
        console_line("maps: FAILED, an unexpected fault at page", page);
        console_line("maps: error code, RIP", error);
        console_number(frame->rip);
        machine_power_off();
    }
}

/* --- calls ------------------------------------------------------------------------------------------------------ */

void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is == should)
        return;
    __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
    console_text(what);
    console_line(": WRONG, is", is);
    console_line("maps: should be", should);
}

/* In the space that is in use, in ring 0. */
void run_here(const char *what, uint64_t address, uint32_t value)
{
    expect(what, ((uint32_t(*)(void))(uintptr_t)address)(), value);
}

/* Also in ring 3, on the first CPU. */
void run(const char *what, const struct space *space, uint64_t address, uint32_t value)
{
    space_enter(space);
    run_here(what, address, value);
    if (*(volatile uint32_t *)(uintptr_t)0xfee00020u >> 24 == 0)
        expect(what, (uint32_t)user_call(address), value);
}
