/*
 * The time of branches: that of the last timing packet before the packet that proves them, and how far off it may be.
 *
 * A packet came when the clock says (clock.h). TIP and FUP come when their branch or event does. TNT waits until it is
 * full or another packet comes: its branches are behind the packet before it, but direct branches that it proves as
 * well may stand before that one came, if that was a TNT, which need not have come with its last branch; they are
 * behind the one before that.
 */
#ifndef DECODE_ENGINE_TIMED_H
#define DECODE_ENGINE_TIMED_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A stretch begins. */
void timed_begin(struct engine *engine);

/* A packet that may stand between others. */
void timed_take(struct engine *engine, const struct packet *packet);

/* Something was proven by a packet: where unsettled. exact: it came when what it proves happened. */
void timed_proved(struct engine *engine, bool exact);

#endif
