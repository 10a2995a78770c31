/* Kind: shell */
#include "vmx/code/record.h"

#include "base/init.h"
#include "vmx/code/code.h"

/* The number of the newest record of code. The machine's lock guards it; read without the lock as well. */
static uint64_t nr_sent;

INIT_CODE void code_number_first(uint64_t number)
{
    nr_sent = number;
}

uint64_t record_newest(void)
{
    return nr_sent;
}

/* Others read it without the lock. */
static uint64_t number_take(void)
{
    const uint64_t number = nr_sent + 1;

    __atomic_store_n(&nr_sent, number, __ATOMIC_RELAXED);
    return number;
}

/* A number of this CPU's own needs no RECORD_SEEN in its stream, unless other CPUs' numbers before it do. */
void record_advance(struct cpu *cpu)
{
    const bool was_current = code_of(cpu)->record.seen == nr_sent;

    number_take();
    if (was_current)
        code_of(cpu)->record.seen = nr_sent;
}

void record_is_current(struct cpu *cpu)
{
    code_of(cpu)->record.seen = nr_sent;
}

void record_map_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs)
{
    head.number = number_take();
    pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, runs, (uint32_t)(head.runs * sizeof *runs));
    record_is_current(cpu);
}

void code_publish_seen(struct cpu *cpu)
{
    const uint64_t newest = __atomic_load_n(&nr_sent, __ATOMIC_SEQ_CST);

    if (code_of(cpu)->record.seen == newest)
        return;
    pt_seen(cpu->pt, newest);
    code_of(cpu)->record.seen = newest;
}
