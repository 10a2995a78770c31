/*
 * maps: pages that a kernel maps without a page fault, all at once, as for mlockall and MAP_POPULATE. Other programs
 * have executed them, so that no exit shows their execution either. Before and after it the program runs for a
 * while without a fault.
 */
#include "maps.h"

#define FIRST 300u /* the pages that come without a fault, one for each program */
#define NR 4u

uint8_t work[PAGE] __attribute__((aligned(4096)));

void run_user(const char *what, uint32_t page, uint32_t value)
{
    expect(what, (uint32_t)user_call(address_of(page)), value);
}

void be_quiet(uint32_t times)
{
    while (times--)
        run_user("maps: quiet", WORK, 23 * LONG);
}

static void run_all(const char *what, uint32_t turns)
{
    for (uint32_t i = 0; i < NR; i++)
        run_user(what, FIRST + i, (1 + i) * turns);
}

void quiet_story(struct space *other, struct space *space, uint8_t (*programs)[PAGE], uint32_t turns, bool replaced)
{
    memory_restrict();
    program_make(work, 23, LONG);
    for (uint32_t i = 0; i < NR; i++) {
        want(other, i, programs[1 + i]);
        run("maps: another space's", other, address_of(i), (1 + i) * turns);
    }
    want(space, WORK, work);
    space_enter(space);
    be_quiet(2);
    const uint64_t before = faults;
    for (uint32_t i = 0; i < NR; i++)
        map_now(space, FIRST + i, programs[1 + i]);
    run_all("maps: mapped without a fault", turns);
    if (replaced) {
        map_now(space, FIRST, programs[4]);
        run_user("maps: another one in its place", FIRST, 4 * turns);
        map_now(space, FIRST, programs[1]);
    }
    be_quiet(48);
    run_all("maps: mapped without a fault, later", turns);
    if (replaced) {
        map_now(space, FIRST, programs[4]);
        run_user("maps: another one in its place, later", FIRST, 4 * turns);
        be_quiet(48);
        run_user("maps: another one in its place, still", FIRST, 4 * turns);
    }
    expect("maps: faults of what was mapped at once", faults - before, 0);
}

/* --- one page table, entered 8,192 times: a scan of it all takes some 19 million ticks --- */

#define NX (1ull << 63)
#define NR_DIRECTORIES 16u
#define MOST_TSC 4000000ull /* that a call may take longer than the fastest one */

static uint64_t alias_pointers[512] __attribute__((aligned(4096))), alias_directory[512] __attribute__((aligned(4096))),
    alias_table[512] __attribute__((aligned(4096)));

static uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void aliased_story(struct space *space)
{
    uint64_t least = UINT64_MAX, most = 0;
    memory_restrict();
    program_make(work, 23, LONG);
    want(space, WORK, work);
    for (uint32_t i = 0; i < 512; i++) {
        alias_table[i] = physical(work) | RIGHTS | NX;
        alias_directory[i] = physical(alias_table) | RIGHTS;
    }
    for (uint32_t i = 0; i < NR_DIRECTORIES; i++)
        alias_pointers[i] = physical(alias_directory) | RIGHTS;
    space->root[2] = physical(alias_pointers) | RIGHTS;
    space_enter(space);
    be_quiet(1);
    for (uint32_t i = 0; i < 64; i++) {
        const uint64_t begin = tsc();
        be_quiet(1);
        const uint64_t took = tsc() - begin;
        least = took < least ? took : least;
        most = took > most ? took : most;
    }
    expect("maps: a scan of many tables held the program for too long", most - least > MOST_TSC ? most - least : 0, 0);
}
