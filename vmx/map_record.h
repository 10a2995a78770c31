/* RECORD_MAPs on their way. Private to vmx/. */
#ifndef VMX_MAP_RECORD_H
#define VMX_MAP_RECORD_H

#include "serial/wire/record.h"

struct cpu;

/* Number head and send it with its runs. The machine's lock is held; call between pt_exit and pt_enter. */
void map_record_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs);

#endif
