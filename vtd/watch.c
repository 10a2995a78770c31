/* Kind: shell */
#include "vtd/watch.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/phys.h"
#include "base/trace_clock.h"
#include "vtd/dmar_registers.h"

#define POLLS_PER_SECOND 4u
#define LOGGED_MAX 8u /* blocked accesses that get a log line each; then one whenever their number has doubled */
#define NEVER UINT64_MAX

static struct {
    struct watch_units units;
    uint64_t due_tsc; /* of the next poll. Atomic; the CPU that sets it to NEVER polls, and owns the rest meanwhile */
    uint64_t nr_blocked;
} watch = {.due_tsc = NEVER};

static uint32_t unit_read(void *context, uint32_t offset)
{
    return *(volatile uint32_t *)((uint8_t *)context + offset);
}

static void unit_write(void *context, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)((uint8_t *)context + offset) = value;
}

static void unit_wait_us(void *context, uint32_t us)
{
    (void)context;
    clock_wait_us(us);
}

void watch_access(struct dmar_access *access, uint64_t unit_pa)
{
    *access = (struct dmar_access){unit_read, unit_write, unit_wait_us, phys_to_virt(unit_pa)};
}

void watch_log_fault(const struct dmar_fault *fault)
{
    log_line("VT-d: blocked a %s at %lx by device %x:%x.%x (fault reason %x)", fault->is_read ? "read" : "write",
             fault->page, fault->requester >> 8, fault->requester >> 3 & 31, fault->requester & 7, fault->reason);
}

void watch_begin(const struct watch_units *units)
{
    watch.units = *units;
    watch.nr_blocked = 0;
    watch.due_tsc = trace_clock_here();
}

static void count_blocked(const struct dmar_fault *fault)
{
    const uint64_t nr = ++watch.nr_blocked;

    if (nr <= LOGGED_MAX)
        watch_log_fault(fault);
    else if ((nr & (nr - 1)) == 0)
        log_line("VT-d: %lu accesses have been blocked", nr);
}

/* false: the unit is excluded. */
static bool access_managed(struct dmar_access *access, unsigned unit)
{
    const struct dmar *dmar = watch.units.dmar;

    if (dmar->excluded[unit])
        return false;
    watch.units.access(access, dmar->units[unit]);
    return true;
}

static void switch_all_off(void)
{
    unsigned nr_stuck = 0;

    for (unsigned i = 0; i < watch.units.dmar->nr_units; i++) {
        struct dmar_access access;
        nr_stuck += access_managed(&access, i) && !dmar_switch(&access, DMAR_TRANSLATION, false);
    }
    log_line(
        "VT-d: that is not our memory, so all units have been switched off (%u failed); devices can access ours now",
        nr_stuck);
}

/* Read at most twice the usual number of fault records, as new faults may arrive meanwhile. false: the unit has blocked
 * an access that a device needs. */
static bool faults_are_expected(const struct dmar_access *access)
{
    struct dmar_fault fault;

    for (unsigned i = 0; i < 2 * LOGGED_MAX && dmar_unit_fault(access, &fault); i++) {
        if (!dmar_fault_is_expected(&fault, watch.units.ours, watch.units.machine_end)) {
            watch_log_fault(&fault);
            return false;
        }
        count_blocked(&fault);
    }
    return true;
}

static bool all_units_are_fine(void)
{
    for (unsigned i = 0; i < watch.units.dmar->nr_units; i++) {
        struct dmar_access access;
        if (access_managed(&access, i) && !faults_are_expected(&access))
            return false;
    }
    return true;
}

void watch_poll(void)
{
    const uint64_t now = trace_clock_here();
    uint64_t due = __atomic_load_n(&watch.due_tsc, __ATOMIC_RELAXED);

    if (due == NEVER || !deadline_is_over(due, now, 2 * clock_tsc_hz() / POLLS_PER_SECOND) ||
        !__atomic_compare_exchange_n(&watch.due_tsc, &due, NEVER, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (all_units_are_fine())
        __atomic_store_n(&watch.due_tsc, trace_clock_here() + clock_tsc_hz() / POLLS_PER_SECOND, __ATOMIC_RELEASE);
    else
        switch_all_off();
}
