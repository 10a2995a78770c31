/* A program faults, and its handler has to wait for long. */
#include "maps.h"

#include "ap.h"

#define HELD 450u
#define NEXT 470u
#define LONG_PAUSE 200000u /* so many scans later, the next one is far off */

static uint32_t turns;
static bool brief, bare, moves;
static volatile uint32_t step;

/* Unmap the part of the space that the page table maps. */
static void directory_clear(struct space *space)
{
    *(volatile uint64_t *)&space->directory[0] = 0;
    cr3_set(kernel_cr3);
    space_enter(space);
}

/* Soon afterwards the program continues on another page, and ends. */
static void handler_waits(struct space *space, uint32_t page)
{
    if (page != HELD)
        return;
    handler_pauses = 0;
    cr3_set(kernel_cr3);
    ap_pause(LONG_PAUSE);
    if (moves) { /* it continues, and ends, on the other CPU */
        step = 1;
        both_wait(&step, 2);
    }
    space_enter(space);
    if (bare)
        *(volatile uint64_t *)&space->directory[0] = physical(space->table) | RIGHTS;
}

static void run_held(struct space *space)
{
    run_here("maps: held", address_of(HELD), 4 * turns);
    if (!brief)
        run_here("maps: held, its next page", address_of(NEXT), 3 * turns);
    unmap(space, HELD);
}

void held_story(struct space *space, uint8_t (*programs)[PAGE], uint32_t turns_of_one, struct held how)
{
    turns = turns_of_one;
    brief = how.brief;
    bare = how.bare;
    moves = how.moves;
    want(space, HELD, programs[4]);
    want(space, NEXT, programs[3]);
    space_enter(space);
    if (bare)
        directory_clear(space);
    handler_pauses = handler_waits;
    run_held(space);
    want(space, HELD, programs[1]);
    run_here("maps: another program there", address_of(HELD), turns);
    cr3_set(kernel_cr3);
    ap_pause(LONG_PAUSE);
}

/* What the handler would have done, had the program stayed. */
void held_story_there(struct space *space, uint8_t (*programs)[PAGE])
{
    both_wait(&step, 1);
    space_enter(space);
    *(volatile uint64_t *)&space->table[HELD] = physical(programs[4]) | RIGHTS;
    run_held(space);
    cr3_set(kernel_cr3);
    step = 2;
}
