/* Reading the trace. */
#ifndef JUDGE_EVENTS_EVENTS_PACKETS_H
#define JUDGE_EVENTS_EVENTS_PACKETS_H

#include <stdbool.h>

#include "tests/judge/events/events_state.h"

/* The packets up to the stretch's end, or to an error: then engine->packet is the one that cannot be followed. */
enum flow_error events_packets(struct events *events, bool to_psb);

/* With resync, an error costs no more than the trace up to the next packet that gives an IP. The error is emitted, and
 * that packet consumed. false: it costs the rest of the stretch. SDM 36.4.2.3 to 36.4.2.7. */
bool events_resync(struct events *events, enum flow_error error, bool to_psb);

#endif
