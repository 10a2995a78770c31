/* Kind: shell */
/*
 * Scans of whole address spaces. No page fault reports what a program maps without faulting (mlockall, MAP_POPULATE),
 * and if another program has executed those pages before, no EPT violation does either. So a space that has been quiet
 * for a while, that is, has run without a fault, is scanned for all that user mode may execute in it. While it stays
 * quiet, it is scanned again, each time after a period four times as long.
 *
 * A guest can enter one page table many times. So a scan that takes longer than MAPPING_PART_TSC continues later,
 * without the machine's lock meanwhile.
 *
 * The preemption timer restarts at each VM entry. So when it expires, nothing has exited for that long.
 */
#include "vmx/code/space_scan.h"

#include "vmx/code/code.h"
#include "vmx/code/mappings.h"
#include "vmx/code/memory.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/timer.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"

#include "base/trace_clock.h"

/* TSC ticks without a fault before the first scan, and at most between two scans. */
#define FIRST_QUIET_TSC (1ull << 17)
#define MOST_QUIET_TSC (1ull << 23)
#define PART_QUIET_TSC (1ull << 22) /* between two parts of a scan */
#define QUIET_FACTOR 4u
#define COST_FACTOR 1024u                /* scans take at most one part in so many of a space's time ... */
#define MOST_COST_QUIET_TSC (1ull << 26) /* ... except in spaces so large that they would never be scanned */
#define MANY_FAULTS 16u                  /* another program has started in these tables */

static struct space_scan *scan_of(uint64_t space)
{
    return &code_memory()->scans[(space / RECORD_PAGE_SIZE * HASH_FACTOR >> 32) % NR_SPACE_SCANS];
}

/* At least tsc, and long enough to be worth what a scan costs. */
static uint64_t worth_its_cost(const struct space_scan *scan, uint64_t tsc)
{
    const uint64_t cost = scan->cost_tsc * COST_FACTOR, quiet = cost < MOST_COST_QUIET_TSC ? cost : MOST_COST_QUIET_TSC;

    return tsc > quiet ? tsc : quiet;
}

/* Ticks without a fault before the next scan, or the next part of one. */
static uint64_t quiet_tsc_of(const struct space_scan *scan)
{
    return scan->now.next ? PART_QUIET_TSC : scan->quiet_tsc;
}

void space_scan_faulted(struct cpu *cpu, uint64_t space)
{
    struct space_scan *scan = scan_of(space);

    if (scan->space != space)
        *scan = (struct space_scan){.space = space};
    scan->since_tsc = trace_clock(cpu->number);
    scan->quiet_tsc = ++scan->faults < MANY_FAULTS ? worth_its_cost(scan, FIRST_QUIET_TSC) : FIRST_QUIET_TSC;
    code_of(cpu)->scan.quiet_tsc = quiet_tsc_of(scan);
}

/* One part of a scan. The first scan sends records of everything: its cost does not predict that of the others. */
static void scan_now(struct cpu *cpu, struct space_scan *scan)
{
    const uint64_t begin = trace_clock(cpu->number), since = scan->by == cpu ? scan->offset : ABSENT_UNKNOWN;

    if (!scan->now.next) {
        scan->now.offset = pt_offset(cpu->pt);
        scan->now.cost_tsc = 0;
        scan->now.by = cpu;
    }
    if (scan->now.by != cpu)
        scan->now.by = NULL;
    scan->now.next = mapping_send_all(cpu, scan->space, since, scan->now.next);
    scan->since_tsc = trace_clock(cpu->number);
    scan->now.cost_tsc += scan->since_tsc - begin;
    if (scan->now.next)
        return;
    scan->cost_tsc = scan->scanned ? scan->now.cost_tsc : 0;
    scan->scanned = true;
    scan->offset = scan->now.offset;
    scan->by = scan->now.by;
    scan->faults = 0;
    scan->quiet_tsc *= scan->quiet_tsc < MOST_QUIET_TSC ? QUIET_FACTOR : 1;
    scan->quiet_tsc = worth_its_cost(scan, scan->quiet_tsc);
}

/* Not in kernel mode: with page-table isolation the tables in use may be another space's; and the kernel may be
 * changing them. */
void code_timer_expired(struct cpu *cpu)
{
    if (!code_memory())
        return;
    const uint64_t space = guest_space_now();
    struct space_scan *scan = scan_of(space);

    if (!guest_in_user_mode() || scan->space != space) {
        code_of(cpu)->scan.quiet_tsc *= 2;
        return;
    }
    machine_lock(cpu);
    if (scan->space == space && trace_clock(cpu->number) - scan->since_tsc + TIMER_SLACK_TSC >= quiet_tsc_of(scan))
        scan_now(cpu, scan);
    machine_unlock(cpu);
    code_of(cpu)->scan.quiet_tsc = quiet_tsc_of(scan);
}

uint64_t space_scan_wait_tsc(const struct cpu *cpu)
{
    return code_of(cpu)->scan.quiet_tsc ? code_of(cpu)->scan.quiet_tsc : UINT64_MAX;
}
