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
#define MOST_QUIET_TSC (1ull << 25)
#define QUIET_FACTOR 4u

#define SLACK_TSC 64u /* the preemption timer counts more coarsely than the TSC */

static struct space_look *look_of(uint64_t space)
{
    return &guest_map_space_looks()[(space / RECORD_PAGE_SIZE * HASH_FACTOR >> 32) % NR_SPACE_LOOKS];
}

void space_faulted(struct cpu *cpu, uint64_t space)
{
    struct space_look *look = look_of(space);

    if (look->space != space)
        *look = (struct space_look){.space = space, .offset = ABSENT_UNKNOWN};
    look->since_tsc = tsc_read();
    look->quiet_tsc = cpu->quiet_tsc = FIRST_QUIET_TSC;
}

static void look_now(struct cpu *cpu, struct space_look *look)
{
    guest_map_tell_all(cpu, look->space, look->by == cpu ? look->offset : ABSENT_UNKNOWN);
    look->offset = pt_offset(cpu->pt);
    look->by = cpu;
    look->since_tsc = tsc_read();
    if (look->quiet_tsc < MOST_QUIET_TSC)
        look->quiet_tsc *= QUIET_FACTOR;
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
    if (tsc_read() - look->since_tsc + SLACK_TSC >= look->quiet_tsc)
        look_now(cpu, look);
    machine_unlock(cpu);
    cpu->quiet_tsc = look->quiet_tsc;
}
