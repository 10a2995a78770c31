/* Kind: shell */
#include "vmx/code/record.h"

#include "vmx/cpu.h"

uint64_t record_newest(void)
{
    return machine.code.record.nr_sent;
}

/* Others read it without the lock. */
static uint64_t number_take(void)
{
    const uint64_t number = machine.code.record.nr_sent + 1;

    __atomic_store_n(&machine.code.record.nr_sent, number, __ATOMIC_RELAXED);
    return number;
}

/* A number of this CPU's own needs no RECORD_SEEN in its stream, unless other CPUs' numbers before it do. */
void record_advance(struct cpu *cpu)
{
    const bool was_current = cpu->code.record.seen == machine.code.record.nr_sent;

    number_take();
    if (was_current)
        cpu->code.record.seen = machine.code.record.nr_sent;
}

void record_is_current(struct cpu *cpu)
{
    cpu->code.record.seen = machine.code.record.nr_sent;
}

void record_map_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs)
{
    head.number = number_take();
    pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, runs, (uint32_t)(head.runs * sizeof *runs));
    record_is_current(cpu);
}

void code_publish_seen(struct cpu *cpu)
{
    const uint64_t newest = __atomic_load_n(&machine.code.record.nr_sent, __ATOMIC_SEQ_CST);

    if (cpu->code.record.seen == newest)
        return;
    pt_seen(cpu->pt, newest);
    cpu->code.record.seen = newest;
}
