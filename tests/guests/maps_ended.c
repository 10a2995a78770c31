/*
 * maps: records of an address no longer hold, and no fault shows that. Another page is mapped over the one that is
 * there (Linux: mmap with MAP_FIXED and MAP_POPULATE), and the space ends before its tables are scanned; and a
 * space that begins where another one has ended, whose tables are a copy of a third one's (a fork). Other spaces have
 * executed all pages, so that no exit shows their execution. And a space that continues where an entry of its
 * uppermost table has been cleared.
 */
#include "maps.h"

#define FIRST 300u
#define QUIET 48u

/* All that the programs of a space may execute: they run in another one. */
static void run_elsewhere(struct space *other, uint8_t (*programs)[PAGE], uint32_t turns)
{
    for (uint32_t i = 1; i <= 3; i++) {
        want(other, i, programs[i]);
        run("maps: another space's", other, address_of(i), i * turns);
    }
}

/* A program whose page is another one now, and soon nothing. */
void overwritten_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns,
                       bool continues)
{
    memory_restrict();
    program_make(work, 23, LONG);
    run_elsewhere(other, programs, turns);
    want(space, WORK, work);
    want(space, FIRST, programs[1]);
    space_enter(space);
    run_user("maps: to be overwritten", FIRST, turns);
    be_quiet(continues ? 1 : QUIET);
    map_now(space, FIRST, programs[2]);
    run_user("maps: overwritten", FIRST, 2 * turns);
    if (continues)
        be_quiet(QUIET);
    run_user("maps: overwritten, later", FIRST, 2 * turns);
    cr3_set(kernel_cr3);
    space_make(space);
}

/* The space runs page 2, which is recorded. */
static void begin(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns)
{
    memory_restrict();
    run_elsewhere(other, programs, turns);
    want(space, 2, programs[1]);
    space_enter(space);
    run_user("maps: at first", 2, turns);
}

/* A program that unmaps all that an entry of its uppermost table has, and continues elsewhere. */
void parted_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns)
{
    begin(other, space, programs, turns);
    for (uint32_t i = 2; i <= 3; i++) {
        *(volatile uint64_t *)&space->root[i] = space->root[1];
        want(space, 2 * i, programs[3]); /* after a fault the hypervisor scans the uppermost table again */
        run_user("maps: about to part", 2 * i, 3 * turns);
        *(volatile uint64_t *)&space->root[i] = 0;
    }
    space_enter(space);
    for (uint32_t i = 0; i < 96; i++) /* to the next PSB, and some more */
        run_user("maps: parted", 2, turns);
    cr3_set(kernel_cr3);
}

/* A parent, and a child of its that begins where another space has ended. */
void copied_story(struct space *parent, struct space *child, uint8_t (*programs)[PAGE], uint32_t turns)
{
    begin(parent, child, programs, turns);
    cr3_set(kernel_cr3);
    space_make(child);
    for (uint32_t i = 0; i < NR_PAGES; i++)
        *(volatile uint64_t *)&child->table[i] = parent->table[i];
    space_enter(child);
    run_user("maps: the child of another one", 2, 2 * turns);
    for (uint32_t i = 0; i < 96; i++) /* to the next PSB, and some more */
        run("maps: the parent continues", parent, address_of(2), 2 * turns);
    cr3_set(kernel_cr3);
}
