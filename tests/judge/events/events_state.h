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
    uint64_t last_listed; /* the last instruction of the stretch that was delivered; 0: none */
    bool lost;            /* after an error: execution continues at the next IP in a packet */
    bool fup_of_event;    /* the last FUP belonged to an event */
    bool return_taken;    /* the bit of the last compressed RET that failed */
};

/* Deliver to the sink what packets have proved; or all instructions that the walk has passed. */
void events_deliver(struct events *events);
void events_deliver_all(struct events *events);

/* The block that begins with the instruction at ip. NULL: it is not known. */
const struct block *events_block(struct events *events, uint64_t ip);

/* The last instruction that the walk has passed; 0: none in this stretch. */
uint64_t events_last_instruction(const struct events *events);

/* Take any packet except TNT: event_take, also after an error. */
enum flow_error events_take(struct events *events, const struct packet *packet);

#endif
