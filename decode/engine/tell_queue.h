/* Inside of tell.c: events that wait. */
#ifndef DECODE_ENGINE_TELL_QUEUE_H
#define DECODE_ENGINE_TELL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine.h"
#include "decode/engine/flow_event.h"
#include "decode/engine/tell.h"

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

/* tell_branch.c: event_take, and what it tells. */
enum flow_error tell_fup(struct engine *engine, const struct packet *packet);
enum flow_error tell_tip(struct engine *engine, const struct packet *packet);
enum flow_error tell_pge(struct engine *engine, const struct packet *packet);
enum flow_error tell_pgd(struct engine *engine, const struct packet *packet);
enum flow_error tell_pip(struct engine *engine, const struct packet *packet);
enum flow_error tell_vmcs(struct engine *engine, const struct packet *packet);

/* tell_trace.c: CFE, EVD and TRIG, of Event Trace and Trigger Tracing. */
enum flow_error tell_cfe(struct engine *engine, const struct packet *packet);
enum flow_error tell_evd(struct engine *engine, const struct packet *packet);
enum flow_error tell_trig(struct engine *engine, const struct packet *packet);

/* Behind the instruction at ip, the first of the block, by what it says itself; of a branch, where it may lead. */
uint64_t tell_next_ip(const struct block *block, uint64_t ip);

/* A FUP has told where it was: of some the instruction there is executed then, and its TIP follows. */
enum flow_error tell_pass(struct engine *engine, const struct flow_event *event);

#endif
