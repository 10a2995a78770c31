/* Kind: shell */
/*
 * Address spaces that are looked at whole. What a program maps without faulting (mlockall, MAP_POPULATE) no page fault
 * tells of, and where another program has executed those pages before, no EPT violation does. So a space that has been
 * quiet for a while, that is, has run without a fault, is looked at: all that it may execute. While it stays quiet, it
 * is looked at again, each time after four times as long.
 *
 * The preemption timer runs from each VM entry on, so it says without a word more that nothing has exited for so long.
 */
#include "vmx/space_look.h"

#include "vmx/cpu.h"
#include "vmx/guest_map.h"
#include "vmx/guest_memory.h"
#include "vmx/vmcs.h"

/* TSC ticks without a fault to the first look, and between two looks at most. */
#define FIRST_QUIET_TSC (1ull << 17)
#define MOST_QUIET_TSC (1ull << 23)
#define QUIET_FACTOR 4u
#define COST_FACTOR 1024u           /* looks at a space take no more of its time than one part of so many */
#define MOST_WORTH_TSC (1ull << 26) /* ... but for those that are so large that they would never be looked at */
#define MANY_FAULTS 16u             /* another program starts in these tables */

#define SLACK_TSC 64u /* the preemption timer counts more coarsely than the TSC */

static struct space_look *look_of(uint64_t space)
{
    return &guest_map_space_looks()[(space / RECORD_PAGE_SIZE * HASH_FACTOR >> 32) % NR_SPACE_LOOKS];
}

static uint64_t worth_its_cost(const struct space_look *look, uint64_t tsc)
{
    const uint64_t cost = look->cost_tsc * COST_FACTOR, worth = cost < MOST_WORTH_TSC ? cost : MOST_WORTH_TSC;

    return tsc > worth ? tsc : worth;
}

void space_faulted(struct cpu *cpu, uint64_t space)
{
    struct space_look *look = look_of(space);

    if (look->space != space)
        *look = (struct space_look){.space = space};
    look->since_tsc = tsc_read();
    look->quiet_tsc = cpu->quiet_tsc =
        ++look->faults < MANY_FAULTS ? worth_its_cost(look, FIRST_QUIET_TSC) : FIRST_QUIET_TSC;
}

/* The first look has all to tell: it says nothing of what the others will cost. */
static void look_now(struct cpu *cpu, struct space_look *look)
{
    const uint64_t begin = tsc_read(), before = look->by == cpu ? look->offset : ABSENT_UNKNOWN;

    guest_map_tell_all(cpu, look->space, before);
    look->cost_tsc = look->by ? tsc_read() - begin : 0;
    look->offset = pt_offset(cpu->pt);
    look->by = cpu;
    look->faults = 0;
    look->since_tsc = tsc_read();
    look->quiet_tsc *= look->quiet_tsc < MOST_QUIET_TSC ? QUIET_FACTOR : 1;
    look->quiet_tsc = worth_its_cost(look, look->quiet_tsc);
}

/* In the kernel it may be another space's tables that are in use, with page-table isolation; and it may be at work on
 * them. */
void space_look_if_quiet(struct cpu *cpu)
{
    if (!machine.config.map_memory)
        return;
    const uint64_t space = guest_space_cr3();
    struct space_look *look = look_of(space);

    if (!guest_in_user_mode() || look->space != space) {
        cpu->quiet_tsc *= 2;
        return;
    }
    machine_lock(cpu);
    if (look->space == space && tsc_read() - look->since_tsc + SLACK_TSC >= look->quiet_tsc)
        look_now(cpu, look);
    machine_unlock(cpu);
    cpu->quiet_tsc = look->quiet_tsc;
}
