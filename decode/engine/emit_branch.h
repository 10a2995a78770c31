/* Events at branches: each is event_take, and the events of the packet. */
#ifndef DECODE_ENGINE_EMIT_BRANCH_H
#define DECODE_ENGINE_EMIT_BRANCH_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

enum flow_error emit_fup(struct engine *engine, const struct packet *packet);
enum flow_error emit_tip(struct engine *engine, const struct packet *packet);
enum flow_error emit_pge(struct engine *engine, const struct packet *packet);
enum flow_error emit_pgd(struct engine *engine, const struct packet *packet);
enum flow_error emit_pip(struct engine *engine, const struct packet *packet);
enum flow_error emit_vmcs(struct engine *engine, const struct packet *packet);

/* With flow_input.ticks: a branch was taken, to ip; NULL: it was the last instruction. */
void emit_tick(struct engine *engine, const uint64_t *ip);

#endif
