/*
 * State of an engine with events. Files call each other in this order:
 *
 *   events.c            the beginning and the end of a stretch
 *   events_packets.c    reads the trace, packet by packet
 *   emit*.c             the events of each packet
 *   events_take.c       what the packet means for the walk: decode/engine/events.c, also after an error
 */
#ifndef JUDGE_EVENTS_EVENTS_STATE_H
#define JUDGE_EVENTS_EVENTS_STATE_H

#include "decode/engine/engine_state.h"
#include "tests/judge/events/emit_state.h"
#include "tests/judge/events/events.h"

struct events {
    struct engine *engine;
    struct events_sink sink;
    struct emit emit;
    uint64_t last_listed; /* the stretch's last instruction that the sink has got; 0: none */
    bool lost;            /* after an error: the next IP in a packet says where execution is */
    bool fup_of_event;    /* the last FUP was of an event */
    bool return_taken;    /* the bit of the last compressed RET that failed */
};

/* The sink gets what packets prove, or all that the walk came past, up to here. */
void events_deliver(struct events *events);
void events_deliver_all(struct events *events);

/* The block that begins with the instruction at ip. NULL: it is not known. */
const struct block *events_block(struct events *events, uint64_t ip);

/* The last instruction that the walk came past; 0: none in this stretch. */
uint64_t events_last_instruction(const struct events *events);

/* A packet that says something of the flow, but TNT. */
enum flow_error events_take(struct events *events, const struct packet *packet);

#endif
