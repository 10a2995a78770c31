/* Events at branches: each is events_take, and the events of the packet. */
#ifndef JUDGE_EVENTS_EMIT_BRANCH_H
#define JUDGE_EVENTS_EMIT_BRANCH_H

#include "pt/packet/packet.h"
#include "tests/judge/events/events_state.h"

enum flow_error emit_fup(struct events *events, const struct packet *packet);
enum flow_error emit_tip(struct events *events, const struct packet *packet);
enum flow_error emit_pge(struct events *events, const struct packet *packet);
enum flow_error emit_pgd(struct events *events, const struct packet *packet);
enum flow_error emit_pip(struct events *events, const struct packet *packet);
enum flow_error emit_vmcs(struct events *events, const struct packet *packet);

/* With ticks: a branch was taken, to ip; NULL: it was the last instruction. */
void emit_tick(struct events *events, const uint64_t *ip);

#endif
