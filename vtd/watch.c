/* Kind: shell */
#include "vtd/watch.h"

#include "base/clock.h"
#include "base/init.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "vtd/dmar_registers.h"

#define LOOKS_A_SECOND 4u
#define TOLD 8u /* refused accesses, each with a line; behind them where their number doubles */
#define NEVER UINT64_MAX

static struct {
    struct watch_units units;
    uint64_t due_tsc; /* of the next look; NEVER also while one is under way: who sets that is alone */
    uint64_t nr_refused;
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

void watch_tell(const struct dmar_fault *fault)
{
    log_line("VT-d: %x:%x.%x was refused to %s %lx (reason %x)", fault->requester >> 8, fault->requester >> 3 & 31,
             fault->requester & 7, fault->is_read ? "read" : "write", fault->page, fault->reason);
}

INIT_CODE void watch_begin(const struct watch_units *units)
{
    watch.units = *units;
    watch.nr_refused = 0;
    watch.due_tsc = tsc_read();
}

static void count_refused(const struct dmar_fault *fault)
{
    const uint64_t nr = ++watch.nr_refused;

    if (nr <= TOLD)
        watch_tell(fault);
    else if ((nr & (nr - 1)) == 0)
        log_line("VT-d: %lu accesses have been refused", nr);
}

/* false: it is not ours. */
static bool access_ours(struct dmar_access *access, unsigned unit)
{
    const struct dmar *dmar = watch.units.dmar;

    if (dmar->spared[unit])
        return false;
    watch.units.access(access, dmar->units[unit]);
    return true;
}

static void give_up(void)
{
    unsigned nr_stuck = 0;

    for (unsigned i = 0; i < watch.units.dmar->nr_units; i++) {
        struct dmar_access access;
        nr_stuck += access_ours(&access, i) && !dmar_switch(&access, DMAR_TRANSLATION, false);
    }
    log_line("VT-d: that is not our memory, so all units are off now, but for %u, and devices reach ours", nr_stuck);
}

/* As many as a unit had room for, and what comes meanwhile. false: one of them should not be. */
static bool faults_are_right(const struct dmar_access *access)
{
    struct dmar_fault fault;

    for (unsigned i = 0; i < 2 * TOLD && dmar_unit_fault(access, &fault); i++) {
        if (!dmar_fault_is_right(&fault, watch.units.ours, watch.units.machine_end)) {
            watch_tell(&fault);
            return false;
        }
        count_refused(&fault);
    }
    return true;
}

static bool all_is_right(void)
{
    for (unsigned i = 0; i < watch.units.dmar->nr_units; i++) {
        struct dmar_access access;
        if (access_ours(&access, i) && !faults_are_right(&access))
            return false;
    }
    return true;
}

void watch_look(void)
{
    const uint64_t now = tsc_read();
    uint64_t due = __atomic_load_n(&watch.due_tsc, __ATOMIC_RELAXED);

    if (now < due ||
        !__atomic_compare_exchange_n(&watch.due_tsc, &due, NEVER, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (all_is_right())
        __atomic_store_n(&watch.due_tsc, tsc_read() + clock_tsc_hz() / LOOKS_A_SECOND, __ATOMIC_RELEASE);
    else
        give_up();
}
