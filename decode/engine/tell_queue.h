/* Events that wait for the packet that tells where they were, and those that do no longer. */
#ifndef DECODE_ENGINE_TELL_QUEUE_H
#define DECODE_ENGINE_TELL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"
#include "decode/engine/flow_event.h"

/* Several of enum tell_wait. */
#define TELL_ANY_OF(wait) (1u << (wait))

static inline struct flow_event tell_event(enum flow_event_kind kind, uint64_t value)
{
    return (struct flow_event){.kind = kind, .value = value};
}

/* All that was executed so far, and then the event. */
void tell_now(struct engine *engine, struct flow_event event);
void tell_now_at(struct engine *engine, struct flow_event event, bool known, uint64_t ip);

/* Where more wait than any trace makes, it is told at once: where it was is not known then. */
void tell_later(struct engine *engine, enum tell_wait wait, struct flow_event event);
void tell_vmcs_later(struct engine *engine, struct flow_event event);

/* Is there one that waits for any of these? */
bool tell_waits(const struct tell *tell, unsigned waits);

/* The first one of them, which waits no longer. */
bool tell_take_waiting(struct tell *tell, unsigned waits, struct flow_event *event);

/* Now, all of them. */
void tell_waiting_at(struct engine *engine, unsigned waits, bool known, uint64_t ip);

#endif
