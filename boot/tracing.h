/* The channel and each CPU's PT engine. */
#ifndef BOOT_TRACING_H
#define BOOT_TRACING_H

#include "boot/state.h"

/* Open the channel, send the first record, and protect our memory from devices (vtd=). If no channel opens, tracing is
 * off, unless channel=none was given. */
void tracing_open_channel(struct boot_state *boot);

/* Set up the engine of the CPU that calls this. Its tracing is off if no_pt is set for the machine or for this CPU. */
void tracing_init_cpu(const struct boot_state *boot, struct boot_cpu *cpu);

/* Send our code as records: the trace contains a few root-mode instructions around each VM entry, which the decoder has
 * to follow. */
void tracing_send_image(const struct boot_state *boot, struct pt_engine *pt);

#endif
