/*
 * The time of branches: the TSC of the last timing packet before the packet that proves them, and its uncertainty.
 *
 * clock.h gives the time at which a packet was generated. TIP and FUP are generated when their branch or event occurs.
 * A TNT is delayed until it is full or another packet is generated, so its branches occurred after the preceding
 * packet. Direct branches that the TNT proves may have occurred even before that packet, if it is a TNT as well: it
 * need not have been generated right at its last branch. They occurred after the packet before that one.
 */
#ifndef DECODE_ENGINE_TIMED_H
#define DECODE_ENGINE_TIMED_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A stretch begins. */
void timed_begin(struct engine *engine);

/* A packet that may occur between others. */
void timed_take(struct engine *engine, struct packet *packet);

/* A packet has proved branches. To be called if unsettled is set. exact: the packet was generated when they occurred.
 */
void timed_proved(struct engine *engine, bool exact);

#endif
