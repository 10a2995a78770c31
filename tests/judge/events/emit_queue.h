/* Events that wait for the packet with their IP, and those whose IP is known. */
#ifndef JUDGE_EVENTS_EMIT_QUEUE_H
#define JUDGE_EVENTS_EMIT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/judge/events/event.h"
#include "tests/judge/events/events_state.h"

/* Several of enum emit_wait. */
#define EMIT_ANY_OF(wait) (1u << (wait))

static inline struct flow_event emit_event(enum flow_event_kind kind, uint64_t value)
{
    return (struct flow_event){.kind = kind, .value = value};
}

/* Deliver all that was executed so far, and then the event. */
void emit_now(struct events *events, struct flow_event event);
void emit_now_at(struct events *events, struct flow_event event, bool known, uint64_t ip);

/* If more wait than any valid trace generates, the event is emitted at once, with its IP unknown. */
void emit_later(struct events *events, enum emit_wait wait, struct flow_event event);
void emit_vmcs_later(struct events *events, struct flow_event event);

/* Is there one that waits for any of these? */
bool emit_waits(const struct emit *emit, unsigned waits);

/* The first one of them, which waits no longer. */
bool emit_take_waiting(struct emit *emit, unsigned waits, struct flow_event *event);

/* Now, all of them. */
void emit_waiting_at(struct events *events, unsigned waits, bool known, uint64_t ip);

#endif
