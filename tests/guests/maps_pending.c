/*
 * maps: faults that wait for their pages, and what happens meanwhile. The programs here have been executed before, at
 * their own addresses, so that only the page tables show their execution; and they are so short that nothing
 * looks at the page tables in their time.
 */
#include "ap.h"
#include "maps.h"

#define CR4_PCIDE (1ull << 17)
#define PAGE_X 40u
#define PAGE_Y 340u
#define PAUSE 200000u
#define SHORT 3u /* turns */
#define NR_SHORT 2u

static uint8_t shorts[NR_SHORT][PAGE] __attribute__((aligned(4096)));
static struct space shared __attribute__((aligned(4096)));

static uint32_t short_value(uint32_t i)
{
    return (24 + i) * SHORT;
}

static void shorts_make(void)
{
    for (uint32_t i = 0; i < NR_SHORT; i++) {
        program_make(shorts[i], (uint8_t)(24 + i), SHORT);
        run_here("maps: a short program", physical(shorts[i]), short_value(i));
    }
    space_make(&shared);
}

static void leave(void)
{
    handler_pauses = 0;
    cr3_set(kernel_cr3);
    ap_pause(PAUSE);
}

/* --- PCIDs ----------------------------------------------------------------------------------------------------------
 */

static void first_page_goes(struct space *space, uint32_t page)
{
    if (page == PAGE_Y)
        unmap(space, PAGE_X);
}

/* One space under two PCIDs, as Linux gives a program another one at will. Its second fault shows what the first one
 * has brought, and then that is gone. */
void pcid_story(const void *other, uint32_t value)
{
    shorts_make();
    want(&shared, PAGE_X, shorts[0]);
    want(&shared, PAGE_Y, other);
    __asm__ volatile("movq %%cr4, %%rax; orq %0, %%rax; movq %%rax, %%cr4" : : "r"(CR4_PCIDE) : "rax", "memory");
    cr3_set(physical(&shared) | 1);
    run_here("maps: under a PCID", address_of(PAGE_X), short_value(0));
    handler_pauses = first_page_goes;
    cr3_set(physical(&shared) | 2);
    run_here("maps: under another PCID", address_of(PAGE_Y), value);
    leave();
}

/* --- many at once ---------------------------------------------------------------------------------------------------
 */

#define MANY 12u /* more than the hypervisor has places for */

static struct space many[MANY] __attribute__((aligned(4096)));
static uint32_t nr_waiting;
static uint32_t many_turns;

static void run_next(void)
{
    const uint32_t i = nr_waiting++;

    space_enter(&many[i]);
    run_here("maps: one of many", address_of(PAGE_X), (1 + i) * many_turns);
}

static void the_next_one_faults(struct space *space, uint32_t page)
{
    (void)page;
    if (nr_waiting < MANY) {
        run_next();
    } else if (!many[0].table[PAGE_X]) { /* the one that has waited longest continues first */
        *(volatile uint64_t *)&many[0].table[PAGE_X] = many[0].wanted[PAGE_X];
        space_enter(&many[0]);
        run_here("maps: the first of many", address_of(PAGE_X), many_turns);
    }
    space_enter(space);
}

/* Each one's handler is interrupted by the next one's fault: pages come in the reverse order, but for the first one's.
 */
void many_story(uint8_t (*programs)[PAGE], uint32_t turns)
{
    many_turns = turns;
    for (uint32_t i = 0; i < MANY; i++) {
        space_make(&many[i]);
        want(&many[i], PAGE_X, programs[1 + i]);
        run_here("maps: of many, before", physical(programs[1 + i]), (1 + i) * turns);
    }
    handler_pauses = the_next_one_faults;
    run_next();
    leave();
}

/* --- another CPU runs the space -------------------------------------------------------------------------------------
 */

/* The steps: X has faulted here, is mapped there, was run here, is gone there and Y has faulted there. */
static volatile uint32_t step;

static void others_page_comes_first(struct space *space, uint32_t page)
{
    if (page == PAGE_X) {
        step = 1;
        both_wait(&step, 2);
        run_here("maps: another CPU's page", address_of(PAGE_X), short_value(0));
        step = 3;
        both_wait(&step, 4);
        unmap(space, PAGE_X);
    } else {
        step = 4;
    }
}

/* While a fault waits, another CPU maps something else there, and takes it away again. */
void unknown_story(const void *other)
{
    shorts_make();
    want(&shared, PAGE_X, shorts[1]);
    want(&shared, PAGE_Y, other);
    handler_pauses = others_page_comes_first;
    space_enter(&shared);
    run_here("maps: this CPU's page", address_of(PAGE_X), short_value(1));
    leave();
    both_wait(&step, 5);
}

void unknown_story_there(uint32_t value)
{
    both_wait(&step, 1);
    space_enter(&shared);
    *(volatile uint64_t *)&shared.table[PAGE_X] = physical(shorts[0]) | RIGHTS;
    step = 2;
    both_wait(&step, 3);
    unmap(&shared, PAGE_X);
    run_here("maps: another page there", address_of(PAGE_Y), value);
    cr3_set(kernel_cr3);
    step = 5;
}

/* One CPU maps a page, runs it for a while, and takes it away; then the other one has another page there. Long after
 * the last record in the first one's trace, it ran its own. */
void handed_story(const void *other, uint32_t value)
{
    space_make(&shared);
    want(&shared, PAGE_X, other);
    space_enter(&shared);
    run_here("maps: before it is handed over", address_of(PAGE_X), value);
    run_here("maps: before it is handed over, again", address_of(PAGE_X), value);
    unmap(&shared, PAGE_X);
    cr3_set(kernel_cr3);
    step = 1;
    both_wait(&step, 2);
}

void handed_story_there(const void *other, uint32_t value)
{
    both_wait(&step, 1);
    want(&shared, PAGE_X, other);
    space_enter(&shared);
    run_here("maps: handed over", address_of(PAGE_X), value);
    cr3_set(kernel_cr3);
    step = 2;
}

/* --- taken over: a page of both CPUs becomes another one, which this CPU maps and runs; then the other one does,
 * without a fault, and has exited for something else since
 * ---------------------------------------------------------------- */

static void take(const void *memory, uint32_t value)
{
    want(&shared, PAGE_X, memory);
    space_enter(&shared);
    for (uint32_t i = 0; i < 4; i++)
        run_here("maps: to be taken over", address_of(PAGE_X), value);
}

void taken_story(const void *before, uint32_t value_before, const void *other, uint32_t value)
{
    space_make(&shared);
    take(before, value_before);
    step = 1;
    both_wait(&step, 2);
    unmap(&shared, PAGE_X);
    take(other, value);
    cr3_set(kernel_cr3);
    step = 3;
    both_wait(&step, 4);
}

void taken_story_there(uint32_t value_before, uint32_t value)
{
    uint32_t leaf = 0;

    both_wait(&step, 1);
    space_enter(&shared);
    run_here("maps: before it is taken over", address_of(PAGE_X), value_before);
    step = 2;
    both_wait(&step, 3);
    __asm__ volatile("cpuid" : "+a"(leaf) : : "ebx", "ecx", "edx");
    unmap_here(PAGE_X);
    run_here("maps: taken over", address_of(PAGE_X), value);
    cr3_set(kernel_cr3);
    step = 4;
}
