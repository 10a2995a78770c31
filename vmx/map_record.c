/* Kind: shell */
#include "vmx/map_record.h"

#include "vmx/cpu.h"

void map_record_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs)
{
    head.number = ++machine.pages_sent;
    pt_record(cpu->pt, RECORD_MAP, &head, sizeof head, runs, (uint32_t)(head.runs * sizeof *runs));
    cpu->pages_seen = machine.pages_sent;
}
