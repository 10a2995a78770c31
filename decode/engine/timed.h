/*
 * The time of branches: that of the last timing packet before the packet that proves them, and how far off it may be.
 *
 * A packet was generated when the clock says (clock.h). TIP and FUP are generated when their branch or event occurs.
 * TNT is delayed until it is full or another packet is generated. Its branches are later than the packet before it.
 * Direct branches that it proves may be earlier than that packet, if that was a TNT too, which need not have been
 * generated at its last branch; they are later than the one before that.
 */
#ifndef DECODE_ENGINE_TIMED_H
#define DECODE_ENGINE_TIMED_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A stretch begins. */
void timed_begin(struct engine *engine);

/* A packet that may occur between others. */
void timed_take(struct engine *engine, const struct packet *packet);

/* Something was proven by a packet: where unsettled. exact: it came when what it proves happened. */
void timed_proved(struct engine *engine, bool exact);

#endif
