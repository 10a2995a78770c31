/* The trace's way out and each CPU's engine. Shell. */
#ifndef BOOT_CHANNEL_TRACING_H
#define BOOT_CHANNEL_TRACING_H

#include "boot/state.h"

/* Open the channel and say hello. Without anyone who takes the trace there is none, unless that was asked for. */
void tracing_open_channel(struct boot_state *boot);

/* Set up this CPU's engine, on this CPU; its tracing is off where no_pt says so, the machine's or its own. */
void tracing_init_cpu(const struct boot_state *boot, struct boot_cpu *cpu);

#endif
